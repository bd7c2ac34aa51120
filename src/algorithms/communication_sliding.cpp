// Decentralized communication sliding, and its stochastic form.
//
// G. Lan, S. Lee and Y. Zhou, "Communication-efficient algorithms for decentralized and stochastic optimization",
// Mathematical Programming 180, 2020 (arXiv 1701.03961, 2017), Algorithms 2 (DCS) and 3 (SDCS) with the step sizes of
// their theorems for mu = 0 and V(x, u) = |x − u|²/2.
//
//   paper     here          what it is
//   xᵏ, x̂ᵏ    x_, x_hat_    the last and the mean of the inner iterates
//   x̃ᵏ        x_tilde_      x^{k−1} + (x̂^{k−1} − x^{k−2})
//   yᵏ, wᵏ    y_, w_        the multipliers, and w = Lap y
//   η, τ      eta_, tau_    2|Lap| s and |Lap|/s; `scale` s is 1 in the paper, and L/(3|Lap|) here unless set
//   T         inner_steps   gradients between two exchanges
//   uᵗ        u             P_X of a mixture of x^{k−1}, u^{t−1} and the gradient;  β_t = t/2,  λ_t = t + 1
//
// Departures: s. The theorem's bound holds for every s; |Lap| knows nothing of the unit in which f is measured. With
// s = L/(3|Lap|) the first inner step, 1/(η(1 + β₁)), is 1/L: longer ones may diverge. Output of DCS is x̂ᴺ, which is
// nearer by far than the mean which the theorems are about (`output = "average"`). SDCS, whose gradients are noisy, has
// the mean, and s = L/|Lap|.

#include "communication_sliding.h"

#include "registry_kinds.h"

namespace slidemesh {

namespace {
constexpr double kSafeShare = 1.0 / 3.0;  ///< of L/|Lap|
}  // namespace

CommunicationSliding::CommunicationSliding(std::string_view name, const Problem& problem, Network& network,
                                           const Options& options)
    : BaselineMethod(name, problem, network, options.outer_steps, {options.batch, true, options.seed}),
      L_(use_smoothness()),
      x_(start()),
      x_hat_(start()),
      last_x_(start()),
      last_(options.last) {
  gradients_per_step_ = options.inner_steps;
  const double norm =
      options.laplacian_lambda_max > 0.0 ? options.laplacian_lambda_max : network.graph().degree_bound();
  const double share = options.batch ? 1.0 : kSafeShare;
  const double scale = options.scale.value_or(L_ > 0.0 ? share * L_ / norm : 1.0);
  eta_ = 2.0 * norm * scale;
  tau_ = norm / scale;
  average_ = start();
  w_ = gradient_ = x_tilde_ = y_ = exchanged_ = zero();
}

void CommunicationSliding::step() {
  ++t_;
  x_tilde_ = x_ + (x_hat_ - last_x_);  // x̃ᵏ = x^{k−1} + α_k (x̂^{k−1} − x^{k−2}),  α_k = 1
  network_.laplacian(x_tilde_, exchanged_);
  y_ += exchanged_ / tau_;     // yᵏ = y^{k−1} + Lap x̃ᵏ/τ
  network_.laplacian(y_, w_);  // wᵏ = Lap yᵏ
  last_x_ = x_;
  solve_local_problems();
  average_ += (x_hat_ - average_) / static_cast<double>(t_);
}

void CommunicationSliding::visit_state(StateVisitor& visitor) {
  visit_steps(visitor, {{"x", &x_}, {"x_hat", &x_hat_}, {"last_x", &last_x_}, {"y", &y_}, {"average", &average_}});
}

Keys<CommunicationSlidingOptions> communication_sliding_keys() {
  Keys<CommunicationSlidingOptions> keys;
  keys.integer("inner_steps", &CommunicationSlidingOptions::inner_steps, 1, kMostSteps,
               "T, gradients between two exchanges")
      .number_or("scale", &CommunicationSlidingOptions::scale, "auto",
                 "s of the step sizes 2|Lap| s and |Lap|/s; auto: (L~ + mu)/(3|Lap|)");
  return output_keys(std::move(keys));
}

namespace {

class Dcs final : public CommunicationSliding {
 public:
  Dcs(std::string_view name, const Problem& problem, Network& network, const Options& options)
      : CommunicationSliding(name, problem, network, options) {
    require_projection();
  }

 private:
  /// The CS procedure.
  void solve_local_problems() override {
    const Stacked x = x_;
    double weight = 0.0;
    for (int t = 1; t <= gradients_per_step_; ++t) {
      const double beta = t / 2.0;
      const double lambda = t + 1.0;
      gradient(x_, gradient_, t - 1);  // h^{t−1} = ∇f(u^{t−1}), or of a few rows
      // uᵗ = argmin over X of <w + h^{t−1}, u> + η/2 |u − x|² + ηβ_t/2 |u − u^{t−1}|²
      x_ = (x + beta * x_ - (w_ + gradient_) / eta_) / (1.0 + beta);
      project(x_);
      weight += lambda;
      x_hat_ = t == 1 ? x_ : Stacked(x_hat_ + lambda / weight * (x_ - x_hat_));  // ûᵗ = Σ λ_s uˢ / Σ λ_s
    }
  }
};

template <bool kSampled>
std::unique_ptr<Method> make_dcs(const CommunicationSlidingOptions& keys, const MethodContext& context) {
  CommunicationSlidingOptions o = keys;
  o.laplacian_lambda_max = context.lambda_max;
  o.seed = context.seed;
  return std::make_unique<Dcs>(kSampled ? "sdcs" : "dcs", context.problem, context.network, o);
}

struct SdcsKeys : CommunicationSlidingOptions {
  SdcsKeys() {
    inner_steps = 50;
    batch = 1;
    last = false;
  }
};

}  // namespace

MethodKind dcs_kind() {
  return method_kind<CommunicationSlidingOptions>(
      "dcs", "decentralized communication sliding: two rounds, then some gradient steps without any",
      communication_sliding_keys(), nullptr, make_dcs<false>);
}

MethodKind sdcs_kind() {
  Keys<SdcsKeys> keys;
  keys.integer("inner_steps", &SdcsKeys::inner_steps, 1, kMostSteps, "T, gradients between two exchanges")
      .integer("batch", &SdcsKeys::batch, 1, kMostRows, "rows that a node draws for each of them")
      .number_or("scale", &SdcsKeys::scale, "auto", "s of the step sizes 2|Lap| s and |Lap|/s; auto: (L~ + mu)/|Lap|");
  return method_kind<SdcsKeys>("sdcs", "stochastic communication sliding: as dcs, with gradients of a few drawn rows",
                               output_keys(std::move(keys)), nullptr,
                               [](const SdcsKeys& options, const MethodContext& context) -> std::unique_ptr<Method> {
                                 return make_dcs<true>(options, context);
                               });
}

}  // namespace slidemesh
