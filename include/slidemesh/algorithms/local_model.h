#pragma once

#include <span>
#include <vector>

#include "slidemesh/algorithms/quadratic.h"
#include "slidemesh/core/loss.h"
#include "slidemesh/core/objective.h"
#include "slidemesh/core/state.h"
#include "slidemesh/linalg/sparse_symmetric.h"
#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// What touching rows again showed of their polynomials: sums over rows.
struct Prediction {
  double before = 0.0;     ///< the losses where the rows were touched before,
  double predicted = 0.0;  ///< what their polynomials said they would be here,
  double found = 0.0;      ///< and what they are

  void add(const Prediction& other);
};

/// How a model keeps its second-order part: a d x d matrix; where every row has a single feature its diagonal; or of a
/// wide table the elements alone where some row has two numbers.
enum class ModelShape { kDense, kDiagonal, kSparse };
[[nodiscard]] ModelShape shape_for(const LocalObjective& objective, bool allows_sparse = false);
/// What the second-order part of such a model takes at most.
[[nodiscard]] double model_bytes(const LocalObjective& objective, ModelShape shape);

/// What curvature a row's polynomial has where the row is touched again. kTaylor: the loss's own. kSecant: where the
/// loss has one output and a second derivative, the mean of it over as far as the prediction has moved since the last
/// touch: once more in that direction or, where the prediction has turned back, over the way that it came. A prediction
/// that hardly moved has the loss's own.
enum class ModelCurvature { kTaylor, kSecant };

/// A node's quadratic model of its own f_i, the sum of second-order polynomials of the rows touched so far, each where
/// its row was touched last:
///
///     M_i(x) = (1/τ) sum over the τ touched rows j of [ l_j + l'_j (<a_j, x> - t_j) + l''_j/2 (<a_j, x> - t_j)^2 ] +
///     mu |x|^2/2
///            = x'H x/2 + <h, x> + constant
///
/// Rows are not kept. Of each row the model knows its prediction t_j; with the row in hand again, that tells the old
/// polynomial, which the new one replaces. With K outputs t_j has K numbers and l''_j is K x K.
class LocalModel final : public Quadratic {
 public:
  LocalModel(const LocalObjective& objective, double mu, ModelCurvature curvature = ModelCurvature::kSecant)
      : LocalModel(objective, mu, curvature, shape_for(objective)) {}
  LocalModel(const LocalObjective& objective, double mu, ModelCurvature curvature, ModelShape shape);

  [[nodiscard]] Index dimension() const { return h_.size(); }
  [[nodiscard]] Count touched() const { return touched_; }

  /// All rows are to be touched again, from the first: the sums begin with nothing, so that they have no rounding of
  /// polynomials that are gone. Those of rows that were far from where they are now may have been far larger.
  void begin_anew();
  /// Adds the polynomials of rows that come with their predictions or, where they are touched again, replaces them.
  /// `exact`: where the loss has a second derivative, that is the curvature wherever predictions moved.
  void touch(const TouchedRows& rows, bool again, bool exact = false);
  /// After the rows of a stage: makes what follows ready, and tells how good the replaced polynomials were.
  Prediction finish_touch();

