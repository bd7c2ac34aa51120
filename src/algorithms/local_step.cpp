#include "slidemesh/algorithms/local_step.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "slidemesh/algorithms/hull_step.h"
#include "slidemesh/base/errors.h"
#include "slidemesh/base/interruption.h"
#include "slidemesh/linalg/kernels.h"

namespace slidemesh {

namespace {

// With x the iterate, y ahead of it, t the momentum's clock:
//
//   x⁺ = P(y − φ'(y)/L)                    L such that (x⁺ − y)'Q(x⁺ − y) <= L|x⁺ − y|²
//   y⁺ = x⁺ + (t − 1)/t⁺ (x⁺ − x)          t⁺ = (1 + sqrt(1 + 4t²))/2; from t = 1 again where <y − x⁺, x⁺ − x> > 0
//
// Since x⁺ is a projection, <φ'(y) + L(x⁺ − y), x⁺ − v> <= 0 for every v in X, so that the Wolfe gap at x⁺ is at most
// |(L − Q)(x⁺ − y)| times the diameter of X: a bound that needs no oracle. The oracle is asked now and then only.

constexpr Count kMostIterations = 2000;
constexpr Count kAskEvery = 8;
constexpr double kRounding = 1e-15;
constexpr double kSlack = 1.0 + 1e-12;  ///< so that rounding does not double L

/// The local step for sets with a projection: the accelerated projected gradient method (Y. Nesterov 1983; A. Beck,
/// M. Teboulle 2009) that forgets its momentum where it points uphill (B. O'Donoghue, E. Candès 2015), with the
/// curvature along the way in place of a bound on Q's eigenvalues.
class ProjectedStep final : public LocalStep {
 public:
  explicit ProjectedStep(const FeasibleSet& set)
      : set_(set.clone()), diameter_(set.diameter()), diagonal_(Vector::Ones(set.dimension())) {
    for (Vector* one : {&y_, &Qy_, &x_, &Qx_, &next_, &Qn_, &g_, &v_}) {
      one->resize(set.dimension());
    }
  }

  void set_quadratic(const Vector& weights) override {
    diagonal_ = weights;
    L_ = 0.0;
  }

  InnerResult solve(const Quadratic& model, ConstVectorRef b, double tolerance, VectorRef x) override {
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
    for (Count k = 1; k <= kMostIterations && result.wolfe_gap > tolerance && !(k > 1 && interruption_is_due()); ++k) {
      descend(model, b);
      v_ = L_ * (next_ - y_) - (Qn_ - Qy_);
      result.wolfe_gap = norm(v_) * diameter_;
      if (result.wolfe_gap > tolerance && k % kAskEvery == 0) {
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

  void visit_state(StateVisitor& visitor) override {
    visitor.visit("step_curvature", L_);
    visitor.visit("step_diagonal", diagonal_);
    if (visitor.is_reading() && (!(L_ >= 0.0) || diagonal_.size() != y_.size() || !(diagonal_.minCoeff() >= 0.0))) {
      throw DataError("checkpoint: expected the curvature of a local step, got none");
    }
    set_->visit_state(visitor);
  }

 private:
  void multiply(const Quadratic& model, ConstVectorRef v, VectorRef out) const {
    model.multiply(v, out);
    out += diagonal_.cwiseProduct(v);
  }

  /// next_ = P(y - (Qy + b)/L) for the least L tried that bends at least as much as Q does from y to there.
  void descend(const Quadratic& model, ConstVectorRef b) {
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

  [[nodiscard]] double wolfe_gap(ConstVectorRef b, ConstVectorRef x, ConstVectorRef Qx, InnerResult& result) {
    g_ = Qx + b;
    set_->linear_minimizer(g_, v_);
    ++result.linear_oracle_calls;
    const double gap = dot(g_, x) - dot(g_, v_);
    const double rounding = kRounding * (std::abs(dot(g_, x)) + norm(g_) * norm(v_));
    return gap > rounding ? gap : 0.0;
  }

  std::unique_ptr<FeasibleSet> set_;
  double diameter_;
  Vector diagonal_;   ///< of Q, beyond H
  double L_ = 0.0;    ///< 0: not known for this Q
  Vector y_, Qy_;     ///< where the gradient is taken
  Vector x_, Qx_;     ///< the iterate
  Vector next_, Qn_;  ///< the one after it
  Vector g_, v_;
};

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
    const bool fits = diagonal_.size() == next_.size() && (p_.size() == 0 || p_.size() == next_.size());
    if (visitor.is_reading() && (!fits || !(diagonal_.minCoeff() >= 0.0) || !p_.allFinite())) {
      throw DataError("checkpoint: expected the curvature and multipliers of a local step, got none");
    }
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

std::unique_ptr<LocalStep> make_local_step(const FeasibleSet& set) {
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
