// DeFW: the consensus-based decentralized Frank-Wolfe algorithm.
//
// H.-T. Wai, J. Lafond, A. Scaglione and E. Moulines, "Decentralized Frank-Wolfe algorithm for convex
// and nonconvex problems", IEEE Transactions on Automatic Control 62(11), 2017, Algorithm 1 with the
// gossip-based average consensus of its section III.
//
//   paper      here            what it is
//   θ_t, θ̄_t   theta_          a node's iterate, then its neighbourhood's mean, where the gradient is taken
//   ∇f_i(θ̄_t)  last_gradient_  the local gradient there, of the step before
//   ∇̄_t F      tracked_        the tracked estimate of the mean gradient
//   a_t        exchanged_      what the linear oracle answers to it
//   γ_t        gamma           2/(t + 1)
//   W          w_              mixing weights; applied mixing_rounds times to either of θ and the gradient
//
// A node keeps three columns, its gradient only where that is not zero: with many entries of matrices or sparse rows
// that is what memory goes to.
//
// `tracking = false` mixes fresh gradients alone: then a node sees its neighbourhood's gradient and
// not the network's, and the iterates stop short of the optimum wherever data differ over the nodes.

#include "slidemesh/algorithms/defw.h"

#include <cmath>
#include <string>

#include "slidemesh/base/fail.h"
#include "slidemesh/linalg/parallel.h"

namespace slidemesh {

int defw_mixing_rounds(const std::optional<int>& rounds, Count t) {
  return rounds.value_or(static_cast<int>(std::ceil(std::log(static_cast<double>(t)) + 1.0)));
}

Defw::Defw(const Problem& problem, Network& network, const DefwOptions& options)
    : BaselineMethod("defw", problem, network, options.outer_steps, {options.batch, options.cap_batches, options.seed}),
      mixing_rounds_(options.mixing_rounds),
      tracking_(options.tracking),
      w_(mixing_weights(network.graph(), options.weights, options.laplacian_lambda_max)),
      theta_(start()) {
  if (mixing_rounds_ && *mixing_rounds_ < 1) {
    fail<UsageError>("method.mixing_rounds", "at least 1", std::to_string(*mixing_rounds_));
  }
  tracked_ = exchanged_ = zero();
  last_gradient_.resize(static_cast<std::size_t>(network.local_nodes()), CompactVector(zero().col(0)));
}

void Defw::step() {
  const auto t = static_cast<double>(++t_);
  mix(theta_);                   // θ̄_t = W θ_t, in its place
  gradient(theta_, exchanged_);  // ∇f(θ̄_t): the only touch of the data
  track(exchanged_);
  mix(tracked_);  // G_t = W (G_{t−1} + ∇f(θ̄_t) − ∇f(θ̄_{t−1})),  G_0 = ∇f(θ̄_0) = 0
  linear_minimizers(tracked_, exchanged_);  // a = argmin over X of <G_t, v>
  const double gamma = 2.0 / (t + 1.0);
  for_each_node(theta_.cols(), 2.0 * static_cast<double>(theta_.rows()), [&](Index i) {
    theta_.col(i) = (1.0 - gamma) * theta_.col(i) + gamma * exchanged_.col(i);  // θ_{t+1} = (1 − γ_t) θ̄_t + γ_t a
  });
}

/// Columns of `fresh`, the gradients at θ̄_t, are used up.
void Defw::track(Stacked& fresh) {
  if (!tracking_) {
    tracked_.swap(fresh);
    return;
  }
  for_each_node(fresh.cols(), 4.0 * static_cast<double>(fresh.rows()), [&](Index i) {
    CompactVector& last = last_gradient_[static_cast<std::size_t>(i)];
    const CompactVector now(fresh.col(i));
    last.add_to(-1.0, fresh.col(i).data());
    tracked_.col(i) += fresh.col(i);
    last = now;
  });
}

void Defw::mix(Stacked& x) {
  const int rounds = defw_mixing_rounds(mixing_rounds_, t_);
  for (int round = 0; round < rounds; ++round) {
    network_.mix(w_, x, exchanged_);
    x.swap(exchanged_);
  }
}

void Defw::visit_state(StateVisitor& visitor) {
  visitor.visit("t", t_);
  visitor.visit("theta", theta_);
  visitor.visit("tracked", tracked_);
  for (std::size_t i = 0; i < last_gradient_.size(); ++i) {
    Matrix gradient(theta_.rows(), 1);
    last_gradient_[i].expand(gradient.col(0));
    visitor.node(static_cast<Index>(i));
    visitor.visit("last_gradient", gradient);
    last_gradient_[i].assign(gradient.col(0));
  }
  visitor.all_nodes();
  visit_sets(visitor);
}

}  // namespace slidemesh
