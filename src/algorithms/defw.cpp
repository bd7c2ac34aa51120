// DeFW: the consensus-based decentralized Frank-Wolfe algorithm.
//
// H.-T. Wai, J. Lafond, A. Scaglione and E. Moulines, "Decentralized Frank-Wolfe algorithm for convex
// and nonconvex problems", IEEE Transactions on Automatic Control 62(11), 2017, Algorithm 1 with the
// gossip-based average consensus of its section III.
//
//   paper      here            what it is
//   θ_t        theta_          a node's iterate
//   θ̄_t        theta_bar_      its neighbourhood's mean, where the gradient is taken
//   ∇f_i(θ̄_t)  gradient_       the local gradient there; last_gradient_ is the step before's
//   ∇̄_t F      tracked_        the tracked estimate of the mean gradient
//   a_t        vertex_         what the linear oracle answers to it
//   γ_t        gamma           2/(t + 1)
//   W          w_              mixing weights; applied mixing_rounds times to either of θ and the gradient
//
// `tracking = false` mixes fresh gradients alone: then a node sees its neighbourhood's gradient and
// not the network's, and the iterates stop short of the optimum wherever data differ over the nodes.

#include "slidemesh/algorithms/defw.h"

#include <cmath>
#include <string>

#include "slidemesh/base/fail.h"

namespace slidemesh {

Defw::Defw(const Problem& problem, Network& network, const DefwOptions& options)
    : BaselineMethod("defw", problem, network, options.outer_steps, {options.batch, options.cap_batches, options.seed}),
      mixing_rounds_(options.mixing_rounds),
      tracking_(options.tracking),
      w_(mixing_weights(network.graph(), options.weights, options.laplacian_lambda_max)),
      theta_(start()) {
  if (mixing_rounds_ && *mixing_rounds_ < 1) {
    fail<UsageError>("method.mixing_rounds", "at least 1", std::to_string(*mixing_rounds_));
  }
  theta_bar_ = tracked_ = gradient_ = last_gradient_ = vertex_ = exchanged_ = zero();
}

void Defw::step() {
  const auto t = static_cast<double>(++t_);
  theta_bar_ = theta_;
  mix(theta_bar_);                  // θ̄_t = W θ_t
  gradient(theta_bar_, gradient_);  // ∇f(θ̄_t): the only touch of the data
  if (tracking_) {
    tracked_ += gradient_ - last_gradient_;  // G_t = W (G_{t−1} + ∇f(θ̄_t) − ∇f(θ̄_{t−1})),  G_0 = ∇f(θ̄_0) = 0
    last_gradient_ = gradient_;
  } else {
    tracked_ = gradient_;
  }
  mix(tracked_);
  linear_minimizers(tracked_, vertex_);  // a = argmin over X of <G_t, v>
  const double gamma = 2.0 / (t + 1.0);
  theta_ = (1.0 - gamma) * theta_bar_ + gamma * vertex_;  // θ_{t+1} = (1 − γ_t) θ̄_t + γ_t a
}

void Defw::mix(Stacked& x) {
  const int rounds = mixing_rounds_.value_or(static_cast<int>(std::ceil(std::log(static_cast<double>(t_)) + 1.0)));
  for (int round = 0; round < rounds; ++round) {
    network_.mix(w_, x, exchanged_);
    x.swap(exchanged_);
  }
}

void Defw::visit_state(StateVisitor& visitor) {
  visitor.visit("t", t_);
  visitor.visit("theta", theta_);
  visitor.visit("tracked", tracked_);
  visitor.visit("last_gradient", last_gradient_);
  visit_sets(visitor);
}

}  // namespace slidemesh
