#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "checks.h"

namespace slidemesh::detail {

/// A t with f(t) = value(0, t) + ... + value(n - 1, t) = target for a decreasing continuous f that is linear between
/// neighbouring breakpoints (which get sorted) and constant outside of them. A target beyond f's range gives the
/// breakpoint at that end.
template <class Value>
double root_of_falling_sum(std::vector<double>& breakpoints, double target, Index n, const Value& value) {
  const auto f = [&](double t) { return sum_over(n, [&](Index j) { return value(j, t); }); };
  std::sort(breakpoints.begin(), breakpoints.end());
  std::size_t low = 0;
  std::size_t high = breakpoints.size() - 1;
  double f_low = f(breakpoints[low]);
  double f_high = f(breakpoints[high]);
  if (f_low <= target) {
    return breakpoints[low];
  }
  if (f_high >= target) {
    return breakpoints[high];
  }
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    const double f_middle = f(breakpoints[middle]);
    if (f_middle > target) {
      low = middle;
      f_low = f_middle;
    } else {
      high = middle;
      f_high = f_middle;
    }
  }
  const double share = (f_low - target) / (f_low - f_high);
  return breakpoints[low] + share * (breakpoints[high] - breakpoints[low]);
}

/// The nearest point to x of { lower <= y <= upper : y_1 + ... + y_n = total }: clamp(x - t) with the t that makes the
/// sum right. Bounds are functions of the coordinate.
template <class Lower, class Upper>
void project_on_boxed_sum(ConstVectorRef x, const Lower& lower, const Upper& upper, double total,
                          std::vector<double>& breakpoints, VectorRef nearest) {
  breakpoints.clear();
  for (Index j = 0; j < x.size(); ++j) {
    breakpoints.push_back(x[j] - lower(j));
    breakpoints.push_back(x[j] - upper(j));
  }
  const auto value_at = [&](Index j, double t) { return std::clamp(x[j] - t, lower(j), upper(j)); };
  const double t = root_of_falling_sum(breakpoints, total, x.size(), value_at);
  for (Index j = 0; j < x.size(); ++j) {
    nearest[j] = value_at(j, t);
  }
}

}  // namespace slidemesh::detail
