#include "slidemesh/sets/norm_balls.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "checks.h"
#include "slidemesh/linalg/kernels.h"
#include "threshold.h"

namespace slidemesh {

// ---- l1 ----------------------------------------------------------------------------------------

L1Ball::L1Ball(Index dimension, double radius)
    : SingleEntrySetBase(detail::require_dimension(dimension, kName), {2.0 * radius, ProjectionKind::kClosedForm}),
      radius_(detail::require_positive(radius, kName, "radius")) {}

SingleEntry L1Ball::single_entry_minimizer(const double* g) {
  const Index j = largest_magnitude(g, dimension());
  return {j, std::copysign(radius_, g[j] > 0.0 ? -1.0 : 1.0)};  // without a branch: from call to call nobody can guess
}

void L1Ball::sparse_minimizer(const SparseView& g, SparseVector& v) {
  const auto count = static_cast<Index>(g.numbers.size());
  const auto k = static_cast<std::size_t>(largest_magnitude(g.numbers.data(), count));
  const bool is_zero = count == 0 || g.numbers[k] == 0.0;
  v.clear();
  v.append(is_zero ? 0 : g.places[k], !is_zero && g.numbers[k] > 0.0 ? -radius_ : radius_);
}

void L1Ball::project(ConstVectorRef x, const double* near, VectorRef nearest) {
  const detail::Magnitudes magnitudes = detail::magnitudes_of(x.data(), x.size());
  if (magnitudes.sum <= radius_) {
    nearest = x;
    return;
  }
  Vector& work = work_.of(x.size());
  detail::Threshold threshold =
      detail::magnitude_threshold(x.data(), x.size(), magnitudes.largest, radius_, near, work.data());
  // x may be `nearest`: then the result is kept apart until its norm, as computed, is within the radius.
  const bool apart = x.data() == nearest.data();
  double* result = apart ? work.data() : nearest.data();
  double nudge = 1.0;
  for (;;) {
    const double excess = detail::shrink_magnitudes(threshold, x.data(), x.size(), result) - radius_;
    if (excess <= 0.0) {
      break;
    }
    threshold.offset += nudge * excess / static_cast<double>(threshold.support);
    nudge *= 2.0;
  }
  if (apart) {
    nearest = work;
  }
}

double L1Ball::violation(ConstVectorRef x) const { return sum_of_magnitudes(x.data(), x.size()) - radius_; }

// ---- weighted l1 -------------------------------------------------------------------------------

WeightedL1Ball::WeightedL1Ball(Vector weights, double radius)
    : SingleEntrySetBase(detail::require_dimension(weights.size(), kName), {0.0, ProjectionKind::kClosedForm}),
      weights_(std::move(weights)),
      radius_(detail::require_positive(radius, kName, "radius")),
      breakpoints_(weights_.size()),
      candidates_(static_cast<std::size_t>(weights_.size())) {
  for (const double weight : weights_) {
    detail::require_positive(weight, kName, "weight");
    set_diameter(std::max(diameter(), 2.0 * radius_ / weight));
  }
}

SingleEntry WeightedL1Ball::single_entry_minimizer(const double* g) {
  Index best = 0;
  double largest = std::abs(g[0]) / weights_[0];
  for (Index j = 1; j < dimension(); ++j) {
    const double magnitude = std::abs(g[j]) / weights_[j];
    if (magnitude > largest) {
      largest = magnitude;
      best = j;
    }
  }
  return {best, g[best] > 0.0 ? -radius_ / weights_[best] : radius_ / weights_[best]};
}

void WeightedL1Ball::sparse_minimizer(const SparseView& g, SparseVector& v) {
  Index best = 0;
  double largest = 0.0;
  double slope = 0.0;
  for (std::size_t k = 0; k < g.places.size(); ++k) {
    const double magnitude = std::abs(g.numbers[k]) / weights_[g.places[k]];
    if (magnitude > largest) {
      largest = magnitude;
      best = g.places[k];
      slope = g.numbers[k];
    }
  }
  v.clear();
  v.append(best, slope > 0.0 ? -radius_ / weights_[best] : radius_ / weights_[best]);
}

double WeightedL1Ball::weighted_norm(ConstVectorRef x) const {
  return detail::sum_over(x.size(), [&](Index j) { return weights_[j] * std::abs(x[j]); });
}

// nearest_j = sign(x_j) max(|x_j| - theta w_j, 0) with theta such that the weighted norm is the radius.
// With z_j = |x_j|/w_j - max, theta = max + offset and offset = (sum_S w^2 z - radius) / sum_S w^2 over
// the support S; values at or below the offset of a superset of S are not in S.
void WeightedL1Ball::project(ConstVectorRef x, VectorRef nearest) {
  if (weighted_norm(x) <= radius_) {
    nearest = x;
    return;
  }
  double largest = 0.0;
  for (Index j = 0; j < x.size(); ++j) {
    breakpoints_[j] = std::abs(x[j]) / weights_[j];
    largest = std::max(largest, breakpoints_[j]);
    candidates_[static_cast<std::size_t>(j)] = j;
  }
  breakpoints_.array() -= largest;
  std::size_t count = candidates_.size();
  double offset = 0.0;
  double squares = 0.0;
  for (;;) {
    double sum = 0.0;
    squares = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
      const Index j = candidates_[i];
      squares += weights_[j] * weights_[j];
      sum += weights_[j] * weights_[j] * breakpoints_[j];
    }
    offset = (sum - radius_) / squares;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const Index j = candidates_[i];
      candidates_[kept] = j;
      kept += breakpoints_[j] > offset ? 1 : 0;
    }
    if (kept == count || kept == 0) {
      break;
    }
    count = kept;
  }
  for (double nudge = 1.0;; nudge *= 2.0) {
    double sum = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
      const Index j = candidates_[i];
      sum += weights_[j] * (weights_[j] * std::max(breakpoints_[j] - offset, 0.0));
    }
    if (sum <= radius_) {
      break;
    }
    offset += nudge * (sum - radius_) / squares;
  }
  for (Index j = 0; j < x.size(); ++j) {
    nearest[j] = std::copysign(weights_[j] * std::max(breakpoints_[j] - offset, 0.0), x[j]);
  }
}

