#include "slidemesh/algorithms/metric.h"

#include <algorithm>
#include <array>
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

constexpr Index kPart = 128;  ///< numbers that are worked on at once, on the stack

/// body(first, count) for the parts of first .. last.
template <class Body>
void for_each_part(Index first, Index last, Body&& body) {
  for (; first < last; first += kPart) {
    body(first, std::min(kPart, last - first));
  }
}

/// v'(diag(d) + uu')v, blockwise, with v_j = v(j).
template <class V>
double squared_of(const Vector& d, const Vector& u, Index block, V v) {
  double sum = 0.0;
  for (Index begin = 0; begin < d.size(); begin += block) {
    double along = 0.0;
    for_each_part(begin, begin + block, [&](Index first, Index count) {
      std::array<double, kPart> part;
      std::array<double, kPart> scaled;
      for (Index j = 0; j < count; ++j) {
        part.data()[j] = v(first + j);
        scaled.data()[j] = d.data()[first + j] * part.data()[j];
      }
      sum += dot(scaled.data(), part.data(), count);
      along += dot(u.data() + first, part.data(), count);
    });
    sum += along * along;
  }
  return sum;
}

/// 1/n, where n rows of equal weight have these sums (L. Kish's effective number).
double share_of_a_row(double weight, double squared_weight) {
  return std::clamp(squared_weight / (weight * weight), kLeastVariance, 1.0);
}

}  // namespace

Metric::Metric(Index dimension)
    : diagonal_(Vector::Ones(dimension)), tilt_(Vector::Zero(dimension)), block_(dimension) {
  prepare_inverse();
}

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
  prepare_inverse();
}

void Metric::keep_above(const Vector& variances) {
  diagonal_ = diagonal_.cwiseMax(variances);
  prepare_inverse();
}

/// (diag(d) + uu')^{-1} = diag(1/d) - (u/d)(u/d)'/(1 + u'(u/d)).
void Metric::prepare_inverse() {
  inverse_ = diagonal_.cwiseInverse();
  inverse_tilt_ = tilt_.cwiseProduct(inverse_);
  tilted_.setOnes(diagonal_.size() / block_);
  for (Index k = 0; k < tilted_.size(); ++k) {
    tilted_(k) += dot(tilt_.segment(k * block_, block_), inverse_tilt_.segment(k * block_, block_));
  }
}

double Metric::squared(const double* v) const {
  return squared_of(diagonal_, tilt_, block_, [v](Index j) { return v[j]; });
}

double Metric::squared_distance(const double* a, const double* b) const {
  return squared_of(diagonal_, tilt_, block_, [a, b](Index j) { return a[j] - b[j]; });
}

template <class A, class B>
double Metric::inverse_product_of(A a, B b) const {
  double sum = 0.0;
  for (Index k = 0; k < tilted_.size(); ++k) {
    double along_a = 0.0;
    double along_b = 0.0;
    for_each_part(k * block_, (k + 1) * block_, [&](Index first, Index count) {
      std::array<double, kPart> part_a;
      std::array<double, kPart> part_b;
      std::array<double, kPart> scaled;
      for (Index j = 0; j < count; ++j) {
        part_a.data()[j] = a(first + j);
        part_b.data()[j] = b(first + j);
        scaled.data()[j] = inverse_.data()[first + j] * part_a.data()[j];
      }
      sum += dot(scaled.data(), part_b.data(), count);
      along_a += dot(inverse_tilt_.data() + first, part_a.data(), count);
      along_b += dot(inverse_tilt_.data() + first, part_b.data(), count);
    });
    sum -= along_a * along_b / tilted_(k);
  }
  return sum;
}

double Metric::inverse_product(const double* a, const double* b) const {
  return inverse_product_of([a](Index j) { return a[j]; }, [b](Index j) { return b[j]; });
}

double Metric::inverse_product(const double* a, const double* a0, const double* b, const double* b0) const {
  return inverse_product_of([a, a0](Index j) { return a[j] - a0[j]; }, [b, b0](Index j) { return b[j] - b0[j]; });
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

void Metric::add_tilt(double strength, std::span<const Index> rows, Index j, double* out) const {
  const Index first = j / block_ * block_;
  const Index end = first + block_;
  const double along = strength * tilt_(j);
  const double* tilt = tilt_.data();
  for (std::size_t l = 0; l < rows.size(); ++l) {
    out[l] += rows[l] >= first && rows[l] < end ? along * tilt[rows[l]] : 0.0;
  }
}

void Metric::visit_state(StateVisitor& visitor) {
  visitor.visit("metric", diagonal_);
  visitor.visit("metric_tilt", tilt_);
  visitor.visit("metric_block", block_);
  if (!visitor.is_reading()) {
    return;
  }
  const bool fits =
      diagonal_.minCoeff() > 0.0 && tilt_.size() == diagonal_.size() && block_ > 0 && diagonal_.size() % block_ == 0;
  require<DataError>(fits, "checkpoint", "the metric of a slide", "numbers that none can have");
  prepare_inverse();
}

void TiltedQuadratic::multiply(ConstVectorRef v, VectorRef out) const {
  model_.multiply(v, out);
  std::copy_n(out.data(), out.size(), kept_);
  metric_.add_tilt(strength_, v, out);
}

void TiltedQuadratic::add_elements(double s, std::span<const Index> rows, Index j, double* out) const {
  model_.add_elements(s, rows, j, out);
  metric_.add_tilt(s * strength_, rows, j, out);
}

double TiltedQuadratic::diagonal(Index j) const {
  return model_.diagonal(j) + strength_ * metric_.tilt()(j) * metric_.tilt()(j);
}

}  // namespace slidemesh
