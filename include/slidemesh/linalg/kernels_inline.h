#pragma once

// The bodies of linalg/kernels.h, for loops that want them inlined.

#include <cmath>

#include "slidemesh/linalg/types.h"

namespace slidemesh::inlined {

/// a b + c, fused where the machine does that in one instruction. Explicit, so that it never depends
/// on how a loop was vectorized.
inline double multiply_add(double a, double b, double c) noexcept {
#if defined(__FMA__) || defined(__aarch64__)
  return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}

/// Eight running sums: enough for two vector registers in flight, few enough for short rows.
inline constexpr Index kLanes = 8;

inline double add_lanes(const double* lane) noexcept {
  return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

/// The sum of n terms by eight running sums, the i-th of which takes the terms i, i + 8, ...: the one order of
/// summation. `add(i, sum)` is the sum with term i.
template <class Add>
inline double sum_in_lanes(Index n, const Add& add) noexcept {
  double lane[kLanes] = {};
  Index i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (Index l = 0; l < kLanes; ++l) {
      lane[l] = add(i + l, lane[l]);
    }
  }
  for (Index l = 0; i < n; ++i, ++l) {
    lane[l] = add(i, lane[l]);
  }
  return add_lanes(lane);
}

inline double dot(const double* a, const double* b, Index n) noexcept {
  return sum_in_lanes(n, [&](Index i, double sum) { return multiply_add(a[i], b[i], sum); });
}

inline double sum(const double* a, Index n) noexcept {
  return sum_in_lanes(n, [&](Index i, double sum) { return sum + a[i]; });
}

/// Whether none of n numbers is infinite or NaN: 0 times such a number is not 0. The last ones are looked at eight at a
/// time as well, some of them once more.
inline bool all_finite(const double* a, Index n) noexcept {
  if (n < kLanes) {
    return sum_in_lanes(n, [&](Index i, double sum) { return sum + 0.0 * a[i]; }) == 0.0;
  }
  double lane[kLanes] = {};
  const auto look_at = [&](const double* eight) {
    for (Index l = 0; l < kLanes; ++l) {
      lane[l] += 0.0 * eight[l];
    }
  };
  for (Index i = 0; i + kLanes <= n; i += kLanes) {
    look_at(a + i);
  }
  look_at(a + n - kLanes);
  return add_lanes(lane) == 0.0;
}

inline void axpy(double s, const double* x, double* y, Index n) noexcept {
  for (Index i = 0; i < n; ++i) {
    y[i] = multiply_add(s, x[i], y[i]);
  }
}

}  // namespace slidemesh::inlined
