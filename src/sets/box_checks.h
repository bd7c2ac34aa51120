#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "checks.h"

/// What the sets with bounds on each coordinate share.

namespace slidemesh::detail {

inline void require_box(const Vector& lower, const Vector& upper, std::string_view set) {
  if (lower.size() != upper.size()) {
    fail<UsageError>(set, fmt::format("{} upper bounds", lower.size()), std::to_string(upper.size()));
  }
  require_finite(lower, set, "lower bounds");
  require_finite(upper, set, "upper bounds");
  for (Index j = 0; j < lower.size(); ++j) {
    if (lower[j] > upper[j]) {
      fail<UsageError>(set, fmt::format("lower <= upper at position {}", j),
                       fmt::format("{} > {}", text::shortest(lower[j]), text::shortest(upper[j])));
    }
  }
}

inline double box_violation(ConstVectorRef x, const Vector& lower, const Vector& upper) {
  double worst = -std::numeric_limits<double>::infinity();
  for (Index j = 0; j < x.size(); ++j) {
    worst = std::max({worst, lower[j] - x[j], x[j] - upper[j]});
  }
  return worst;
}

/// The point of the box that is nearest to 0.
inline Vector least_magnitude(const Vector& lower, const Vector& upper) {
  return Vector::Zero(lower.size()).cwiseMax(lower).cwiseMin(upper);
}

}  // namespace slidemesh::detail
