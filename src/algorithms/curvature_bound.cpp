#include "slidemesh/algorithms/curvature_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "slidemesh/algorithms/local_step.h"
#include "slidemesh/linalg/kernels.h"

namespace slidemesh {

namespace {

constexpr double kTiny = 1e-9;      ///< of the columns' curvatures: makes the parabola's minimum unique
constexpr double kGapShare = 1e-3;  ///< of the tangent's bound, to which the parabola is minimized
constexpr double kLeastShare = 1e-6;

/// max over v in X of <g, x - v>.
double wolfe_gap(FeasibleSet& set, ConstVectorRef g, ConstVectorRef x) {
  Vector v(x.size());
  set.linear_minimizer(g, v);
  return dot(g, x) - dot(g, v);
}

/// What rounding can have done to the model's value at x, where its gradient is g: that is made of x'Hx/2 and <h, x>,
/// which may nearly cancel, and a constant.
double value_rounding(const LocalModel& model, ConstVectorRef x, ConstVectorRef g) {
  constexpr double kRounding = 8.0 * std::numeric_limits<double>::epsilon();
  const double linear = dot(model.linear(), x);
  const double curved = 0.5 * (dot(g, x) - linear);
  return kRounding * (std::abs(curved) + std::abs(linear) + std::abs(model.value(x) - curved - linear));
}

}  // namespace

double least_curvature_share(double R) {
  constexpr double kSmall = 1e-4;  // where the formula cancels: its Taylor series
  return R < kSmall ? 1.0 - R / 3.0 : 2.0 * (std::exp(-R) + R - 1.0) / (R * R);
}

double upper_bound_from_model(const LocalModel& model, ConstVectorRef x, ConstVectorRef y) {
  constexpr double kSmall = 1e-4;  // where the formula cancels: its Taylor series, rounded up
  constexpr double kFar = 100.0;   // where it is of no use
  Vector g(x.size());
  Vector bent(x.size());
  model.gradient(x, g);
  const Vector moved = y - x;
  model.multiply(moved, bent);
  const double squared_row = model.largest_squared_row();
  const double R = model.loss().third_derivative_ratio() * std::sqrt(squared_row) * norm(moved);
  const double flat = 0.5 * (model.largest_curvature() * squared_row + model.mu()) * squared_norm(moved);
  double curved = flat;
  if (R < kSmall) {
    curved = (0.5 + R / 3.0) * dot(moved, bent);
  } else if (R < kFar) {
    curved = (std::exp(R) - R - 1.0) / (R * R) * dot(moved, bent);
  }
  return model.value(x) + value_rounding(model, x, g) + dot(g, moved) + std::min(flat, curved);
}

double lower_bound_from_model(const LocalModel& model, const FeasibleSet& set, ConstVectorRef x, ConstVectorRef w) {
  const Index d = x.size();
  const std::unique_ptr<FeasibleSet> own = set.clone();
  Vector g(d);
  model.gradient(x, g);
  const double here = model.value(x) - value_rounding(model, x, g) + dot(w, x);
  g += w;
  const double tangent = wolfe_gap(*own, g, x);
  const double R = model.loss().third_derivative_ratio() * std::sqrt(model.largest_squared_row()) * set.diameter();
  const double share = std::isfinite(R) ? least_curvature_share(R) : 0.0;
  const bool is_expensive = projections_are_most_of_the_work(set, model.shape() == ModelShape::kDiagonal);
  if (share < kLeastShare || !(tangent > 0.0) || is_expensive) {
    return here - tangent;
  }
  // q(v) = <g, v - x> + share/2 (v - x)'H(v - x) = share (v'H v/2 + <b, v>) + constant
  Vector b(d);
  Vector weights(d);
  model.multiply(x, b);
  b = g / share - b;
  double mean = 0.0;
  for (Index j = 0; j < d; ++j) {
    mean += model.diagonal(j) / static_cast<double>(d);
  }
  for (Index j = 0; j < d; ++j) {
    weights(j) = kTiny * (model.diagonal(j) > 0.0 ? model.diagonal(j) : mean);
  }
  const auto step = make_local_step(set);
  step->set_quadratic(weights);
  Vector v = x;
  step->solve(model, b, kGapShare * tangent / share, v);
  const Vector moved = v - x;
  Vector slope(d);
  model.multiply(moved, slope);
  const double q = dot(g, moved) + 0.5 * share * dot(slope, moved);
  slope = g + share * slope;
  return here + std::max(-tangent, q - wolfe_gap(*own, slope, v));  // min q >= q(v) - max over u of <q'(v), v - u>
}

}  // namespace slidemesh
