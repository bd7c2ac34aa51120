#include "slidemesh/linalg/kernels.h"

#include "slidemesh/linalg/kernels_inline.h"
#include "slidemesh/linalg/wide_kernels.h"

namespace slidemesh {

double dot(const double* a, const double* b, Index n) noexcept {
  double sum = 0.0;
  wide::dots<1>(&a, b, n, &sum, 1);
  return sum;
}

void axpy(double s, const double* x, double* y, Index n) noexcept { wide::axpys<1>(&x, &s, 1, y, n); }

double squared_distance(const double* a, const double* b, Index n) noexcept {
  double lane[inlined::kLanes] = {};
  Index i = 0;
  for (; i + inlined::kLanes <= n; i += inlined::kLanes) {
    for (Index l = 0; l < inlined::kLanes; ++l) {
      const double difference = a[i + l] - b[i + l];
      lane[l] = inlined::multiply_add(difference, difference, lane[l]);
    }
  }
  for (Index l = 0; i < n; ++i, ++l) {
    const double difference = a[i] - b[i];
    lane[l] = inlined::multiply_add(difference, difference, lane[l]);
  }
  return inlined::add_lanes(lane);
}

Index largest_magnitude(const double* a, Index n) noexcept {
  constexpr Index kLanes = 4;
  double lane[kLanes] = {-1.0, -1.0, -1.0, -1.0};
  Index i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (Index l = 0; l < kLanes; ++l) {
      lane[l] = std::abs(a[i + l]) > lane[l] ? std::abs(a[i + l]) : lane[l];  // false for what is not a number
    }
  }
  double largest = -1.0;
  for (Index l = 0; l < kLanes; ++l) {
    largest = lane[l] > largest ? lane[l] : largest;
  }
  for (; i < n; ++i) {
    largest = std::abs(a[i]) > largest ? std::abs(a[i]) : largest;
  }
  for (Index k = 0; k < n; ++k) {
    if (std::abs(a[k]) == largest) {
      return k;
    }
  }
  return 0;
}

double sum_of_magnitudes(const double* a, Index n) noexcept {
  double lane[inlined::kLanes] = {};
  Index i = 0;
  for (; i + inlined::kLanes <= n; i += inlined::kLanes) {
    for (Index l = 0; l < inlined::kLanes; ++l) {
      lane[l] += std::abs(a[i + l]);
    }
  }
  for (Index l = 0; i < n; ++i, ++l) {
    lane[l] += std::abs(a[i]);
  }
  return inlined::add_lanes(lane);
}

}  // namespace slidemesh
