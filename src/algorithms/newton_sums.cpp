// Newton sliding whose nodes add their models over a spanning tree (`share = "models"`). With M_i the node's model
// (local_model.h) and x the point that all nodes hold:
//
//   repeat (stage)
//     touch:  while some rows are untouched, as many new ones as are touched already; then the oldest quarter
//     add:    M = Σᵢ Mᵢ, up and down the tree: the only messages
//     solve:  x = argmin over X of M(y) + ν Σⱼ H_jj (y_j − x_j)²/2, at every node alike
//
// ν damps as in newton_sliding.cpp. A stage whose rows were all touched at x has the gradient of F itself: its
// certificate is Frank and Wolfe's. Least squares has that from the moment that every row has been touched.

#include "slidemesh/algorithms/newton_sliding.h"

#include <cmath>
#include <numeric>

#include "slidemesh/algorithms/centralized.h"
#include "slidemesh/algorithms/exact_passes.h"
#include "slidemesh/algorithms/local_step.h"
#include "slidemesh/algorithms/projected_newton.h"
#include "slidemesh/algorithms/stages.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/base/random.h"
#include "slidemesh/linalg/kernels.h"
#include "slidemesh/linalg/parallel.h"

namespace slidemesh {

namespace {

constexpr double kProximal = 1e-10;  ///< of the columns' curvatures: makes the model positive definite where H is not
constexpr double kSolved = 1e-3;     ///< a model is solved to this share of its Wolfe gap at x: that costs no message
constexpr Count kMostRows = Count{1} << 40;
constexpr std::size_t kRowsAtOnce = 1U << 16U;

/// What nodes add beside their models.
enum Extra : Index { kPredictedChange, kPredictionError, kUntouchedRows, kExtras };

/// Without share = "models" the method takes nodes with sets of their own.
std::string_view name_where_sets_are_one(const Problem& problem) {
  static_cast<void>(problem.common_set("newton-sliding with share = models"));
  return "newton-sliding";
}

class NewtonSums final : public CentralizedMethod {
 public:
  NewtonSums(const Problem& problem, Network& network, const NewtonSlidingOptions& options)
      : CentralizedMethod(name_where_sets_are_one(problem), problem, network, options.outer_steps, Where::kTree),
        options_(options),
        layout_{problem.dimension(), problem.objectives.front()->row_loss()->has_single_features()},
        sum_(layout_),
        local_step_(make_local_step(set_)),
        next_(problem.objectives.size(), 0),
        wanted_(first_stage_rows(problem.dimension(), network.nodes())),
        is_quadratic_(newton_models_are_exact(problem, network)) {
    require_rows();
    for (Index i = 0; i < network.local_nodes(); ++i) {
      const auto& objective = *problem.objectives[static_cast<std::size_t>(i)];
      models_.emplace_back(objective, problem.mu);
      auto& order = order_.emplace_back(static_cast<std::size_t>(objective.rows()));
      std::iota(order.begin(), order.end(), Index{0});
      if (!options.natural_order) {
        RandomStream random(options.seed, Purpose::kRowShuffle, static_cast<std::uint32_t>(network.global(i)));
        shuffle(order, random);
      }
    }
  }

  void step() override {
    ++t_;
    const bool exact = exact_next_;
    Matrix posted(layout_.size() + kExtras, network_.local_nodes());
    for_each_node(network_.local_nodes(), 1e6, [&](Index i) { touch_and_write(i, posted.col(i)); });
    const Vector mean = mean_of(posted);
    hear(mean.tail(kExtras) * static_cast<double>(network_.nodes()));
    const Vector g = mean.segment(1, layout_.d);
    if (exact || (is_quadratic_ && !has_untouched_rows_)) {
      set_gradient(x_, g, posted.row(0).transpose().array() - problem_.mu / 2.0 * squared_norm(x_));
    } else {
      clear_certificate();
    }
    sum_.read(mean);
    minimize(g);
    wanted_ = std::min(2 * wanted_, kMostRows);
  }

  void request_certificate_below(double gap) override { requested_gap_ = gap; }

  [[nodiscard]] std::optional<Vector> known_values() const override {
    if (t_ == 0) {
      return std::nullopt;
    }
    Vector values(network_.local_nodes());
    for (Index i = 0; i < values.size(); ++i) {
      values(i) = models_[static_cast<std::size_t>(i)].value(x_);
    }
    return values;
  }

  [[nodiscard]] Count next_data_oracle_calls() const override {
    Count calls = 0;
    for (Index i = 0; i < network_.local_nodes() && !finished(); ++i) {
      calls += planned_rows(i);
    }
    return calls;
  }

