#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace slidemesh::detail {

/// A t with f(t) = target for a decreasing continuous f that is linear between neighbouring breakpoints (which get
/// sorted) and constant outside of them. A target beyond f's range gives the breakpoint at that end.
template <class Function>
double root_of_decreasing_piecewise_linear(std::vector<double>& breakpoints, double target, const Function& f) {
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
    const double value = f(breakpoints[middle]);
    if (value > target) {
      low = middle;
      f_low = value;
    } else {
      high = middle;
      f_high = value;
    }
  }
  const double share = (f_low - target) / (f_low - f_high);
  return breakpoints[low] + share * (breakpoints[high] - breakpoints[low]);
}

}  // namespace slidemesh::detail
