// APM: accelerated gradients with a penalty on disagreement that grows.
//
// H. Li, C. Fang and Z. Lin, "Convergence rates analysis of the quadratic penalty method and its applications to
// decentralized distributed optimization", arXiv 1711.10802, 2017: the accelerated form for generally convex functions,
// one gradient and one round per step, with the indicator of X as the nonsmooth part. F and disagreement fall as 1/k.
// (H. Li, C. Fang, W. Yin and Z. Lin, "Decentralized accelerated gradient methods with increasing penalty parameters",
// IEEE Transactions on Signal Processing 68, 2020, have it too, and solve the penalty by more rounds per step.)
//
//   paper     here        what it is
//   xᵏ, yᵏ    x_, y_      iterate and extrapolation
//   θ_k       theta       θ_0 = 1, (1 − θ_{k+1})/θ_{k+1} = 1/θ_k: 1/(k + 1)
//   β₀/θ_k    penalty     on <y, (I − W)y>/2: it grows with k, so that disagreement goes to zero
//   W         w_          lazy weights, so that I − W has eigenvalues between 0 and 1
//
// Divided by θ_k, the bound of a step telescopes for this θ_k and the penalty β₀/θ_k: (L + β₀/θ_k) θ_k does not grow.
//
// Departure: β₀ is L unless set. The papers' L/sqrt(1 − σ₂(W)) asks for a number that no node knows.

#include "baseline_keys.h"
#include "registry_kinds.h"

namespace slidemesh {

namespace {

struct ApmOptions : BaselineOptions {
  std::optional<double> penalty;
};

class Apm final : public BaselineMethod {
 public:
  using Options = ApmOptions;

  Apm(const Problem& problem, Network& network, const Options& options)
      : BaselineMethod("apm", problem, network, options.outer_steps, {}),
        L_(use_smoothness()),
        beta_(options.penalty.value_or(L_)),
        w_(lazy(mixing_weights(network.graph(), options.weights, options.laplacian_lambda_max))),
        x_(start()),
        last_x_(start()) {
    require_projection();
    y_ = mixed_ = gradient_ = zero();
  }

  void step() override {
    const double before = theta_;
    theta_ = 1.0 / static_cast<double>(++t_);
    y_ = x_ + theta_ * (1.0 - before) / before * (x_ - last_x_);  // yᵏ = xᵏ + θ_k(1 − θ_{k−1})/θ_{k−1} (xᵏ − xᵏ⁻¹)
    gradient(y_, gradient_);
    network_.mix(w_, y_, mixed_);
    const double penalty = beta_ / theta_;
    last_x_.swap(x_);
    x_ = y_ - (gradient_ + penalty * (y_ - mixed_)) / (L_ + penalty);
    project(x_);  // xᵏ⁺¹ = P_X(yᵏ − (∇f(yᵏ) + (β₀/θ_k)(I − W)yᵏ)/(L + β₀/θ_k))
  }
  [[nodiscard]] const Stacked& output() override { return x_; }
  void visit_state(StateVisitor& visitor) override {
    visitor.visit("theta", theta_);
    visit_steps(visitor, {{"x", &x_}, {"last_x", &last_x_}});
  }

 private:
  double L_;
  double beta_;
  MixingWeights w_;
  double theta_ = 1.0;
  Stacked x_, last_x_, y_, mixed_, gradient_;
};

}  // namespace

MethodKind apm_kind() {
  Keys<ApmOptions> keys = weighted_keys<ApmOptions>();
  keys.number_or("penalty", &ApmOptions::penalty, "auto", "β₀, of the penalty β₀/θ_k on disagreement; auto: L~ + mu");
  return baseline_kind<Apm>("apm", "accelerated gradients with a growing penalty on disagreement", std::move(keys));
}

}  // namespace slidemesh
