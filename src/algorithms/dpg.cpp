// DPG: decentralized projected gradient.
//
// A. Nedić, A. Ozdaglar and P. A. Parrilo, "Constrained consensus and optimization in multi-agent
// networks", IEEE Transactions on Automatic Control 55(4), 2010, with one set for all nodes.
//
//   paper       here        what it is
//   x_i(k)      theta_      a node's iterate, θ_t
//   v_i(k)      mixed_      Σ_j a_ij x_j(k), where the gradient is taken
//   d_i(k)      gradient_   the gradient of f_i there
//   A = [a_ij]  w_          doubly stochastic weights, W
//   α_k         alpha       step / sqrt(t), or the same at every step
//
// With a constant step the nodes settle around, not at, the optimum: each is pulled back to its own
// data as hard as the mixing pulls them together. With α / sqrt(t) they keep on closing in, slowly.
//
// The theorem leaves α to the user. With 10/(L~ + mu) a step is no shorter than gradient descent's own for the first
// hundred, and a projection onto a bounded set cuts off those that are too long; docs/compare.md shows other choices.

#include "slidemesh/algorithms/dpg.h"

#include <cmath>

#include "slidemesh/base/fail.h"
#include "slidemesh/base/text.h"
#include "slidemesh/linalg/no_allocation.h"

namespace slidemesh {

namespace {
constexpr double kFirstStep = 10.0;  ///< of 1/(L~ + mu): α/sqrt(t) falls to 1/(L~ + mu) after a hundred steps
}  // namespace

double step_size(const Problem& problem, const ProjectedOptions& options) {
  const double step = options.step.value_or(1.0 / (problem.smoothness + problem.mu));
  require<UsageError>(step > 0.0 && std::isfinite(step), "method.step", "a positive number", text::shortest(step));
  return step;
}

Dpg::Dpg(const Problem& problem, Network& network, const ProjectedOptions& options)
    : BaselineMethod("dpg", problem, network, options.outer_steps, {}),
      alpha_(step_size(problem, options)),
      decaying_(options.decaying),
      w_(mixing_weights(network.graph(), options.weights, options.laplacian_lambda_max)),
      theta_(start()) {
  require_projection();
  alpha_ *= decaying_ && !options.step ? kFirstStep : 1.0;
  uses_smoothness_ = !options.step;
  mixed_ = gradient_ = zero();
}

void Dpg::step() {
  const auto t = static_cast<double>(++t_);
  const double alpha = decaying_ ? alpha_ / std::sqrt(t) : alpha_;
  network_.mix(w_, theta_, mixed_);
  gradient(mixed_, gradient_);
  const NoAllocationScope no_allocation;
  theta_ = mixed_ - alpha * gradient_;
  project(theta_);  // θ_{t+1} = P_X(W θ_t − α_t ∇f(W θ_t))
}

void Dpg::visit_state(StateVisitor& visitor) {
  visitor.visit("t", t_);
  visitor.visit("theta", theta_);
  visit_sets(visitor);
}

}  // namespace slidemesh
