#pragma once

#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "slidemesh/core/loss.h"
#include "slidemesh/core/rows.h"
#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// Rows that are being touched, some at a time, with what they predict.
struct TouchedRows {
  const RowBlock& block;
  Index begin;  ///< rows begin .. end-1 of the block,
  Index end;
  std::span<const Index> numbers;  ///< whose numbers at the node are these,
  std::span<const double> labels;
  std::span<const double> predictions;  ///< K for each row
};

/// What one node holds: f~_i(x), a convex L_i-smooth function, mostly a mean over local rows (RowObjective). The
/// mu |x|^2 / 2 of the problem is not in it. One object serves one node.
///
/// A function that is not a mean over rows is one "row": its gradient is one data-oracle call, and there is nothing to
/// sample. To write one, override `dimension`, `value`, `gradient` and `smoothness`, or make a FunctionObjective.
class LocalObjective {
 public:
  virtual ~LocalObjective() = default;

  [[nodiscard]] virtual Index dimension() const = 0;
  [[nodiscard]] virtual Index rows() const { return 1; }
  /// How many numbers `derivatives` below holds; 0 if gradients of a row cannot be kept so.
  [[nodiscard]] virtual Index derivative_count() const { return 0; }

  [[nodiscard]] virtual double value(AccessPurpose purpose, ConstVectorRef x) = 0;

  /// One pass over all rows: the gradient into `g`, the value returned. Where `derivatives` is not
  /// empty it receives the derivative of every row's loss in its prediction, for later use; it is empty where
  /// derivative_count() is 0.
  virtual double gradient(AccessPurpose purpose, ConstVectorRef x, VectorRef g, std::span<double> derivatives = {}) = 0;

  /// The mean of the gradients of the given rows; of one row, its gradient however often it is drawn.
  virtual void sampled_gradient(ConstVectorRef x, std::span<const Index> rows, VectorRef g);

  /// (1/b) sum over the b given rows of (gradient of row j at x - gradient of row j at the snapshot),
  /// for the snapshot whose `derivatives` were kept. Returns the mean of the squared lengths of those b
  /// differences, from which their variance follows. Called only where derivative_count() > 0.
  virtual double corrected_gradient(ConstVectorRef x, std::span<const Index> rows, std::span<const double> derivatives,
                                    VectorRef g);

  /// The mean of the gradients of the given rows; each row's derivative goes to its place in
  /// `derivatives`. Called only where derivative_count() > 0.
  virtual void keep_derivatives(ConstVectorRef x, std::span<const Index> rows, std::span<double> derivatives,
                                VectorRef g);

  /// One pass over all rows: the derivative of every row's loss in its prediction, as `gradient` has it, and no
  /// gradient. Called only where row_loss() is not null and derivative_count() > 0.
  virtual void derivatives(AccessPurpose purpose, ConstVectorRef x, std::span<double> derivatives);

  /// The loss of the node's rows, for methods that keep a model of every row; null where f~_i is not a mean over rows.
  [[nodiscard]] virtual const Loss* row_loss() const { return nullptr; }
  /// By what the mean over the rows is multiplied.
  [[nodiscard]] virtual double weight() const { return 1.0; }

  /// Shows the given rows with their predictions at x, in order, in groups of at most kBlockRows. Called only where
  /// row_loss() is not null.
  using TouchVisit = std::function<void(const TouchedRows& rows)>;
  virtual void touch(AccessPurpose purpose, ConstVectorRef x, std::span<const Index> rows, const TouchVisit& visit);

  /// The same mean over other rows, of the node's loss and weight; null where f~_i is not a mean over rows. For methods
  /// that look at the node's rows through a source around their own, `row_source()`, null likewise.
  [[nodiscard]] virtual std::unique_ptr<LocalObjective> over(std::shared_ptr<RowSource> /*rows*/) const {
    return nullptr;
  }
  [[nodiscard]] virtual std::shared_ptr<RowSource> row_source() const { return nullptr; }

  /// A hint that `sampled_gradient` or `touch` will want these rows next, and whether it is worth its making.
  virtual void prefetch(std::span<const Index> /*rows*/) {}
  [[nodiscard]] virtual bool gains_from_prefetch() const { return false; }

  /// L_i, computed once: an upper bound up to rounding, not a guess.
  [[nodiscard]] virtual double smoothness() = 0;
  /// The data-oracle calls that `smoothness` took, for the methods that use it; 0 where it looked at no data.
  [[nodiscard]] virtual Count smoothness_calls() const { return 0; }
};

/// A function of one's own: f(x) returned, its gradient into g; `smoothness` a Lipschitz constant of the gradient.
class FunctionObjective final : public LocalObjective {
 public:
  using Function = std::function<double(ConstVectorRef x, VectorRef g)>;
  FunctionObjective(Index dimension, double smoothness, Function function)
      : dimension_(dimension), smoothness_(smoothness), function_(std::move(function)) {}

