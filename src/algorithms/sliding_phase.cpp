#include "slidemesh/algorithms/sliding_phase.h"

#include <algorithm>
#include <cmath>

#include "slidemesh/algorithms/restart.h"
#include "slidemesh/core/state_checks.h"
#include "slidemesh/linalg/kernels.h"

namespace slidemesh {
namespace {

constexpr double kLongestPhase = 1e6;  // steps; restarts come far sooner

}  // namespace

double optimality(const Vector& totals) { return totals(kWolfeGap) + std::abs(totals(kCoupling)); }

SlidingPhase::SlidingPhase(const Problem& problem, Network& network, const Options& options)
    : network_(network),
      mu_(problem.mu),
      balances_r_(!options.R),
      operator_norm_(operator_norm(Gossip::kSqrtLaplacian, options.laplacian_lambda_max)),
      sliding_(problem, network, Gossip::kSqrtLaplacian, options.inner),
      dual_move_(Vector::Zero(problem.dimension())),
      dual_pull_(dual_move_) {
  if (options.R) {
    r_ = *options.R * operator_norm_ / options.smoothness;
  }
  begin_here();
}

Step SlidingPhase::step(Count k, double L) const { return step_after_restart(k, L, r_, operator_norm_, mu_); }

void SlidingPhase::extrapolate(double L) {
  ++k_;
  sliding_.extrapolate(step(k_, L));
}

void SlidingPhase::foresee(Index local, VectorRef x_under) const {
  constexpr double kAnySmoothness = 1.0;  // weights of an extrapolation do not depend on it
  sliding_.extrapolated(step(k_ + 1, kAnySmoothness), local, x_under);
}

void SlidingPhase::slide(double L, const Stacked& v, double tolerance) {
  sliding_.slide(step(k_, L), v, {tolerance});
  sliding_.measure(v);
}

void SlidingPhase::restart(const Vector& totals, double L) {
  if (balances_r_) {
    r_ = balanced_r(r_, totals(kDualMove), totals(kPrimalMove), operator_norm_, L);
  }
  begin_here();
  sliding_.restart_from_mean();
  ++restarts_;
  k_ = 0;
}

void SlidingPhase::go_back(const KeptColumns& x, const KeptDual& dual, Count k) {
  sliding_.restart_from(x, dual);
  begin_here();
  k_ = k;
}

void SlidingPhase::start_with_dual(const Stacked& s) {
  sliding_.start_with_dual(s);
  begin_here();
}

void SlidingPhase::undo() {
  sliding_.restart_from(x_start_, dual_start_);
  k_ = 0;
}

void SlidingPhase::begin_here() {
  x_start_ = sliding_.x_hat();
  dual_start_ = sliding_.dual();
}

void SlidingPhase::contribute(Matrix& contributions) {
  const Dual& dual = sliding_.dual();
  for (Index i = 0; i < contributions.cols(); ++i) {
    dual_move_ = dual.s.col(i);
    dual_start_.s.column(i).add_to(-1.0, dual_move_.data());
    dual_pull_ = dual.w.col(i);
    dual_start_.w.column(i).add_to(-1.0, dual_pull_.data());
    contributions(kWolfeGap, i) = sliding_.wolfe_gap()(i);
    contributions(kCoupling, i) = sliding_.coupling()(i);
    contributions(kDualMove, i) = dot(dual_move_, dual_pull_);
    x_start_.column(i).expand(dual_move_);
    contributions(kPrimalMove, i) = squared_distance(sliding_.x_hat().col(i), dual_move_);
  }
}

double SlidingPhase::measure(const Stacked& v) {
  sliding_.measure(v);
  Matrix contributions(2, v.cols());
  contributions.row(kWolfeGap) = sliding_.wolfe_gap().transpose();
  contributions.row(kCoupling) = sliding_.coupling().transpose();
  return optimality(network_.agree_sum(contributions));
}

void SlidingPhase::visit_state(StateVisitor& visitor) {
  sliding_.visit_state(visitor);
  const double first_r = r_;
  visitor.visit("phase.k", k_);
  visitor.visit("phase.restarts", restarts_);
  visitor.visit("phase.r", r_);
  if (visitor.is_reading()) {  // ⌈r k⌉ inner steps: without a bound a step would not end
    require_within(static_cast<double>(k_), 0.0, kLongestPhase, "steps of a phase");
    require_within(r_, std::min(first_r, kSmallestBalancedR), std::max(first_r, kLargestBalancedR), "r");
  }
  visit_kept(visitor, "phase.x_start", x_start_);
  visit_kept(visitor, "phase.dual_start.s", dual_start_.s);
  visit_kept(visitor, "phase.dual_start.w", dual_start_.w);
}

}  // namespace slidemesh
