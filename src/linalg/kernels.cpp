#include "slidemesh/linalg/kernels.h"

#include "slidemesh/linalg/kernels_inline.h"

namespace slidemesh {

double dot(const double* a, const double* b, Index n) noexcept { return inlined::dot(a, b, n); }

void axpy(double s, const double* x, double* y, Index n) noexcept { inlined::axpy(s, x, y, n); }

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
  Index best = 0;
  double largest = -1.0;
  for (Index i = 0; i < n; ++i) {
    const double magnitude = std::abs(a[i]);
    if (magnitude > largest) {
      largest = magnitude;
      best = i;
    }
  }
  return best;
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