  /// out = H v.
  void multiply(ConstVectorRef v, VectorRef out) const override;
  /// g = H x + h, the gradient of M_i.
  void gradient(ConstVectorRef x, VectorRef g) const;
  /// M_i(x).
  [[nodiscard]] double value(ConstVectorRef x) const;
  void add_elements(double s, std::span<const Index> rows, Index j, double* out) const override;
  [[nodiscard]] double diagonal(Index j) const override;
  /// h.
  [[nodiscard]] const Vector& linear() const { return linear_; }
  /// The mean over touched rows of l''_j a_j, and for each output of l''_j and of l''_j^2 over the number of rows: what
  /// H is but for how rows vary around their mean, and how many rows that says something about. 0 where H is diagonal.
  [[nodiscard]] double tilt(Index j) const { return tilt_(j) / divisor(); }
  [[nodiscard]] double mean_curvature(Index output) const { return curvature_sum_(output) / divisor(); }
  [[nodiscard]] double squared_curvature(Index output) const {
    return squared_curvature_sum_(output) / (divisor() * divisor());
  }
  [[nodiscard]] ModelShape shape() const { return shape_; }
  /// The largest |a_j|^2 of a touched row.
  [[nodiscard]] double largest_squared_row() const { return largest_squared_row_; }
  [[nodiscard]] const Loss& loss() const { return loss_; }
  /// What a row's curvature, per |a_j|^2, is at most in f_i; and mu.
  [[nodiscard]] double largest_curvature() const { return weight_ * loss_.curvature(); }
  [[nodiscard]] double mu() const { return mu_; }

  void visit_state(StateVisitor& visitor);

 private:
  /// Polynomials of up to kBlockRows rows.
  struct Polynomials {
    std::vector<double> slopes;      ///< l'_j, K per row
    std::vector<double> curvatures;  ///< l''_j, K x K per row
    double values = 0.0;             ///< the sum of l_j
  };
  void expand(std::span<const double> labels, std::span<const double> predictions, std::span<const double> secants,
              Polynomials& out);
  void take_secants(std::span<const double> labels, std::span<const double> predictions,
                    std::span<const double> secants, Polynomials& out);
  /// Where the curvature of a row that has moved so far is to be taken; remembers the move.
  double secant_after(std::size_t row, double move, bool exact);
  void compare(std::span<const double> predictions, std::size_t rows);
  double offsets(const Polynomials& polynomials, std::span<const double> predictions, std::size_t rows,
                 std::vector<double>& out) const;
  void add(const TouchedRows& rows, bool again);
  void add_row(const RowBlock& block, Index r, const double* offsets, const double* curvature);
  void add_curvature(const RowBlock& block, Index r, const double* curvature);
  void add_group();
  void visit_sparse(StateVisitor& visitor);

  /// What sums over the touched rows are divided by.
  [[nodiscard]] double divisor() const { return static_cast<double>(touched_ > 0 ? touched_ : 1) / weight_; }

  const Loss& loss_;
  ModelShape shape_;
  bool takes_secants_;
  Index outputs_;
  double mu_;
  double weight_;
  Count rows_;
  Count touched_ = 0;
  bool is_anew_ = false;          ///< whether the polynomials of rows that are touched again are gone already
  Matrix H_;                      ///< the sum over touched rows; d x d, d x 1, or empty
  SparseSymmetric sparse_H_;      ///< the sum where the shape is sparse
  Vector h_;                      ///< likewise
  Vector tilt_;                   ///< likewise, of l''_j a_j
  Vector curvature_sum_;          ///< likewise, of l''_j: one for each output
  Vector squared_curvature_sum_;  ///< likewise, of l''_j^2
  double constant_ = 0.0;
  double largest_squared_row_ = 0.0;
  Vector linear_;                    ///< h_ / touched_
  std::vector<double> predictions_;  ///< t_j, of rows that have been touched
  std::vector<double> moves_;    ///< how far t_j moved from one touch to the next; kUnknown where it was touched once
  std::vector<double> secants_;  ///< from t_j to where the mean curvature of its polynomial is taken; likewise

  Prediction prediction_;
  Polynomials new_;
  Polynomials old_;
  std::vector<double> old_predictions_;
  std::vector<double> old_secants_;
  std::vector<double> new_secants_;
  std::vector<double> new_offsets_;
  std::vector<double> old_offsets_;
  std::vector<double> reach_;
  std::vector<double> ahead_;
  Matrix group_;  ///< dense rows that are not in H yet, a column each,
  Matrix scaled_;
  Matrix group_curvatures_;  ///< and their curvatures
  Index grouped_ = 0;
};

}  // namespace slidemesh
