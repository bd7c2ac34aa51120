// The minimum of  x'Hx/2 + x'Dx/2 + <b, x>  over X takes as many projections as H and D ask for that differ: where a
// node has seen a few entries of a matrix, H is large there and D, a share of the network's mean, small everywhere.
// With p in place of Hx that is a saddle point, x'Hx/2 = max over p of <p, x> - p'H⁻¹p/2, and one step of the
// primal-dual hybrid gradient method (A. Chambolle, T. Pock 2011) for it is
//
//   x⁺ = P(x − (p + Dx + b)/L)                        L = max D + σ
//   p⁺ = H(p + σ(2x⁺ − x))/(H + σ)                    entry by entry; 0 where H is 0
//
// Within rounds of the same method over the network, D = diag(c) ω sqrt(λmax) is what the exchange's own multipliers
// ask for, and L >= D + σ makes both sets of multipliers one saddle point: x, and all of them together, converge with a
// single projection a round.
//
// σ as a share of D: the modes of p are damped by σ/(D + σ)/2 per round at least, and all others are slowed down by
// (D + σ)/D. At a quarter p needs 10 rounds for a factor of e, far less than disagreement takes to cross a graph.
//
// Since x⁺ is a projection, the Wolfe gap at x⁺ is at most |Hx⁺ − p − (L − D)(x⁺ − x)| times the diameter of X.

#include "slidemesh/algorithms/split_step.h"

#include "slidemesh/base/errors.h"
#include "slidemesh/linalg/kernels.h"

namespace slidemesh {

namespace {

constexpr double kShare = 0.25;  ///< σ as a share of D

}  // namespace

SplitStep::SplitStep(const FeasibleSet& set)
    : set_(set.clone()),
      diameter_(set.diameter()),
      diagonal_(Vector::Ones(set.dimension())),
      next_(set.dimension()),
      Hn_(set.dimension()) {}

void SplitStep::set_quadratic(const Vector& weights) { diagonal_ = weights; }

InnerResult SplitStep::solve(const Quadratic& model, ConstVectorRef b, double /*tolerance*/, VectorRef x) {
  if (p_.size() == 0) {
    p_.resize(x.size());
    model.multiply(x, p_);
  }
  const double weight = diagonal_.maxCoeff();
  const double sigma = kShare * weight;
  const double L = weight + sigma;
  next_ = x - (p_ + diagonal_.cwiseProduct(x) + b) / L;
  set_->project(next_, next_);
  model.multiply(next_, Hn_);
  Hn_ -= p_ + (L - diagonal_.array()).matrix().cwiseProduct(next_ - x);
  for (Index j = 0; j < x.size(); ++j) {
    const double H = model.diagonal(j);
    p_(j) = H * (p_(j) + sigma * (2.0 * next_(j) - x(j))) / (H + sigma);
  }
  x = next_;
  InnerResult result;
  result.wolfe_gap = norm(Hn_) * diameter_;
  return result;
}

void SplitStep::visit_state(StateVisitor& visitor) {
  visitor.visit("step_diagonal", diagonal_);
  visitor.visit("step_multiplier", p_);
  const bool fits = diagonal_.size() == next_.size() && (p_.size() == 0 || p_.size() == next_.size());
  if (visitor.is_reading() && (!fits || !(diagonal_.minCoeff() >= 0.0) || !p_.allFinite())) {
    throw DataError("checkpoint: expected the curvature and multipliers of a local step, got none");
  }
  set_->visit_state(visitor);
}

}  // namespace slidemesh