double WeightedL1Ball::violation(ConstVectorRef x) const { return weighted_norm(x) - radius_; }

// ---- l2 ----------------------------------------------------------------------------------------

L2Ball::L2Ball(Index dimension, double radius)
    : SetBase(detail::require_dimension(dimension, kName), {2.0 * radius, ProjectionKind::kClosedForm, true}),
      radius_(detail::require_positive(radius, kName, "radius")) {}

void L2Ball::linear_minimizer(ConstVectorRef g, VectorRef v) {
  const double largest = std::abs(g[largest_magnitude(g.data(), g.size())]);
  if (largest == 0.0) {
    v.setZero();
    v[0] = radius_;
    return;
  }
  v = -g / largest;
  detail::scale_to(radius_, detail::euclidean_norm, v);
}

void L2Ball::project(ConstVectorRef x, VectorRef nearest) {
  if (norm(x) <= radius_) {
    nearest = x;
    return;
  }
  nearest = x / std::abs(x[largest_magnitude(x.data(), x.size())]);
  detail::scale_to(radius_, detail::euclidean_norm, nearest);
}

double L2Ball::violation(ConstVectorRef x) const { return norm(x) - radius_; }

std::optional<BoxAndBall> L2Ball::box_and_ball() const {
  std::vector<Index> all(static_cast<std::size_t>(dimension()));
  std::iota(all.begin(), all.end(), Index{0});
  const Vector origin = Vector::Zero(dimension());
  return BoxAndBall{.in_ball = std::move(all), .centre = origin, .radius = radius_, .lower = origin, .upper = origin};
}

// ---- linf and boxes ----------------------------------------------------------------------------

LinfBall::LinfBall(Index dimension, double radius)
    : SetBase(detail::require_dimension(dimension, kName),
              {2.0 * radius * std::sqrt(static_cast<double>(dimension)), ProjectionKind::kClosedForm}),
      radius_(detail::require_positive(radius, kName, "radius")) {}

void LinfBall::linear_minimizer(ConstVectorRef g, VectorRef v) {
  for (Index j = 0; j < g.size(); ++j) {
    v[j] = g[j] > 0.0 ? -radius_ : radius_;
  }
}

void LinfBall::project(ConstVectorRef x, VectorRef nearest) {
  for (Index j = 0; j < x.size(); ++j) {
    nearest[j] = std::clamp(x[j], -radius_, radius_);
  }
}

double LinfBall::violation(ConstVectorRef x) const {
  return std::abs(x[largest_magnitude(x.data(), x.size())]) - radius_;
}

std::optional<BoxAndBall> LinfBall::box_and_ball() const {
  return BoxAndBall::box(Vector::Constant(dimension(), -radius_), Vector::Constant(dimension(), radius_));
}

Box::Box(Vector lower, Vector upper)
    : SetBase(detail::require_dimension(lower.size(), kName), {0.0, ProjectionKind::kClosedForm}),
      lower_(std::move(lower)),
      upper_(std::move(upper)) {
  detail::require_box(lower_, upper_, kName);
  set_diameter(std::sqrt(squared_distance(lower_, upper_)));
}

void Box::linear_minimizer(ConstVectorRef g, VectorRef v) {
  for (Index j = 0; j < g.size(); ++j) {
    v[j] = g[j] > 0.0 ? lower_[j] : upper_[j];
  }
}

void Box::project(ConstVectorRef x, VectorRef nearest) { nearest = x.cwiseMax(lower_).cwiseMin(upper_); }

double Box::violation(ConstVectorRef x) const { return detail::box_violation(x, lower_, upper_); }

std::optional<BoxAndBall> Box::box_and_ball() const { return BoxAndBall::box(lower_, upper_); }

void Box::start(VectorRef x) const { x = detail::least_magnitude(lower_, upper_); }

}  // namespace slidemesh
