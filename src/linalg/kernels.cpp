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

#if defined(__AVX2__) && defined(__FMA__)

namespace {

/// |a_i| of four places, 0 beyond the end.
__m256d magnitudes(const double* a, Index i, Index n) noexcept {
  const __m256d sign = _mm256_set1_pd(-0.0);
  const __m256d four =
      i + wide::kWidth <= n ? _mm256_loadu_pd(a + i) : _mm256_maskload_pd(a + i, wide::first_places(n - i));
  return _mm256_andnot_pd(sign, four);
}

}  // namespace

// What is not a number is never the larger of two, as in the plain form.
Index largest_magnitude(const double* a, Index n) noexcept {
  __m256d largest = _mm256_set1_pd(-1.0);
  for (Index i = 0; i < n; i += wide::kWidth) {
    largest = _mm256_max_pd(magnitudes(a, i, n), largest);
  }
  largest = _mm256_max_pd(largest, _mm256_permute2f128_pd(largest, largest, 1));
  largest = _mm256_max_pd(largest, _mm256_permute_pd(largest, 0b0101));
  for (Index i = 0; i < n; i += wide::kWidth) {
    const int equal = _mm256_movemask_pd(_mm256_cmp_pd(magnitudes(a, i, n), largest, _CMP_EQ_OQ));
    if (equal != 0) {
      const Index first = i + __builtin_ctz(static_cast<unsigned>(equal));
      return first < n ? first : 0;
    }
  }
  return 0;
}

#else

Index largest_magnitude(const double* a, Index n) noexcept {
  Index best = 0;
  double largest = -1.0;
  for (Index i = 0; i < n; ++i) {
    if (std::abs(a[i]) > largest) {
      largest = std::abs(a[i]);
      best = i;
    }
  }
  return best;
}

#endif

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
