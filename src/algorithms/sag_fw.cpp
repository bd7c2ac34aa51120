// Stochastic Frank-Wolfe with a table of derivatives, by a centre.
//
// G. Négiar, G. Dresdner, A. Tsai, L. El Ghaoui, F. Locatello, R. Freund and F. Pedregosa, "Stochastic Frank-Wolfe for
// constrained finite-sum minimization", ICML 2020, Algorithm 1.
//
//   paper   here       what it is
//   x_t     x_         the iterate
//   α_t     table_     the last derivative of every row
//   r_t     g_         the gradient that the table makes
//   s_t     vertex_    what the linear oracle answers to it
//
// Departure: every node touches `batch` of its own rows per step, and the centre gets the change of its part of r.

#include "baseline_keys.h"
#include "gradient_table.h"
#include "registry_kinds.h"
#include "slidemesh/algorithms/centralized.h"
#include "slidemesh/linalg/parallel.h"

namespace slidemesh {

namespace {

struct SagFwOptions : BaselineOptions {
  std::optional<Count> batch;
};

class SagFw final : public CentralizedMethod {
 public:
  using Options = SagFwOptions;

  SagFw(const Problem& problem, Network& network, const Options& options)
      : CentralizedMethod("sag-fw", problem, network, options.outer_steps),
        batch_(options.batch),
        own_set_(centre_set()),
        vertex_(problem.dimension()),
        estimate_(zero()) {
    require_rows();
    table_.emplace(data_, options.seed);
  }

  void step() override {
    const auto t = static_cast<double>(t_++);
    for_each_node(estimate_.cols(), gradient_work(batch(0), x_.size()), [&](Index i) {
      table_->touch(i, x_, batch(i), estimate_.col(i));  // α, r: the touched rows' derivatives at x_t
      estimate_.col(i) = table_->mean(i);
    });
    g_ = mean_of(estimate_) + problem_.mu * x_;
    require_finite_point(g_, 0);
    own_set_->linear_minimizer(g_, vertex_);  // s_t
    require_finite_point(vertex_, 0);
    x_ += 2.0 / (t + 2.0) * (vertex_ - x_);  // x_{t+1} = x_t + γ_t (s_t − x_t),  γ_t = 2/(t + 2)
  }
  [[nodiscard]] std::optional<Certificate> certificate() override { return std::nullopt; }
  void visit_state(StateVisitor& visitor) override {
    visitor.visit("t", t_);
    visitor.visit("x", x_);
    table_->visit_state(visitor);
    own_set_->visit_state(visitor);
  }

 private:
  [[nodiscard]] Count next_data_oracle_calls_of(Index i) const override { return batch(i); }
  /// A hundredth of its rows, as in the paper's experiments, unless set.
  [[nodiscard]] Count batch(Index i) const {
    const Count rows = data_.rows(i);
    return std::min<Count>(batch_.value_or(std::max<Count>(1, rows / 100)), rows);
  }

  std::optional<Count> batch_;
  std::unique_ptr<FeasibleSet> own_set_;
  std::optional<GradientTable> table_;
  Vector vertex_;
  Stacked estimate_;
};

}  // namespace

MethodKind sag_fw_kind() {
  Keys<SagFwOptions> keys;
  keys.integer("batch", &SagFwOptions::batch, 1, kMostRows, "rows that a node touches per step")
      .by_default("a hundredth of its rows");
  return baseline_kind<SagFw>("sag-fw", "Frank-Wolfe by a centre, with the last derivative of every row kept",
                              std::move(keys));
}

}  // namespace slidemesh
