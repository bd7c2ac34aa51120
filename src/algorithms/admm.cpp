// Consensus ADMM without a centre, and its linearized form.
//
// dadmm: W. Shi, Q. Ling, K. Yuan, G. Wu and W. Yin, "On the linear convergence of the ADMM in decentralized consensus
//   optimization", IEEE Transactions on Signal Processing 62(7), 2014, Algorithm 1, with X inside the local problems.
// dlm: Q. Ling, W. Shi, G. Wu and A. Ribeiro, "DLM: decentralized linearized alternating direction method of
//   multipliers", IEEE Transactions on Signal Processing 63(15), 2015; with X as in T.-H. Chang, M. Hong and X. Wang,
//   "Multi-agent distributed optimization via inexact consensus ADMM", the same journal, 63(2), 2015.
//
//   paper    here     what it is
//   xᵏ       x_       the iterate
//   φᵏ       phi_     the multipliers, φ = c Lap (x¹ + ... + xᵏ)
//   c        c_       the penalty of an edge; edge_penalty() of baseline_keys.h unless set
//   ρ        rho_     of dlm: the strength that stands for the curvature of f
//
// X is a part of node i's own function and may be an X_i of its own. Both do, with (Lap x)_i from the one round of the
// step before (0 in the first; multipliers may begin anywhere in the range of Lap),
//
//   x_i⁺ = argmin over X of f_i(x) [dlm: <∇f_i(x_i), x> + ρ/2 |x − x_i|²] + <φ_i + c (Lap x)_i, x> + c deg_i |x − x_i|²
//   φ⁺ = φ + c Lap x⁺
//
// Departure: dadmm solves its local problem by `inner_steps` accelerated projected gradient steps from x_i, each of
// them a pass over the node's rows, and not exactly. From one step to the next the problems hardly change, and a fixed
// point is the optimum whatever the number.

#include <cmath>

#include "baseline_keys.h"
#include "registry_kinds.h"

namespace slidemesh {

namespace {

struct AdmmOptions : BaselineOptions {
  std::optional<double> c;
  int inner_steps = 5;
};

class Admm final : public BaselineMethod {
 public:
  using Options = AdmmOptions;

  Admm(std::string_view name, const Problem& problem, Network& network, const Options& options, int inner_steps)
      : BaselineMethod(name, problem, network, options.outer_steps, {}, Sets::kOwn),
        L_(use_smoothness()),
        rho_(options.step ? 1.0 / *options.step : L_),
        c_(options.c.value_or(edge_penalty(L_, problem.mu, network.graph()))),
        x_(start()) {
    require_projection();
    gradients_per_step_ = std::max(inner_steps, 1);
    linearized_ = inner_steps == 0;
    phi_ = lap_ = y_ = last_ = linear_ = gradient_ = zero();
    two_c_degree_ = Vector::NullaryExpr(network.local_nodes(), [&](Index i) {
      return 2.0 * c_ * static_cast<double>(network.graph().degree(network.global(i)));
    });
  }

  void step() override {
    ++t_;
    linear_ = phi_ + c_ * lap_;  // φ + c Lap x
    if (linearized_) {
      gradient(x_, gradient_);
      for (Index i = 0; i < x_.cols(); ++i) {
        x_.col(i) -= (gradient_.col(i) + linear_.col(i)) / (rho_ + two_c_degree_(i));
      }
      project(x_);
    } else {
      solve_local_problems();
    }
    network_.laplacian(x_, lap_);
    phi_ += c_ * lap_;  // φ⁺ = φ + c Lap x⁺
  }
  [[nodiscard]] const Stacked& output() override { return x_; }
  void visit_state(StateVisitor& visitor) override {
    visit_steps(visitor, {{"x", &x_}, {"phi", &phi_}, {"laplacian", &lap_}});
  }

 private:
  /// Nesterov's method for f_i(x) + <linear_i, x> + c deg_i |x − xᵏ_i|², which is between `weak` and `strong` curved.
  void solve_local_problems() {
    const Stacked centre = x_;
    y_ = x_;
    for (int s = 0; s < gradients_per_step_; ++s) {
      gradient(y_, gradient_, s);
      last_ = x_;
      for (Index i = 0; i < x_.cols(); ++i) {
        const double strong = L_ + two_c_degree_(i);
        x_.col(i) =
            y_.col(i) - (gradient_.col(i) + linear_.col(i) + two_c_degree_(i) * (y_.col(i) - centre.col(i))) / strong;
      }
      project(x_);
      for (Index i = 0; i < x_.cols(); ++i) {
        const double weak = problem_.mu + two_c_degree_(i);
        const double q = std::sqrt(weak / (L_ + two_c_degree_(i)));
        y_.col(i) = x_.col(i) + (1.0 - q) / (1.0 + q) * (x_.col(i) - last_.col(i));
      }
    }
  }

  double L_;
  double rho_;
  double c_;
  bool linearized_ = false;
  Vector two_c_degree_;
  Stacked x_, phi_, lap_, y_, last_, linear_, gradient_;
};

Keys<AdmmOptions> admm_keys() {
  Keys<AdmmOptions> keys;
  keys.number_or("c", &AdmmOptions::c, "auto", kEdgePenalty);
  return keys;
}

}  // namespace

MethodKind dadmm_kind() {
  Keys<AdmmOptions> keys = admm_keys();
  keys.integer("inner_steps", &AdmmOptions::inner_steps, 1, kMostSteps, "passes that a node spends on its own problem");
  return method_kind<AdmmOptions>(
      "dadmm", "consensus ADMM: local problems by some passes each, one round per step", std::move(keys), nullptr,
      [](const AdmmOptions& o, const MethodContext& context) -> std::unique_ptr<Method> {
        return std::make_unique<Admm>("dadmm", context.problem, context.network, o, o.inner_steps);
      });
}

MethodKind dlm_kind() {
  return method_kind<AdmmOptions>("dlm", "linearized consensus ADMM: one pass, one projection and one round per step",
                                  step_keys(admm_keys(), "1/ρ, ρ the strength for f's curvature; auto: 1 / (L~ + mu)"),
                                  nullptr,
                                  [](const AdmmOptions& o, const MethodContext& context) -> std::unique_ptr<Method> {
                                    return std::make_unique<Admm>("dlm", context.problem, context.network, o, 0);
                                  });
}

}  // namespace slidemesh