  [[nodiscard]] Index dimension() const override { return dimension_; }
  [[nodiscard]] double value(AccessPurpose purpose, ConstVectorRef x) override;
  double gradient(AccessPurpose purpose, ConstVectorRef x, VectorRef g, std::span<double> derivatives = {}) override;
  [[nodiscard]] double smoothness() override { return smoothness_; }

 private:
  Index dimension_;
  double smoothness_;
  Function function_;
  Vector unused_gradient_;
};

/// f~_i(x) = (weight/n_i) sum over rows j of l(b_j, <a_j, x>) (for K outputs, <a_j, X>).
class RowObjective final : public LocalObjective {
 public:
  struct Options {
    double weight =
        1.0;  ///< of the mean over the node's rows; m n_i / sum n makes every row of all nodes weigh the same
    bool prefetch = true;  ///< whether rows that will be drawn may be asked for before they are
  };

  RowObjective(std::shared_ptr<RowSource> source, std::shared_ptr<const Loss> loss)
      : RowObjective(std::move(source), std::move(loss), Options{}) {}
  RowObjective(std::shared_ptr<RowSource> source, std::shared_ptr<const Loss> loss, const Options& options);

  [[nodiscard]] double weight() const override { return weight_; }
  [[nodiscard]] Index dimension() const override { return source_->features() * loss_->outputs(); }
  [[nodiscard]] Index rows() const override { return source_->rows(); }
  [[nodiscard]] Index derivative_count() const override { return rows() * loss_->outputs(); }
  [[nodiscard]] double value(AccessPurpose purpose, ConstVectorRef x) override;
  double gradient(AccessPurpose purpose, ConstVectorRef x, VectorRef g, std::span<double> derivatives = {}) override;
  void sampled_gradient(ConstVectorRef x, std::span<const Index> rows, VectorRef g) override;
  double corrected_gradient(ConstVectorRef x, std::span<const Index> rows, std::span<const double> derivatives,
                            VectorRef g) override;
  void keep_derivatives(ConstVectorRef x, std::span<const Index> rows, std::span<double> derivatives,
                        VectorRef g) override;
  void derivatives(AccessPurpose purpose, ConstVectorRef x, std::span<double> derivatives) override;
  [[nodiscard]] const Loss* row_loss() const override { return loss_.get(); }
  [[nodiscard]] std::unique_ptr<LocalObjective> over(std::shared_ptr<RowSource> rows) const override {
    return std::make_unique<RowObjective>(std::move(rows), loss_, Options{.weight = weight_, .prefetch = prefetch_});
  }
  [[nodiscard]] std::shared_ptr<RowSource> row_source() const override { return source_; }
  void touch(AccessPurpose purpose, ConstVectorRef x, std::span<const Index> rows, const TouchVisit& visit) override;
  void prefetch(std::span<const Index> rows) override { source_->prefetch(AccessPurpose::kGradient, rows); }
  [[nodiscard]] bool gains_from_prefetch() const override { return prefetch_ && source_->gains_from_prefetch(); }
  [[nodiscard]] double smoothness() override;
  [[nodiscard]] Count smoothness_calls() const override { return smoothness_calls_; }

  [[nodiscard]] RowSource& source() { return *source_; }
  [[nodiscard]] const Loss& loss() const { return *loss_; }

 private:
  /// Labels and predictions of rows begin .. end-1 of a block, into labels_ and predictions_.
  void predict_group(const RowBlock& block, Index begin, Index end, const double* x);
  /// Predicts rows begin .. end-1 of a block and leaves the losses' derivatives in predictions_.
  double evaluate(const RowBlock& block, Index begin, Index end, const double* x, bool want_value);
  /// The mean gradient of these rows into g. look(block, r, row, derivatives) may change what the derivatives of each
  /// are, row r of the block and number `row` at the node, before they are added up.
  template <class Look>
  void drawn_gradient(ConstVectorRef x, std::span<const Index> rows, VectorRef g, Look&& look);
  /// What a sum over `count` rows is divided by to be a weighted mean.
  [[nodiscard]] double divisor(Index count) const { return static_cast<double>(count) / weight_; }
  [[nodiscard]] double largest_eigenvalue_by_gram();
  [[nodiscard]] double largest_eigenvalue_by_blocks();
  [[nodiscard]] double largest_squared_column();

  std::shared_ptr<RowSource> source_;
  std::shared_ptr<const Loss> loss_;
  std::vector<double> labels_;
  std::vector<double> predictions_;
  double weight_;
  bool prefetch_;
  double smoothness_ = -1.0;
  Count smoothness_calls_ = 0;
};

}  // namespace slidemesh
