// With x the iterate, y ahead of it, t the momentum's clock:
//
//   x⁺ = P(y − φ'(y)/L)                    L such that (x⁺ − y)'Q(x⁺ − y) <= L|x⁺ − y|²
//   y⁺ = x⁺ + (t − 1)/t⁺ (x⁺ − x)          t⁺ = (1 + sqrt(1 + 4t²))/2; from t = 1 again where <y − x⁺, x⁺ − x> > 0
//
// Since x⁺ is a projection, <φ'(y) + L(x⁺ − y), x⁺ − v> <= 0 for every v in X, so that the Wolfe gap at x⁺ is at most
// |(L − Q)(x⁺ − y)| times the diameter of X: a bound that needs no oracle. The oracle is asked now and then only.

#include "slidemesh/algorithms/projected_step.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "slidemesh/base/fail.h"
#include "slidemesh/base/interruption.h"
#include "slidemesh/linalg/kernels.h"

namespace slidemesh {

namespace {

constexpr Count kAskEvery = 8;
constexpr double kRounding = 1e-15;
constexpr double kSlack = 1.0 + 1e-12;  ///< so that rounding does not double L

}  // namespace

ProjectedStep::ProjectedStep(const FeasibleSet& set)
    : set_(set.clone()), diameter_(set.diameter()), diagonal_(Vector::Ones(set.dimension())) {
  for (Vector* one : {&y_, &Qy_, &x_, &Qx_, &next_, &Qn_, &g_, &v_}) {
    one->resize(set.dimension());
  }
}

void ProjectedStep::set_quadratic(const Vector& weights) {
  diagonal_ = weights;
  L_ = 0.0;
}

InnerResult ProjectedStep::solve(const Quadratic& model, ConstVectorRef b, double tolerance, Count most_iterations,
                                 VectorRef x) {
  InnerResult result;
  if (L_ == 0.0) {
    for (Index j = 0; j < diagonal_.size(); ++j) {
      L_ = std::max(L_, model.diagonal(j) + diagonal_(j));  // at most the largest eigenvalue: descend() mends it
    }
  }
  x_ = y_ = x;
  multiply(model, x_, Qx_);
  Qy_ = Qx_;
  double t = 1.0;
  result.wolfe_gap = std::numeric_limits<double>::infinity();
  iterations_ = 0;
  while (iterations_ < most_iterations && result.wolfe_gap > tolerance && !(iterations_ > 0 && interruption_is_due())) {
    ++iterations_;
    descend(model, b);
    v_ = L_ * (next_ - y_) - (Qn_ - Qy_);
    result.wolfe_gap = norm(v_) * diameter_;
    if (result.wolfe_gap > tolerance && iterations_ % kAskEvery == 0) {
      result.wolfe_gap = wolfe_gap(b, next_, Qn_, result);
    }
    if (dot(y_ - next_, next_ - x_) > 0.0) {
      t = 1.0;
    }
    const double after = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * t * t));
    const double momentum = (t - 1.0) / after;
    t = after;
    y_ = next_ + momentum * (next_ - x_);
    Qy_ = Qn_ + momentum * (Qn_ - Qx_);
    x_.swap(next_);
    Qx_.swap(Qn_);
  }
  x = x_;
  return result;
}

void ProjectedStep::visit_state(StateVisitor& visitor) {
  visitor.visit("step_curvature", L_);
  visitor.visit("step_diagonal", diagonal_);
  const bool fits = L_ >= 0.0 && diagonal_.size() == y_.size() && diagonal_.minCoeff() >= 0.0;
  require<DataError>(!visitor.is_reading() || fits, "checkpoint", "the curvature of a local step", "none");
  set_->visit_state(visitor);
}

void ProjectedStep::multiply(const Quadratic& model, ConstVectorRef v, VectorRef out) const {
  model.multiply(v, out);
  out += diagonal_.cwiseProduct(v);
}

/// next_ = P(y - (Qy + b)/L) for the least L tried that bends at least as much as Q does from y to there.
void ProjectedStep::descend(const Quadratic& model, ConstVectorRef b) {
  while (true) {
    next_ = y_ - (Qy_ + b) / L_;
    set_->project(next_, next_);
    multiply(model, next_, Qn_);
    g_ = next_ - y_;
    const double squared = dot(g_, g_);
    if (!(dot(g_, Qn_ - Qy_) > kSlack * L_ * squared) || !std::isfinite(L_)) {
      return;
    }
    L_ *= 2.0;
  }
}

double ProjectedStep::wolfe_gap(ConstVectorRef b, ConstVectorRef x, ConstVectorRef Qx, InnerResult& result) {
  g_ = Qx + b;
  set_->linear_minimizer(g_, v_);
  ++result.linear_oracle_calls;
  const double gap = dot(g_, x) - dot(g_, v_);
  const double rounding = kRounding * (std::abs(dot(g_, x)) + norm(g_) * norm(v_));
  return gap > rounding ? gap : 0.0;
}

}  // namespace slidemesh
