// OPAPC: optimal proximal alternating predictor-corrector, for smooth and strongly convex functions without a set.
//
// D. Kovalev, A. Salim and P. Richtárik, "Optimal and practical algorithms for smooth and strongly convex decentralized
// optimization", NeurIPS 2020, Algorithm 2 with the Chebyshev gossip of its section 5.3 and the step sizes of
// Theorem 3.
//
//   paper       here         what it is
//   x, x_f, x_g x_, x_f_, x_g_
//   y           y_           the multipliers; their sum over the nodes is zero
//   P           gossip()     a polynomial of Lap whose positive eigenvalues lie in [1 − 1/a_T, 1 + 1/a_T]
//   T           rounds_      floor(sqrt(χ)), χ = λ_max/λ_2: the polynomial's degree, and rounds per step
//   η, θ, α, τ  the same     1/(4τL), 1/(η λ_max(P)), μ, min(1, sqrt(κ_P/κ)/2),  κ = L/μ
//
// The rate is linear, with O(sqrt(κ) log 1/ε) gradients and O(sqrt(κχ) log 1/ε) rounds: no method can do better.
//
// It knows no set. It may be used where X is larger than the iterates care for, and stops with an error where they
// leave.

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "baseline_keys.h"
#include "registry_kinds.h"
#include "slidemesh/base/fail.h"

namespace slidemesh {

namespace {

class Opapc final : public BaselineMethod {
 public:
  using Options = BaselineOptions;

  Opapc(const Problem& problem, Network& network, const Options& options)
      : BaselineMethod("opapc", problem, network, options.outer_steps, {}), alpha_(problem.mu), x_(start()) {
    require<UsageError>(problem.mu > 0.0, "opapc", "a strongly convex problem, mu > 0", "mu = 0");
    find_polynomial(options);
    const double most = 1.0 + 1.0 / scale_;  // λ_max(P)
    const double condition = most / (1.0 - 1.0 / scale_);
    const double L = use_smoothness();
    tau_ = std::min(1.0, 0.5 * std::sqrt(condition * problem.mu / L));
    eta_ = 1.0 / (4.0 * tau_ * L);
    theta_ = 1.0 / (eta_ * most);
    x_f_ = x_;
    y_ = x_g_ = gradient_ = forward_ = exchanged_ = before_ = now_ = zero();
  }

  void step() override {
    ++t_;
    x_g_ = tau_ * x_ + (1.0 - tau_) * x_f_;  // x_g = τ x + (1 − τ) x_f
    gradient(x_g_, gradient_);
    forward_ = x_ - eta_ * (gradient_ - alpha_ * x_g_);
    now_ = (forward_ - eta_ * y_) / (1.0 + eta_ * alpha_);  // x½ = (x − η(∇f(x_g) − α x_g + y))/(1 + ηα)
    gossip(now_);
    y_ += theta_ * now_;  // y⁺ = y + θ P x½
    x_f_ = x_g_ - 2.0 * tau_ / (2.0 - tau_) * x_;
    x_ = (forward_ - eta_ * y_) / (1.0 + eta_ * alpha_);  // x⁺ = (x − η(∇f(x_g) − α x_g + y⁺))/(1 + ηα)
    x_f_ += 2.0 * tau_ / (2.0 - tau_) * x_;               // x_f⁺ = x_g + 2τ/(2 − τ) (x⁺ − x)
    require_inside();
  }
  [[nodiscard]] const Stacked& output() override { return x_; }
  void visit_state(StateVisitor& visitor) override { visit_steps(visitor, {{"x", &x_}, {"x_f", &x_f_}, {"y", &y_}}); }

 private:
  /// Of degree floor(sqrt(χ)), 1 − T_T(c₂ (I − c₃ Lap))/T_T(c₂), T_T Chebyshev's; a_T = T_T(c₂) is scale_.
  void find_polynomial(const Options& options) {
    const Graph& graph = network_.graph();
    const auto m = static_cast<double>(graph.nodes());
    const double largest = options.laplacian_lambda_max > 0.0 ? options.laplacian_lambda_max : graph.degree_bound();
    // Where λ_2 is not known: B. Mohar's bound with the largest diameter that m nodes can have.
    const double smallest = options.laplacian_lambda_2 > 0.0 ? options.laplacian_lambda_2 : 4.0 / (m * m);
    // A complete graph has χ = 1, for which c₂ is infinite; any larger χ is a bound as well.
    const double chi = std::max(largest / smallest, 2.0);
    rounds_ = static_cast<int>(std::sqrt(chi));
    c2_ = (chi + 1.0) / (chi - 1.0);
    c3_ = 2.0 * chi / ((chi + 1.0) * largest);
    double last = 1.0;
    scale_ = c2_;
    for (int i = 1; i < rounds_; ++i) {
      last = std::exchange(scale_, 2.0 * c2_ * scale_ - last);
    }
  }

  /// x becomes P x.
  void gossip(Stacked& x) {
    const Stacked first = x;
    before_ = x;
    network_.laplacian(before_, exchanged_);
    x = c2_ * (before_ - c3_ * exchanged_);
    for (int i = 1; i < rounds_; ++i) {
      network_.laplacian(x, exchanged_);
      before_ = 2.0 * c2_ * (x - c3_ * exchanged_) - before_;
      x.swap(before_);
    }
    x = first - x / scale_;
  }

  void require_inside() const {
    for (Index i = 0; i < x_.cols(); ++i) {
      require_finite_point(x_.col(i), network_.global(i));
      if (!set_.contains(x_.col(i))) {
        fail<UsageError>("opapc", "a set that holds all iterates, since it knows none",
                         fmt::format("node {} outside the {} after step {}", network_.global(i), set_.name(), t_));
      }
    }
  }

  double alpha_, tau_ = 0.0, eta_ = 0.0, theta_ = 0.0;
  double c2_ = 0.0, c3_ = 0.0, scale_ = 1.0;
  int rounds_ = 1;
  Stacked x_, x_f_, x_g_, y_, gradient_, forward_, exchanged_, before_, now_;
};

}  // namespace

MethodKind opapc_kind() {
  return baseline_kind<Opapc>("opapc", "optimal without a set: accelerated, with Chebyshev gossip; needs mu > 0", {});
}

}  // namespace slidemesh
