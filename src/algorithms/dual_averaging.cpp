// Dual averaging over a network.
//
// J. C. Duchi, A. Agarwal and M. J. Wainwright, "Dual averaging for distributed optimization: convergence analysis and
// network scaling", IEEE Transactions on Automatic Control 57(3), 2012, equations (5) and (6) with ψ(x) = |x − x₀|²/2.
//
//   paper     here       what it is
//   z_i(t)    z_         the mixed sum of all gradients so far
//   P         w_         doubly stochastic weights
//   α(t)      alpha      step / sqrt(t); step is 10/(L~ + mu) unless set
//   x_i(t)    x_         the point nearest to x₀ − α(t) z_i(t)
//   x̂_i(t)    average_   the mean of x_i(1) .. x_i(t), which the theorem is about: O(1/sqrt(t)) times a
//                        factor of the spectral gap
//
// Departure: the theorem's α(t) = R sqrt(1 − σ₂(P))/(4 G sqrt(t)) has bounds in it, R of |x* − x₀| and G of gradients,
// that no node knows, and that are pessimistic where they are known (docs/compare.md shows other choices). X is
// bounded, so that a step too long at first is cut off by the projection.

#include <cmath>

#include "baseline_keys.h"
#include "registry_kinds.h"

namespace slidemesh {

namespace {

constexpr double kFirstStep = 10.0;  ///< of 1/(L~ + mu): α(t) falls to 1/(L~ + mu) after a hundred steps

class DualAveraging final : public GossipGradient {
 public:
  DualAveraging(const Problem& problem, Network& network, const Options& options)
      : GossipGradient("dual-averaging", problem, network, options),
        z_(zero()),
        average_(start()),
        last_(options.last) {
    alpha_ *= options.step ? 1.0 : kFirstStep;
  }

  void step() override {
    const auto t = static_cast<double>(++t_);
    gradient(x_, gradient_);
    network_.mix(w_, z_, mixed_);
    z_ = mixed_ + gradient_;  // z_i(t+1) = Σ_j p_ij z_j(t) + g_i(t)
    const double alpha = alpha_ / std::sqrt(t);
    x_ = start() - alpha * z_;
    project(x_);                      // x_i(t+1) = argmin over X of <z_i(t+1), x> + ψ(x)/α(t)
    average_ += (x_ - average_) / t;  // x̂_i
  }
  [[nodiscard]] const Stacked& output() override { return last_ ? x_ : average_; }
  void visit_state(StateVisitor& visitor) override {
    visit_steps(visitor, {{"x", &x_}, {"z", &z_}, {"average", &average_}});
  }

 private:
  Stacked z_, average_;
  bool last_;
};

}  // namespace

MethodKind dual_averaging_kind() {
  return baseline_kind<DualAveraging>("dual-averaging",
                                      "dual averaging: sums of gradients are mixed, and one projection per step",
                                      output_keys(step_keys(weighted_keys<BaselineOptions>(),
                                                            "the step size is this / sqrt(t); auto: 10 / (L~ + mu)")));
}

}  // namespace slidemesh
