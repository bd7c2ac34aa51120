#include "slidemesh/sets/boxed.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "checks.h"
#include "piecewise.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/base/text.h"
#include "slidemesh/linalg/kernels.h"

namespace slidemesh {

using detail::at;
using detail::sum_of;
using detail::sum_over;

static void require_meeting(bool meets, std::string_view set, double radius, double norm) {
  require<UsageError>(meets, set, fmt::format("a box that meets the ball of radius {}", text::shortest(radius)),
                      fmt::format("one whose nearest point has norm {}", text::shortest(norm)));
}

// ---- simplex -----------------------------------------------------------------------------------

BoxedSimplex::BoxedSimplex(Vector lower, Vector upper, double total)
    : SetBase(detail::require_dimension(lower.size(), kName), {0.0, ProjectionKind::kClosedForm}),
      lower_(std::move(lower)),
      upper_(std::move(upper)),
      total_(total),
      order_(at(lower_.size())) {
  detail::require_box(lower_, upper_, kName);
  const double least = sum_of(lower_);
  const double most = sum_of(upper_);
  require<UsageError>(total >= least && total <= most, "boxed-simplex",
                      fmt::format("a total from {} to {}", text::shortest(least), text::shortest(most)),
                      text::shortest(total));
  const double slack = std::min(total - least, most - total);
  // What x has above y it has below y elsewhere, at most `slack` of each.
  set_diameter(std::min(std::sqrt(squared_distance(lower_, upper_)), std::numbers::sqrt2 * slack));
  breakpoints_.reserve(2 * at(lower_.size()));
}

void BoxedSimplex::linear_minimizer(ConstVectorRef g, VectorRef v) {
  detail::sort_places(order_, detail::ByNumber{g.data()});
  v = lower_;
  double left = total_ - sum_of(lower_);
  for (const Index j : order_) {
    const double room = upper_[j] - lower_[j];
    if (left <= room) {
      v[j] = std::min(lower_[j] + left, upper_[j]);
      break;
    }
    v[j] = upper_[j];
    left -= room;
  }
}

void BoxedSimplex::project(ConstVectorRef x, VectorRef nearest) {
  detail::project_on_boxed_sum(
      x, [this](Index j) { return lower_[j]; }, [this](Index j) { return upper_[j]; }, total_, breakpoints_, nearest);
}

double BoxedSimplex::violation(ConstVectorRef x) const {
  return std::max(detail::box_violation(x, lower_, upper_), std::abs(sum_of(x) - total_));
}

void BoxedSimplex::start(VectorRef x) const {
  const double least = sum_of(lower_);
  const double most = sum_of(upper_);
  const double share = most > least ? (total_ - least) / (most - least) : 0.0;
  x = lower_ + share * (upper_ - lower_);
}

// ---- l1 ----------------------------------------------------------------------------------------

BoxedL1Ball::BoxedL1Ball(Vector lower, Vector upper, double radius)
    : SetBase(detail::require_dimension(lower.size(), kName), {0.0, ProjectionKind::kClosedForm}),
      lower_(std::move(lower)),
      upper_(std::move(upper)),
      radius_(detail::require_positive(radius, kName, "radius")),
      slack_(0.0),
      order_(at(lower_.size())) {
  detail::require_box(lower_, upper_, kName);
  least_ = detail::least_magnitude(lower_, upper_);
  slack_ = radius_ - sum_of_magnitudes(least_.data(), least_.size());
  require_meeting(slack_ >= 0.0, kName, radius_, radius_ - slack_);
  set_diameter(std::min(2.0 * radius_, std::sqrt(squared_distance(lower_, upper_))));
  breakpoints_.reserve(3 * at(lower_.size()) + 1);
}

void BoxedL1Ball::linear_minimizer(ConstVectorRef g, VectorRef v) {
  detail::sort_places(order_, detail::ByMagnitude{g.data()});
  // A first pass where lowering <g, x> also lowers |x_j| is not needed: `least_` is already as near to 0 as the box
  // lets it be, so every move away from it costs norm, one for one.
  v = least_;
  double left = slack_;
  for (const Index j : order_) {
    const double end = g[j] > 0.0 ? lower_[j] : upper_[j];
    const double cost = std::abs(end) - std::abs(least_[j]);
    if (cost <= 0.0) {
      continue;  // least_ is already at that end
    }
    if (left <= cost) {
      v[j] = least_[j] + std::copysign(left, end - least_[j]);
      break;
    }
    v[j] = end;
    left -= cost;
  }
}

// clamp(soft(x, t)) with t = 0, or the t that makes the norm tight.
void BoxedL1Ball::project(ConstVectorRef x, VectorRef nearest) {
  const auto value_at = [&](Index j, double t) {
    const double soft = std::copysign(std::max(std::abs(x[j]) - t, 0.0), x[j]);
    return std::clamp(soft, lower_[j], upper_[j]);
  };
  const auto magnitude_at = [&](Index j, double t) { return std::abs(value_at(j, t)); };
  double t = 0.0;
  if (sum_over(x.size(), [&](Index j) { return magnitude_at(j, 0.0); }) > radius_) {
    breakpoints_.clear();
    breakpoints_.push_back(0.0);
    for (Index j = 0; j < x.size(); ++j) {
      const double side = x[j] < 0.0 ? -1.0 : 1.0;
      for (const double point :
           {std::abs(x[j]), std::abs(x[j]) - side * lower_[j], std::abs(x[j]) - side * upper_[j]}) {
        if (point > 0.0) {
          breakpoints_.push_back(point);
        }
      }
    }
    t = detail::root_of_falling_sum(breakpoints_, radius_, x.size(), magnitude_at);
  }
  for (Index j = 0; j < x.size(); ++j) {
    nearest[j] = value_at(j, t);
  }
}

double BoxedL1Ball::violation(ConstVectorRef x) const {
  return std::max(detail::box_violation(x, lower_, upper_), sum_of_magnitudes(x.data(), x.size()) - radius_);
}

// ---- l2 ----------------------------------------------------------------------------------------

BoxedL2Ball::BoxedL2Ball(Vector lower, Vector upper, double radius)
    : SetBase(detail::require_dimension(lower.size(), kName), {0.0, ProjectionKind::kClosedForm, true}),
      lower_(std::move(lower)),
      upper_(std::move(upper)),
      radius_(detail::require_positive(radius, kName, "radius")),
      direction_(lower_.size()) {
  detail::require_box(lower_, upper_, kName);
  least_ = detail::least_magnitude(lower_, upper_);
  require_meeting(norm(least_) <= radius_, kName, radius_, norm(least_));
  set_diameter(std::min(2.0 * radius_, std::sqrt(squared_distance(lower_, upper_))));
  breakpoints_.reserve(2 * at(lower_.size()) + 2);
}

// |clamp(t a)| does not fall as t grows, and between neighbouring breakpoints its square is C + S t^2.
void BoxedL2Ball::farthest_along(const Vector& a, double most, VectorRef v) {
  const auto clamp_at = [&](double t) { v = (t * a).cwiseMax(lower_).cwiseMin(upper_); };
  breakpoints_.clear();
  breakpoints_.push_back(0.0);
  for (Index j = 0; j < a.size(); ++j) {
    for (const double bound : {lower_[j], upper_[j]}) {
      const double t = a[j] != 0.0 ? bound / a[j] : 0.0;
      if (t > 0.0 && t < most) {
        breakpoints_.push_back(t);
      }
    }
  }
  std::sort(breakpoints_.begin(), breakpoints_.end());
  const double last = std::isfinite(most) ? most : breakpoints_.back();  // past it nothing moves
  clamp_at(last);
  if (norm(v) <= radius_) {
    return;
  }
  breakpoints_.push_back(last);
  std::size_t low = 0;
  std::size_t high = breakpoints_.size() - 1;
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    clamp_at(breakpoints_[middle]);
    (norm(v) <= radius_ ? low : high) = middle;
  }
  const double between = 0.5 * (breakpoints_[low] + breakpoints_[high]);
  clamp_at(between);
  double fixed = 0.0;
  double moving = 0.0;
  for (Index j = 0; j < a.size(); ++j) {
    const bool is_free = v[j] > lower_[j] && v[j] < upper_[j];
    (is_free ? moving : fixed) += is_free ? a[j] * a[j] : v[j] * v[j];
  }
  const double t = moving > 0.0 ? std::sqrt(std::max(radius_ * radius_ - fixed, 0.0) / moving) : breakpoints_[low];
  clamp_at(std::clamp(t, breakpoints_[low], breakpoints_[high]));
}

void BoxedL2Ball::linear_minimizer(ConstVectorRef g, VectorRef v) {
  const double largest = std::abs(g[largest_magnitude(g.data(), g.size())]);
  if (largest == 0.0) {
    direction_.setOnes();
  } else {
    direction_ = -g / largest;
  }
  farthest_along(direction_, std::numeric_limits<double>::infinity(), v);
}

void BoxedL2Ball::project(ConstVectorRef x, VectorRef nearest) {
  direction_ = x;
  farthest_along(direction_, 1.0, nearest);
}

double BoxedL2Ball::violation(ConstVectorRef x) const {
  return std::max(detail::box_violation(x, lower_, upper_), norm(x) - radius_);
}

}  // namespace slidemesh