  void visit_state(StateVisitor& visitor) override {
    visitor.visit("t", t_);
    visitor.visit("x", x_);
    visitor.each_node(models_.size(), [&](std::size_t i) {
      models_[i].visit_state(visitor);
      visitor.visit("next_row", next_[i]);
      require<DataError>(next_[i] >= 0 && next_[i] < data_.rows(static_cast<Index>(i)), "checkpoint",
                         "a place in a permutation of a node's rows", "none");
    });
    visitor.visit("wanted_rows", wanted_);
    visitor.visit("untouched", has_untouched_rows_);
    visitor.visit("exact_next", exact_next_);
    visitor.visit("damping", damping_.amount);
    visitor.visit("good_stages", damping_.good_stages);
    const bool can_be = wanted_ >= 1 && wanted_ <= kMostRows && damping_.amount >= 0.0 && damping_.good_stages >= 0;
    require<DataError>(!visitor.is_reading() || can_be, "checkpoint", "the state of a stage",
                       "numbers that none can have");
    local_step_->visit_state(visitor);
    visit_certificate(visitor);
  }

 private:
  [[nodiscard]] Count planned_rows(Index i) const {
    const Count touched = models_[static_cast<std::size_t>(i)].touched();
    if (exact_next_) {
      return data_.rows(i);
    }
    const bool is_known = is_quadratic_ && touched == data_.rows(i);
    return is_known ? 0 : stage_rows(touched, data_.rows(i), wanted_, options_.refresh);
  }

  void touch_and_write(Index i, VectorRef out) {
    const auto n = static_cast<std::size_t>(i);
    const bool again = models_[n].touched() == data_.rows(i);
    std::vector<Index> numbers(static_cast<std::size_t>(planned_rows(i)));
    for (Index& number : numbers) {
      number = order_[n][static_cast<std::size_t>(next_[n])];
      next_[n] = (next_[n] + 1) % data_.rows(i);
    }
    const std::span<const Index> all(numbers);
    for (std::size_t first = 0; first < all.size(); first += kRowsAtOnce) {
      data_.touch(i, x_, all.subspan(first, std::min(kRowsAtOnce, all.size() - first)),
                  [&](const TouchedRows& rows) { models_[n].touch(rows, again); });
    }
    const Prediction prediction = models_[n].finish_touch();
    write_model(models_[n], x_, layout_, out);
    require_finite_point(out.head(1 + layout_.d), network_.global(i));
    VectorRef extras = out.tail(kExtras);
    extras(kPredictedChange) = prediction.predicted - prediction.before;
    extras(kPredictionError) = prediction.found - prediction.predicted;
    extras(kUntouchedRows) = static_cast<double>(data_.rows(i) - models_[n].touched());
  }

  void hear(const Vector& extras) {
    has_untouched_rows_ = extras(kUntouchedRows) > 0.5;
    if (options_.damps && extras(kPredictedChange) != 0.0) {
      damping_ = next_damping(damping_, std::abs(extras(kPredictedChange)), extras(kPredictionError),
                              refresh_cycle(options_.refresh));
    }
  }

  /// x = argmin over X of <g, y − x> + (y − x)'(H + D)(y − x)/2, D = εI + ν diag(H). Every node does the same, so this
  /// process does it once, and is charged for each of its nodes.
  void minimize(const Vector& g) {
    Vector weights(layout_.d);
    for (Index j = 0; j < layout_.d; ++j) {
      weights(j) = kProximal * sum_.scale(j) + damping_.amount * sum_.diagonal(j) + 1e-300;
    }
    Vector vertex(layout_.d);
    set_.clone()->linear_minimizer(g, vertex);
    const double wolfe_gap = dot(g, x_) - dot(g, vertex);
    Vector b(layout_.d);
    sum_.multiply(x_, b);
    b = g - b - weights.cwiseProduct(x_);
    const Vector before = x_;
    local_step_->set_quadratic(weights);
    const InnerResult result = local_step_->solve(sum_, b, kSolved * wolfe_gap, x_);
    require_finite(result, x_, 0);
    for (Index i = 0; i < network_.local_nodes(); ++i) {
      network_.meters().at(i).linear_oracle_calls += result.linear_oracle_calls + 1;
    }
    Vector curved(layout_.d);
    const Vector move = x_ - before;
    sum_.multiply(move, curved);
    const double gained = -static_cast<double>(network_.nodes()) * (dot(g, move) + dot(curved, move) / 2.0);
    exact_next_ = !is_quadratic_ && !has_untouched_rows_ && gained <= kRequestShare * requested_gap_;
  }

  NewtonSlidingOptions options_;
  SumLayout layout_;
  SumModel sum_;
  std::unique_ptr<LocalStep> local_step_;
  std::vector<LocalModel> models_;
  std::vector<std::vector<Index>> order_;  ///< rows in the order in which they are touched, over and over
  std::vector<Index> next_;
  Count wanted_;
  double requested_gap_ = 0.0;
  Damping damping_;
  bool is_quadratic_;
  bool has_untouched_rows_ = true;  ///< whether some node has rows that it has not touched yet
  bool exact_next_ = false;         ///< whether the next stage touches every row, for a certificate
};

}  // namespace

std::unique_ptr<Method> make_newton_sums(const Problem& problem, Network& network,
                                         const NewtonSlidingOptions& options) {
  return std::make_unique<NewtonSums>(problem, network, options);
}

}  // namespace slidemesh
