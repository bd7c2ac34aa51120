// PG-EXTRA: a proximal gradient method for decentralized composite optimization.
//
// W. Shi, Q. Ling, G. Wu and W. Yin, IEEE Transactions on Signal Processing 63(22), 2015, Algorithm 1,
// with the indicator of X_i as node i's nonsmooth part, so that its proximal step is the projection on it: nodes may
// have sets of their own.
//
//   paper       here                  what it is
//   xᵏ          x_                    the iterate
//   xᵏ⁺¹ᐟ²      half_                 before the projection
//   W xᵏ        mixed_                this step's exchange; last_mixed_ is the step before's
//   W̃           (I + W)/2             applied to xᵏ⁻¹ from what is already at hand
//
// Departure: W is the lazy (I + W')/2 of the named weights W'. The paper asks for
// α < 2 λ_min(W̃)/L, and no node knows λ_min; with lazy weights λ_min(W̃) ≥ 1/2 on every graph, so
// that every α < 1/L will do, 1/(L~ + mu) among them.

#include "baseline_keys.h"
#include "registry_kinds.h"
#include "slidemesh/linalg/no_allocation.h"

namespace slidemesh {

namespace {

class PgExtra final : public GossipGradient {
 public:
  PgExtra(const Problem& problem, Network& network, const Options& options)
      : GossipGradient("pg-extra", problem, network, options, Sets::kOwn) {
    w_ = lazy(std::move(w_));
    half_ = last_x_ = last_mixed_ = last_gradient_ = zero();
  }

  void step() override {
    ++t_;
    network_.mix(w_, x_, mixed_);
    gradient(x_, gradient_);
    const NoAllocationScope no_allocation;
    if (t_ == 1) {
      half_ = mixed_ - alpha_ * gradient_;  // x¹ᐟ² = W x⁰ − α∇f(x⁰)
    } else {
      // xᵏ⁺¹ᐟ² = W xᵏ + xᵏ⁻¹ᐟ² − W̃ xᵏ⁻¹ − α(∇f(xᵏ) − ∇f(xᵏ⁻¹))
      half_ += mixed_ - 0.5 * (last_x_ + last_mixed_) - alpha_ * (gradient_ - last_gradient_);
    }
    last_x_ = x_;
    last_mixed_.swap(mixed_);
    last_gradient_.swap(gradient_);
    x_ = half_;
    project(x_);  // xᵏ⁺¹ = P_X(xᵏ⁺¹ᐟ²)
  }
  void visit_state(StateVisitor& visitor) override {
    visit_steps(visitor, {{"x", &x_},
                          {"half", &half_},
                          {"last_x", &last_x_},
                          {"last_mixed", &last_mixed_},
                          {"last_gradient", &last_gradient_}});
  }

 private:
  Stacked half_, last_x_, last_mixed_, last_gradient_;
};

}  // namespace

MethodKind pg_extra_kind() {
  return baseline_kind<PgExtra>("pg-extra",
                                "PG-EXTRA: projected gradient, corrected so that a constant step reaches the optimum",
                                step_keys(weighted_keys<BaselineOptions>()));
}

}  // namespace slidemesh
