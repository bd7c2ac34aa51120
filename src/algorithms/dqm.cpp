// DQM: decentralized ADMM with second-order local problems.
//
// A. Mokhtari, W. Shi, Q. Ling and A. Ribeiro, "DQM: decentralized quadratically approximated alternating direction
// method of multipliers", IEEE Transactions on Signal Processing 64(19), 2016, Algorithm 1.
//
//   paper   here      what it is
//   x_k     x_        the iterate
//   φ_k     phi_      the multipliers
//   c       c_        the penalty of an edge; edge_penalty() of baseline_keys.h unless set
//   ∇²f_i   models_   with the gradient: f_i's second-order polynomial at x_k, from one pass over the node's rows
//
// Departure: X. The paper's step x_i − (2c deg_i I + ∇²f_i)⁻¹(∇f_i + φ_i + c (Lap x)_i) minimizes a quadratic over the
// whole space; here it is minimized over X, or the node's own X_i (local_step.h), to a share of its Wolfe gap.

#include <numeric>

#include "baseline_keys.h"
#include "registry_kinds.h"
#include "slidemesh/algorithms/local_model.h"
#include "slidemesh/algorithms/local_step.h"
#include "slidemesh/core/metered_set.h"
#include "slidemesh/linalg/kernels.h"
#include "slidemesh/linalg/parallel.h"

namespace slidemesh {

namespace {

constexpr double kShare = 1e-3;   ///< of the Wolfe gap where a local problem begins
constexpr double kLeast = 1e-14;  ///< of the first of those gaps

struct DqmOptions : BaselineOptions {
  std::optional<double> c;
  std::int64_t curvature_memory = kCurvatureMemory;
};

class Dqm final : public BaselineMethod {
 public:
  using Options = DqmOptions;

  Dqm(const Problem& problem, Network& network, const Options& options)
      : BaselineMethod("dqm", problem, network, options.outer_steps, {}, Sets::kOwn),
        c_(options.c.value_or(0.0)),
        x_(start()) {
    require_rows();
    require_room_for_curvatures(options.curvature_memory);
    c_ = c_ > 0.0 ? c_ : edge_penalty(use_smoothness(), problem.mu, network.graph());
    phi_ = lap_ = b_ = zero();
    first_gap_ = Vector::Zero(network.local_nodes());
    for (Index i = 0; i < network.local_nodes(); ++i) {
      const auto& objective = *problem.objectives[static_cast<std::size_t>(i)];
      models_.emplace_back(objective, problem.mu, ModelCurvature::kTaylor);
      steps_.push_back(make_local_step(MeteredSet(problem.set(i), network.meters(), i)));
      rows_.emplace_back(static_cast<std::size_t>(objective.rows()));
      std::iota(rows_.back().begin(), rows_.back().end(), Index{0});
    }
  }

  void step() override {
    ++t_;
    for_each_node(x_.cols(), 1e6, [&](Index i) { solve_local_problem(i); });
    network_.laplacian(x_, lap_);
    phi_ += c_ * lap_;  // φ_{k+1} = φ_k + c Lap x_{k+1}
  }
  [[nodiscard]] const Stacked& output() override { return x_; }
  void visit_state(StateVisitor& visitor) override {
    visitor.each_node(models_.size(), [&](std::size_t i) {
      models_[i].visit_state(visitor);
      steps_[i]->visit_state(visitor);
      visitor.visit("first_gap", first_gap_(static_cast<Index>(i)));
    });
    visit_steps(visitor, {{"x", &x_}, {"phi", &phi_}, {"laplacian", &lap_}});
  }

 private:
  /// x_i = argmin over X of M_i(x) + <φ_i + c (Lap x)_i, x> + c deg_i |x − x_i|²,  M_i the polynomial at x_i.
  void solve_local_problem(Index i) {
    const auto n = static_cast<std::size_t>(i);
    const double strength = 2.0 * c_ * static_cast<double>(network_.graph().degree(network_.global(i)));
    LocalModel& model = models_[n];
    data_.touch(i, x_.col(i), rows_[n], [&](const TouchedRows& rows) { model.touch(rows, t_ > 1); });
    model.finish_touch();
    const Vector linear = phi_.col(i) + c_ * lap_.col(i);
    Vector g(x_.rows());
    Vector vertex(x_.rows());
    model.gradient(x_.col(i), g);
    g += linear;
    require_finite_point(g, network_.global(i));
    node_set(i).linear_minimizer(g, vertex);
    const double gap = dot(g, x_.col(i)) - dot(g, vertex);
    first_gap_(i) = t_ == 1 ? gap : first_gap_(i);
    b_.col(i) = model.linear() + linear - strength * x_.col(i);
    steps_[n]->set_quadratic(Vector::Constant(x_.rows(), strength));
    const double tolerance = std::max(kShare * gap, kLeast * first_gap_(i));
    const InnerResult result = steps_[n]->solve(model, b_.col(i), tolerance, x_.col(i));
    require_finite(result, x_.col(i), network_.global(i));
  }

  double c_;
  std::vector<LocalModel> models_;
  std::vector<std::unique_ptr<LocalStep>> steps_;
  std::vector<std::vector<Index>> rows_;
  Vector first_gap_;
  Stacked x_, phi_, lap_, b_;
};

}  // namespace

MethodKind dqm_kind() {
  Keys<DqmOptions> keys;
  keys.number_or("c", &DqmOptions::c, "auto", kEdgePenalty);
  return baseline_kind<Dqm>("dqm", "consensus ADMM with second-order local problems: one pass and one round per step",
                            curvature_keys(std::move(keys)));
}

}  // namespace slidemesh
