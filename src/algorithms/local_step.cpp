#include "slidemesh/algorithms/local_step.h"

#include "slidemesh/algorithms/ball_step.h"
#include "slidemesh/algorithms/box_step.h"
#include "slidemesh/algorithms/hull_step.h"
#include "slidemesh/algorithms/projected_step.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/linalg/kernels.h"

namespace slidemesh {

namespace {

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

constexpr double kShare = 0.25;  ///< σ as a share of D

/// The local step for sets of matrices, whose projection is a decomposition, and models whose H is diagonal: not a
/// minimum but one projection, with a multiplier p of its own for x'Hx/2 that is kept from step to step. Alone it comes
/// to the minimum if it is asked often enough. Rounds of the primal-dual hybrid gradient method need not wait for that:
/// p is one more of their multipliers.
class SplitStep final : public LocalStep {
 public:
  explicit SplitStep(const FeasibleSet& set)
      : set_(set.clone()),
        diameter_(set.diameter()),
        diagonal_(Vector::Ones(set.dimension())),
        next_(set.dimension()),
        Hn_(set.dimension()) {}

  void set_quadratic(const Vector& weights) override { diagonal_ = weights; }
  /// One projection from x, which is where `b` has its proximal term; the Wolfe gap is a bound and may exceed
  /// `tolerance`.
  InnerResult solve(const Quadratic& model, ConstVectorRef b, double /*tolerance*/, VectorRef x) override {
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

  void visit_state(StateVisitor& visitor) override {
    visitor.visit("step_diagonal", diagonal_);
    visitor.visit("step_multiplier", p_);
    const bool fits = diagonal_.size() == next_.size() && (p_.size() == 0 || p_.size() == next_.size()) &&
                      diagonal_.minCoeff() >= 0.0 && p_.allFinite();
    require<DataError>(!visitor.is_reading() || fits, "checkpoint", "the curvature and multipliers of a local step",
                       "none");
    set_->visit_state(visitor);
  }

 private:
  std::unique_ptr<FeasibleSet> set_;
  double diameter_;
  Vector diagonal_;   ///< of Q, beyond H
  Vector p_;          ///< comes to H x; empty before the first step
  Vector next_, Hn_;  ///< x⁺, and H x⁺
};

}  // namespace

bool steps_may_be_tilted(const FeasibleSet& set) {
  if (!set.is_curved()) {
    return true;
  }
  const std::optional<BoxAndBall> shape = set.box_and_ball();
  return shape && BallStep::has_room_for(*shape);
}

std::unique_ptr<LocalStep> make_local_step(const FeasibleSet& set) {
  const std::optional<BoxAndBall> shape = set.box_and_ball();
  if (shape && shape->in_ball.empty()) {
    return std::make_unique<BoxStep>(*shape);
  }
  if (shape && BallStep::has_room_for(*shape)) {
    return std::make_unique<BallStep>(set, *shape);
  }
  if (set.is_curved() && set.projection_kind() != ProjectionKind::kNone) {
    return std::make_unique<ProjectedStep>(set);
  }
  return std::make_unique<HullStep>(set);
}

bool projections_are_most_of_the_work(const FeasibleSet& set, bool is_diagonal) {
  return is_diagonal && set.is_curved() && set.matrix_columns() > 1 && set.projection_kind() != ProjectionKind::kNone;
}

std::unique_ptr<LocalStep> make_round_step(const FeasibleSet& set, bool is_diagonal) {
  if (projections_are_most_of_the_work(set, is_diagonal)) {
    return std::make_unique<SplitStep>(set);
  }
  return make_local_step(set);
}

}  // namespace slidemesh
