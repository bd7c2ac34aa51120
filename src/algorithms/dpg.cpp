// DPG: decentralized projected gradient.
//
// A. Nedić, A. Ozdaglar and P. A. Parrilo, "Constrained consensus and optimization in multi-agent
// networks", IEEE Transactions on Automatic Control 55(4), 2010, with one set for all nodes.
//
// With a constant step the nodes settle around, not at, the optimum: each is pulled back to its own
// data as hard as the mixing pulls them together. With α / sqrt(t) they keep on closing in, slowly.

#include "slidemesh/algorithms/dpg.h"

#include <cmath>

#include "slidemesh/base/fail.h"
#include "slidemesh/base/text.h"
#include "slidemesh/linalg/no_allocation.h"

namespace slidemesh {

double step_size(const Problem& problem, const ProjectedOptions& options) {
  const double step = options.step.value_or(1.0 / (problem.smoothness + problem.mu));
  if (!(step > 0.0 && std::isfinite(step))) {
    fail<UsageError>("method.step", "a positive number", text::shortest(step));
  }
  return step;
}

Dpg::Dpg(const Problem& problem, Network& network, const ProjectedOptions& options)
    : BaselineMethod("dpg", problem, network, options.outer_steps, {}),
      alpha_(step_size(problem, options)),
      decaying_(options.decaying),
      w_(mixing_weights(network.graph(), options.weights, options.laplacian_lambda_max)),
      theta_(start()) {
  require_projection();
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
