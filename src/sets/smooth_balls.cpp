#include "slidemesh/sets/smooth_balls.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "checks.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/base/text.h"
#include "slidemesh/linalg/decompositions.h"
#include "slidemesh/linalg/kernels.h"

namespace slidemesh {
namespace {

using detail::sum_over;

constexpr double kUlp = std::numeric_limits<double>::epsilon();
constexpr int kNewtonSteps = 100;

double largest_of(ConstVectorRef x) { return std::abs(x[largest_magnitude(x.data(), x.size())]); }

void require_symmetric(const Matrix& shape) {
  constexpr double kRounding = 1e-12;
  const double most = kRounding * shape.cwiseAbs().maxCoeff();
  for (Index i = 0; i < shape.rows(); ++i) {
    for (Index j = 0; j < i; ++j) {
      if (!(std::abs(shape(i, j) - shape(j, i)) <= most)) {
        fail<UsageError>("ellipsoid", "a symmetric shape",
                         fmt::format("{} in row {}, column {} and {} across", text::shortest(shape(i, j)), i, j,
                                     text::shortest(shape(j, i))));
      }
    }
  }
}

}  // namespace

// ---- lp ----------------------------------------------------------------------------------------

LpBall::LpBall(Index dimension, double p, double radius)
    : SetBase(detail::require_dimension(dimension, kName), {0.0, ProjectionKind::kExpensive, true}),
      p_(p),
      radius_(detail::require_positive(radius, kName, "radius")),
      magnitudes_(dimension) {
  require<UsageError>(p > 1.0 && std::isfinite(p), "lp-ball", "1 < p < infinity", text::shortest(p));
  // |x|_2 <= |x|_p for p <= 2, and <= d^(1/2 - 1/p) |x|_p beyond.
  set_diameter(2.0 * radius * (p <= 2.0 ? 1.0 : std::pow(static_cast<double>(dimension), 0.5 - 1.0 / p)));
}

double LpBall::p_norm(ConstVectorRef x) const {
  const double largest = largest_of(x);
  if (largest == 0.0 || !std::isfinite(largest)) {
    return largest;
  }
  const double sum = sum_over(x.size(), [&](Index j) { return std::pow(std::abs(x[j]) / largest, p_); });
  return largest * std::pow(sum, 1.0 / p_);
}

void LpBall::normalize(VectorRef x) const {
  detail::scale_to(
      radius_, [this](ConstVectorRef point) { return p_norm(point); }, x);
}

void LpBall::linear_minimizer(ConstVectorRef g, VectorRef v) {
  const double largest = largest_of(g);
  if (largest == 0.0) {
    v.setZero();
    v[0] = radius_;
    return;
  }
  for (Index j = 0; j < g.size(); ++j) {
    v[j] = -std::copysign(std::pow(std::abs(g[j]) / largest, 1.0 / (p_ - 1.0)), g[j]);
  }
  normalize(v);
}

/// The root y in [0, a] of  y + m y^(p-1) = a. Newton from above on a convex form of it: for p >= 2 in y itself, for
/// p < 2 in s = y^(p-1), where it reads  s^(1/(p-1)) + m s = a.
double LpBall::shrink(double a, double multiplier) const {
  if (a == 0.0 || multiplier == 0.0) {
    return a;
  }
  const bool direct = p_ >= 2.0;
  const double power = direct ? p_ - 1.0 : 1.0 / (p_ - 1.0);
  const double linear = direct ? 1.0 : multiplier;
  const double curved = direct ? multiplier : 1.0;
  double s = std::min(a / linear, std::pow(a / curved, 1.0 / power));
  for (int i = 0; i < kNewtonSteps; ++i) {
    const double lower_power = std::pow(s, power - 1.0);
    const double next = s - (linear * s + curved * lower_power * s - a) / (linear + curved * power * lower_power);
    if (!(next < s * (1.0 - kUlp)) || next <= 0.0) {
      break;
    }
    s = next;
  }
  return direct ? s : std::pow(s, 1.0 / (p_ - 1.0));
}

// y_j = sign(x_j) y(|x_j|, m) with m such that |y|_p is the radius. In units of the radius; |y|_p falls as m grows.
void LpBall::project(ConstVectorRef x, VectorRef nearest) {
  if (p_norm(x) <= radius_) {
    nearest = x;
    return;
  }
  // Beyond this the answer is, to rounding, the point of the sphere that the largest coordinates pick.
  constexpr double kFar = 1e100;
  const double unit = std::max(radius_, largest_of(x) / kFar);
  magnitudes_ = x.cwiseAbs() / unit;
  const double target = radius_ / unit;
  Vector& y = magnitudes_;
  const auto norm_at = [&](double multiplier) {  // compared with 1
    return sum_over(y.size(), [&](Index j) { return std::pow(shrink(y[j], multiplier) / target, p_); });
  };
  double low = 0.0;
  double high = 1.0;
  while (norm_at(high) > 1.0) {
    low = high;
    high *= 4.0;
  }
  for (int i = 0; i < kNewtonSteps && high - low > kUlp * high; ++i) {
    const double middle = low > 0.0 && high > 4.0 * low ? std::sqrt(low * high) : 0.5 * (low + high);
    (norm_at(middle) > 1.0 ? low : high) = middle;
  }
  for (Index j = 0; j < x.size(); ++j) {
    nearest[j] = std::copysign(shrink(y[j], high), x[j]);
  }
  normalize(nearest);
}

double LpBall::violation(ConstVectorRef x) const { return p_norm(x) - radius_; }

// ---- ellipsoid ---------------------------------------------------------------------------------

Ellipsoid::Ellipsoid(Vector center, Vector semi_axes)
    : SetBase(detail::require_dimension(center.size(), kName), {0.0, ProjectionKind::kClosedForm, true}),
      center_(std::move(center)),
      axes_(std::move(semi_axes)),
      z_(center_.size()) {
  detail::require_finite(center_, kName, "center");
  require<UsageError>(axes_.size() == center_.size(), "ellipsoid", fmt::format("{} semi-axes", center_.size()),
                      std::to_string(axes_.size()));
  for (const double axis : axes_) {
    detail::require_positive(axis, kName, "semi-axis");
  }
  set_diameter(2.0 * axes_.maxCoeff());
}

Ellipsoid Ellipsoid::with_shape(Vector center, const Matrix& shape) {
  require<UsageError>(shape.rows() == center.size() && shape.cols() == center.size(), "ellipsoid",
                      fmt::format("a shape of {} x {}", center.size(), center.size()),
                      fmt::format("{} x {}", shape.rows(), shape.cols()));
  require_symmetric(shape);
  const auto [values, vectors] = symmetric_eigen(shape);
  require<UsageError>(values[0] > 0.0, "ellipsoid", "a positive definite shape",
                      fmt::format("a smallest eigenvalue of {}", text::shortest(values[0])));
  Ellipsoid result(std::move(center), values.cwiseSqrt());
  result.directions_ = vectors;
  return result;
}

void Ellipsoid::to_axes(ConstVectorRef x, Vector& z) const {
  if (directions_.size() == 0) {
    z = x;
    return;
  }
  for (Index i = 0; i < z.size(); ++i) {
    z[i] = dot(directions_.col(i), x);
  }
}

void Ellipsoid::from_axes(const Vector& z, VectorRef x) const {
  if (directions_.size() == 0) {
    x = z;
    return;
  }
  x.setZero();
  for (Index i = 0; i < z.size(); ++i) {
    axpy(z[i], directions_.col(i).data(), x.data(), x.size());
  }
}

void Ellipsoid::linear_minimizer(ConstVectorRef g, VectorRef v) {
  const double largest = largest_of(g);
  if (largest == 0.0) {
    z_.setZero();
    z_[0] = axes_[0];
  } else {
    v = -g / largest;
    to_axes(v, z_);
    z_.array() *= axes_.array();
    detail::scale_to(1.0, detail::euclidean_norm, z_);
    z_.array() *= axes_.array();
  }
  from_axes(z_, v);
  v += center_;
}

// In the axes, y_i = a_i^2 z_i / (a_i^2 + m) with m > 0 such that sum (y_i / a_i)^2 = 1. As a function of m the
// left side s(m) is convex and 1/sqrt(s) is nearly linear: Newton on that from m = 0 rises to the root.
void Ellipsoid::project(ConstVectorRef x, VectorRef nearest) {
  nearest = x - center_;
  to_axes(nearest, z_);
  const double unit = std::max(1.0, largest_of(z_));
  const auto square_in_axes = [&](Index i) { return (z_[i] / axes_[i]) * (z_[i] / axes_[i]); };
  if (sum_over(z_.size(), square_in_axes) <= 1.0) {
    nearest += center_;
    return;
  }
  // With z = unit w and m = unit k the sums stay in range however far x is.
  z_ /= unit;
  double k = 0.0;
  for (int step = 0; step < kNewtonSteps; ++step) {
    double sum = 0.0;
    double slope = 0.0;
    for (Index i = 0; i < z_.size(); ++i) {
      const double denominator = axes_[i] * axes_[i] / unit + k;
      const double term = axes_[i] * z_[i] / denominator;
      sum += term * term;
      slope += term * term / denominator;
    }
    const double next = k + (sum / slope) * (std::sqrt(sum) - 1.0);
    if (!(next > k * (1.0 + kUlp))) {
      break;
    }
    k = next;
  }
  double sum = 0.0;
  for (Index i = 0; i < z_.size(); ++i) {
    z_[i] = axes_[i] * z_[i] / (axes_[i] * axes_[i] / unit + k);
    sum += z_[i] * z_[i];
  }
  z_ *= std::min(1.0, 1.0 / std::sqrt(sum));
  z_.array() *= axes_.array();
  from_axes(z_, nearest);
  nearest += center_;
}

double Ellipsoid::violation(ConstVectorRef x) const {
  Vector z(center_.size());
  to_axes(x - center_, z);
  z.array() /= axes_.array();
  return (norm(z) - 1.0) * axes_.minCoeff();
}

}  // namespace slidemesh
