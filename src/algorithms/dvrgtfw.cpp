// DVRGTFW: decentralized Frank-Wolfe with variance-reduced, tracked gradients.
//
// X. Jiang, X. Zeng, L. Xie, J. Sun and J. Chen, "Distributed stochastic projection-free algorithm for constrained
// optimization", IEEE Transactions on Automatic Control 70(4), 2025 (arXiv 2204.10605).
//
//   here          what it is
//   x_            a node's iterate;  x_bar_ = W x, where the gradient is estimated
//   estimate_     the local gradient: a snapshot's, corrected by `batch` rows; last_estimate_ is the step before's
//   y_            the tracked estimate of the mean gradient
//   vertex_       what the linear oracle answers to it
//
// Departure: the estimate is SVRG's with a snapshot every `epoch` steps (core/variance_reduction.h), drawn without
// replacement; the paper's rule for what to sample when differs.

#include <algorithm>

#include "baseline_keys.h"
#include "registry_kinds.h"
#include "slidemesh/core/variance_reduction.h"

namespace slidemesh {

namespace {

struct DvrgtfwOptions : BaselineOptions {
  int epoch = 20;
  std::optional<Count> batch;
};

class Dvrgtfw final : public BaselineMethod {
 public:
  using Options = DvrgtfwOptions;

  Dvrgtfw(const Problem& problem, Network& network, const Options& options)
      : BaselineMethod("dvrgtfw", problem, network, options.outer_steps, {}),
        epoch_(options.epoch),
        w_(mixing_weights(network.graph(), options.weights, options.laplacian_lambda_max)),
        reduction_(data_, options.seed),
        x_(start()),
        variance_(network.local_nodes()) {
    for (Index i = 0; i < network.local_nodes(); ++i) {
      const Count rows = data_.rows(i);
      batch_.push_back(std::min<Count>(options.batch.value_or(std::max<Count>(1, rows / 20)), rows));
    }
    x_bar_ = y_ = mixed_ = estimate_ = last_estimate_ = vertex_ = snapshot_.x = snapshot_.gradient = zero();
  }

  void step() override {
    const bool full = t_ % epoch_ == 0;
    const auto t = static_cast<double>(++t_);
    network_.mix(w_, x_, x_bar_);  // x̄_t = W x_t
    if (full) {
      reduction_.snapshot(x_bar_, snapshot_.gradient);
      snapshot_.x = x_bar_;
      estimate_ = snapshot_.gradient;
    } else {
      reduction_.corrected_gradient(x_bar_, batch_, snapshot_, estimate_, variance_);
    }
    estimate_ += problem_.mu * x_bar_;
    y_ += estimate_ - last_estimate_;  // y_t = W (y_{t−1} + v_t − v_{t−1}),  y_0 = v_0 = 0
    last_estimate_ = estimate_;
    network_.mix(w_, y_, mixed_);
    y_.swap(mixed_);
    linear_minimizers(y_, vertex_);
    const double gamma = 2.0 / (t + 1.0);
    x_ = (1.0 - gamma) * x_bar_ + gamma * vertex_;  // x_{t+1} = (1 − γ_t) x̄_t + γ_t argmin over X of <y_t, v>
  }
  [[nodiscard]] const Stacked& output() override { return x_; }
  [[nodiscard]] Count next_data_oracle_calls() const override {
    Count calls = 0;
    for (Index i = 0; i < network_.local_nodes() && !finished(); ++i) {
      const Count batch = batch_[static_cast<std::size_t>(i)];
      const bool twice =
          problem_.objectives[static_cast<std::size_t>(i)]->derivative_count() == 0 && batch < data_.rows(i);
      calls += t_ % epoch_ == 0 ? data_.rows(i) : batch * (twice ? 2 : 1);
    }
    return calls;
  }
  void visit_state(StateVisitor& visitor) override {
    reduction_.visit_state(visitor);
    visit_steps(visitor, {{"x", &x_},
                          {"y", &y_},
                          {"last_estimate", &last_estimate_},
                          {"snapshot", &snapshot_.x},
                          {"snapshot_gradient", &snapshot_.gradient}});
  }

 private:
  Count epoch_;
  std::vector<Count> batch_;
  MixingWeights w_;
  VarianceReduction reduction_;
  VarianceReduction::Snapshot snapshot_;
  Stacked x_, x_bar_, y_, mixed_, estimate_, last_estimate_, vertex_;
  Vector variance_;
};

}  // namespace

MethodKind dvrgtfw_kind() {
  Keys<DvrgtfwOptions> keys = weighted_keys<DvrgtfwOptions>();
  keys.integer("epoch", &DvrgtfwOptions::epoch, 1, kMostSteps, "steps from one pass over all rows to the next")
      .integer("batch", &DvrgtfwOptions::batch, 1, kMostRows, "rows that a node touches in the steps between")
      .by_default("a twentieth of its rows");
  return baseline_kind<Dvrgtfw>("dvrgtfw", "decentralized Frank-Wolfe with variance-reduced, tracked gradients",
                                std::move(keys));
}

}  // namespace slidemesh
