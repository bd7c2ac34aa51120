// GT-SAGA: SAGA's gradients, tracked over the network.
//
// R. Xin, U. A. Khan and S. Kar, "Variance-reduced decentralized stochastic optimization with accelerated convergence",
// IEEE Transactions on Signal Processing 68, 2020, Algorithm 1.
//
//   paper   here          what it is
//   xᵏ      x_            the iterate
//   gᵏ      estimate_     SAGA's estimate of the local gradient; last_estimate_ is the step before's
//   yᵏ      y_            the tracked estimate of the mean gradient
//   α       alpha_        1/(3 L_row), L_row the largest smoothness constant of a single row (plus mu), agreed once
//
// Departures: X, by a projection of the step as in R. Xin, S. Das, U. A. Khan and S. Kar, "A stochastic proximal
// gradient framework for decentralized non-convex composite optimization" (2021); `batch` rows per step, dealt from a
// permutation and not drawn with replacement; α does not have the network in it, and is to be set where a graph is too
// sparse for this one.

#include "baseline_keys.h"
#include "gradient_table.h"
#include "registry_kinds.h"
#include "slidemesh/linalg/parallel.h"

namespace slidemesh {

namespace {

constexpr double kStepShare = 1.0 / 3.0;  ///< of 1/L_row: SAGA's own

struct GtSagaOptions : BaselineOptions {
  Count batch = 1;
};

class GtSaga final : public BaselineMethod {
 public:
  using Options = GtSagaOptions;

  GtSaga(const Problem& problem, Network& network, const Options& options)
      : BaselineMethod("gt-saga", problem, network, options.outer_steps, {}),
        batch_(options.batch),
        alpha_(options.step.value_or(0.0)),
        w_(mixing_weights(network.graph(), options.weights, options.laplacian_lambda_max)),
        x_(start()) {
    require_projection();
    require_rows();
    table_.emplace(data_, options.seed);
    y_ = mixed_ = estimate_ = last_estimate_ = zero();
  }

  void step() override {
    const Count batch = t_ == 0 ? std::numeric_limits<Count>::max() : batch_;  // the table begins with all rows
    ++t_;
    for_each_node(x_.cols(), gradient_work(batch_, x_.rows()), [&](Index i) {
      table_->touch(i, x_.col(i), batch, estimate_.col(i));
      data_.require_finite_gradient(i, estimate_);
    });
    estimate_ += problem_.mu * x_;
    if (t_ == 1) {
      find_step();
      y_ = estimate_;  // y¹ = g¹
    } else {
      network_.mix(w_, y_, mixed_);
      y_ = mixed_ + estimate_ - last_estimate_;  // yᵏ⁺¹ = W yᵏ + gᵏ⁺¹ − gᵏ
    }
    last_estimate_.swap(estimate_);
    network_.mix(w_, x_, mixed_);
    x_ = mixed_ - alpha_ * y_;
    project(x_);  // xᵏ⁺¹ = P_X(W xᵏ − α yᵏ⁺¹)
  }
  [[nodiscard]] const Stacked& output() override { return x_; }
  void visit_state(StateVisitor& visitor) override {
    visitor.visit("alpha", alpha_);
    table_->visit_state(visitor);
    visit_steps(visitor, {{"x", &x_}, {"y", &y_}, {"last_estimate", &last_estimate_}});
  }

 private:
  [[nodiscard]] Count next_data_oracle_calls_of(Index i) const override {
    return t_ == 0 ? data_.rows(i) : std::min<Count>(batch_, data_.rows(i));
  }

  /// From what the first pass saw of the rows.
  void find_step() {
    if (alpha_ > 0.0) {
      return;
    }
    const Vector row = Vector::NullaryExpr(network_.local_nodes(), [&](Index i) {
      return data_.objective(i).row_loss()->curvature() * table_->largest_squared_row(i);
    });
    alpha_ = kStepShare / (network_.agree_max(row.transpose())(0) + problem_.mu + 1e-300);
  }

  Count batch_;
  double alpha_;  ///< 0: not known yet
  MixingWeights w_;
  std::optional<GradientTable> table_;
  Stacked x_, y_, mixed_, estimate_, last_estimate_;
};

}  // namespace

MethodKind gt_saga_kind() {
  Keys<GtSagaOptions> keys = step_keys(weighted_keys<GtSagaOptions>(),
                                       "the step size; auto: 1/(3 (L + mu)), L the largest smoothness of a single row");
  keys.integer("batch", &GtSagaOptions::batch, 1, kMostRows, "rows that a node touches per step");
  return baseline_kind<GtSaga>("gt-saga", "SAGA's gradients from a few rows, tracked over the network",
                               std::move(keys));
}

}  // namespace slidemesh
