// NIDS: a decentralized proximal gradient method with network-independent step sizes.
//
// Z. Li, W. Shi and M. Yan, IEEE Transactions on Signal Processing 67(17), 2019, Algorithm 1 with
// equal steps and the indicator of X_i as node i's nonsmooth part: nodes may have sets of their own. Any α < 2/L will
// do, whatever the graph.
//
//   paper   here        what it is
//   xᵏ      x_          the iterate
//   zᵏ      z_          before the projection
//   W̃       w_tilde_    (I + W)/2
//   α       alpha_      1.9/(L~ + mu) unless set: passes fall with α up to there (docs/compare.md)

#include "baseline_keys.h"
#include "registry_kinds.h"
#include "slidemesh/linalg/no_allocation.h"

namespace slidemesh {

namespace {

constexpr double kStepShare = 1.9;  ///< of 1/(L~ + mu); it converges below 2

class Nids final : public GossipGradient {
 public:
  Nids(const Problem& problem, Network& network, const Options& options)
      : GossipGradient("nids", problem, network, options, Sets::kOwn), w_tilde_(lazy(w_)) {
    alpha_ *= options.step ? 1.0 : kStepShare;
    z_ = last_x_ = last_gradient_ = sent_ = zero();
  }

  void step() override {
    ++t_;
    gradient(x_, gradient_);
    if (t_ == 1) {
      z_ = x_ - alpha_ * gradient_;  // z¹ = x⁰ − α∇f(x⁰): nothing to say to a neighbour yet
    } else {
      sent_ = 2.0 * x_ - last_x_ - alpha_ * (gradient_ - last_gradient_);
      network_.mix(w_tilde_, sent_, mixed_);
      z_ += mixed_ - x_;  // zᵏ⁺¹ = zᵏ − xᵏ + W̃(2xᵏ − xᵏ⁻¹ − α(∇f(xᵏ) − ∇f(xᵏ⁻¹)))
    }
    const NoAllocationScope no_allocation;
    last_x_ = x_;
    last_gradient_.swap(gradient_);
    x_ = z_;
    project(x_);  // xᵏ⁺¹ = P_X(zᵏ⁺¹)
  }
  void visit_state(StateVisitor& visitor) override {
    visit_steps(visitor, {{"x", &x_}, {"z", &z_}, {"last_x", &last_x_}, {"last_gradient", &last_gradient_}});
  }

 private:
  MixingWeights w_tilde_;
  Stacked z_, last_x_, last_gradient_, sent_;
};

}  // namespace

MethodKind nids_kind() {
  return baseline_kind<Nids>("nids", "NIDS: as PG-EXTRA, with steps that need not know the network",
                             step_keys(weighted_keys<BaselineOptions>(), "the step size; auto: 1.9 / (L~ + mu)"));
}

}  // namespace slidemesh
