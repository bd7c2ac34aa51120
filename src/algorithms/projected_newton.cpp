#include "slidemesh/algorithms/projected_newton.h"

#include <algorithm>
#include <limits>

#include "slidemesh/algorithms/local_model.h"
#include "slidemesh/linalg/kernels.h"

namespace slidemesh {

namespace {

constexpr double kArmijo = 1e-4;
constexpr double kProximal = 1e-10;  ///< of the columns' curvatures: makes the model positive definite where H is not
constexpr double kForcing = 0.01;    ///< a model is solved to this share of F's Wolfe gap, and better as that falls
constexpr double kLeastShare = 1e-8;
constexpr double kNone = std::numeric_limits<double>::max();  ///< no point was kept yet; finite, for checkpoints

}  // namespace

ProjectedNewton::ProjectedNewton(const FeasibleSet& set, SumLayout layout, const Vector& start)
    : layout_(layout),
      set_(set.clone()),
      local_step_(make_local_step(set)),
      model_(layout),
      x_(start),
      kept_(start),
      g_(Vector::Zero(layout.d)),
      kept_value_(kNone),
      first_gap_(kNone) {}

bool ProjectedNewton::take(const Vector& mean) {
  if (mean(0) > kept_value_ + kArmijo * (dot(g_, x_) - dot(g_, kept_))) {
    x_ = 0.5 * (x_ + kept_);
    return false;
  }
  kept_ = x_;
  kept_value_ = mean(0);
  g_ = mean.segment(1, layout_.d);
  model_.read(mean);
  minimize_model();
  return true;
}

/// x = argmin over X of <g, x − kept> + (x − kept)'(H + diag(ε))(x − kept)/2.
void ProjectedNewton::minimize_model() {
  Vector vertex(layout_.d);
  set_->linear_minimizer(g_, vertex);
  const double gap = dot(g_, kept_) - dot(g_, vertex);  // Frank and Wolfe's
  first_gap_ = first_gap_ == kNone ? gap : first_gap_;
  const double share = std::max(kLeastShare, kForcing * std::min(1.0, first_gap_ > 0.0 ? gap / first_gap_ : 1.0));
  const Vector epsilon = Vector::NullaryExpr(layout_.d, [&](Index j) { return kProximal * model_.scale(j) + 1e-300; });
  Vector b(layout_.d);
  model_.multiply(kept_, b);
  b = g_ - b - epsilon.cwiseProduct(kept_);
  local_step_->set_quadratic(epsilon);
  const InnerResult result = local_step_->solve(model_, b, share * gap, x_);
  require_finite(result, x_, 0);
  linear_oracle_calls_ = result.linear_oracle_calls + 1;
}

void ProjectedNewton::visit_state(StateVisitor& visitor) {
  visitor.visit("x", x_);
  visitor.visit("kept", kept_);
  visitor.visit("kept_gradient", g_);
  visitor.visit("kept_value", kept_value_);
  visitor.visit("first_gap", first_gap_);
  local_step_->visit_state(visitor);
}

void summarize_rows(const LocalObjective& objective, double mu, SumLayout layout, ConstVectorRef x,
                    const std::function<void(const LocalObjective::TouchVisit&)>& touch, VectorRef out) {
  LocalModel model(objective, mu);
  touch([&](const TouchedRows& rows) { model.touch(rows, false); });
  model.finish_touch();
  write_model(model, x, layout, out);
}

}  // namespace slidemesh
