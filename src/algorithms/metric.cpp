#include "slidemesh/algorithms/metric.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "slidemesh/base/fail.h"
#include "slidemesh/linalg/kernels.h"

namespace slidemesh {

namespace {

constexpr double kSmallest = 1e-140;  ///< of curvatures that something is divided by
/// Of a column's mean square: its variance is taken to be that at least. Below it the difference of the two is
/// rounding.
constexpr double kLeastVariance = 1e-10;

/// 1/n, where n rows of equal weight have these sums (L. Kish's effective number).
double share_of_a_row(double weight, double squared_weight) {
  return std::clamp(squared_weight / (weight * weight), kLeastVariance, 1.0);
}

}  // namespace

Metric::Metric(Index dimension)
    : diagonal_(Vector::Ones(dimension)), tilt_(Vector::Zero(dimension)), block_(dimension) {}

Metric::Metric(const Vector& curvature, const Vector& tilt, const Vector& weight, const Vector& squared_weight)
    : diagonal_(curvature), tilt_(Vector::Zero(curvature.size())), block_(curvature.size() / weight.size()) {
  double smallest = std::numeric_limits<double>::infinity();
  for (const double one : curvature) {
    smallest = one > kSmallest ? std::min(smallest, one) : smallest;
  }
  for (Index j = 0; j < curvature.size(); ++j) {
    if (!(curvature(j) > kSmallest)) {
      diagonal_(j) = std::isfinite(smallest) ? smallest : 1.0;
      continue;
    }
    const double sum = weight(j / block_);
    if (sum > kSmallest) {
      tilt_(j) = tilt(j) / std::sqrt(sum);
      const double least = share_of_a_row(sum, squared_weight(j / block_)) * curvature(j);
      diagonal_(j) = std::max(curvature(j) - tilt_(j) * tilt_(j), least);
    }
  }
}

void Metric::multiply(ConstVectorRef v, VectorRef out) const {
  out = diagonal_.cwiseProduct(v);
  add_tilt(1.0, v, out);
}

void Metric::add_tilt(double strength, ConstVectorRef v, VectorRef out) const {
  for (Index first = 0; first < tilt_.size(); first += block_) {
    const double along = strength * dot(tilt_.segment(first, block_), v.segment(first, block_));
    axpy(along, tilt_.data() + first, out.data() + first, block_);
  }
}

void Metric::visit_state(StateVisitor& visitor) {
  visitor.visit("metric", diagonal_);
  visitor.visit("metric_tilt", tilt_);
  if (visitor.is_reading() && (!(diagonal_.minCoeff() > 0.0) || tilt_.size() != diagonal_.size())) {
    fail<DataError>("checkpoint", "the metric of a slide", "numbers that none can have");
  }
}

void TiltedQuadratic::multiply(ConstVectorRef v, VectorRef out) const {
  model_.multiply(v, out);
  metric_.add_tilt(strength_, v, out);
}

double TiltedQuadratic::diagonal(Index j) const {
  return model_.diagonal(j) + strength_ * metric_.tilt()(j) * metric_.tilt()(j);
}

}  // namespace slidemesh
