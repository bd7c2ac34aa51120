#include "slidemesh/linalg/kernels.h"

#include <Eigen/Core>
#include <algorithm>
#include <cstdint>
#include <limits>

#include "slidemesh/linalg/kernels_inline.h"
#include "slidemesh/linalg/wide_kernels.h"

namespace slidemesh {

namespace {

/// Eigen's products of matrices go through long sums in pieces that fit into the machine's nearest cache, and every
/// piece is rounded by itself: with a cache of 48 kB in place of 32 last bits are others. Here the pieces are those of
/// one machine, wherever a run takes place. (In this file since every program of ours has kernels.)
[[maybe_unused]] const bool pieces_are_the_same_everywhere = [] {
  constexpr std::ptrdiff_t kFirst = 32 * 1024, kSecond = 1024 * 1024, kThird = 16 * 1024 * 1024;
  Eigen::setCpuCacheSizes(kFirst, kSecond, kThird);
  return true;
}();

}  // namespace

double dot(const double* a, const double* b, Index n) noexcept {
  double sum = 0.0;
  wide::dots<1>(&a, b, n, &sum, 1);
  return sum;
}

void axpy(double s, const double* x, double* y, Index n) noexcept { wide::axpys<1>(&x, &s, 1, y, n); }

double squared_norm(std::span<const Index> places, const double* numbers) noexcept {
  double lane[inlined::kLanes] = {};
  for (std::size_t k = 0; k < places.size(); ++k) {
    double& sum = lane[places[k] % inlined::kLanes];
    sum = inlined::multiply_add(numbers[k], numbers[k], sum);
  }
  return inlined::add_lanes(lane);
}

double squared_distance(const double* a, const double* b, Index n) noexcept {
  return inlined::sum_in_lanes(n, [&](Index i, double sum) {
    const double difference = a[i] - b[i];
    return inlined::multiply_add(difference, difference, sum);
  });
}

#if defined(__AVX2__) && defined(__FMA__)

namespace {

/// |a_i| of four places, and of those before the end, 0 beyond.
__m256d magnitudes(const double* a) noexcept { return wide::magnitudes(_mm256_loadu_pd(a)); }
__m256d last_magnitudes(const double* a, Index left) noexcept { return wide::magnitudes(wide::load_first(a, left)); }

}  // namespace

// What is not a number is never the larger of two, as in the plain form. Every lane keeps the first place of its
// largest, as a number, without a branch: nobody can guess.
Index largest_magnitude(const double* a, Index n) noexcept {
  struct Lanes {
    __m256d largest = _mm256_set1_pd(-1.0);
    __m256d place = _mm256_setzero_pd();

    void look_at(__m256d four, __m256d here) noexcept {
      place = _mm256_blendv_pd(place, here, _mm256_cmp_pd(four, largest, _CMP_GT_OQ));
      largest = _mm256_max_pd(four, largest);
    }
    [[nodiscard]] __m256d places_of(__m256d number) const noexcept {
      return _mm256_blendv_pd(_mm256_set1_pd(std::numeric_limits<double>::infinity()), place,
                              _mm256_cmp_pd(largest, number, _CMP_EQ_OQ));
    }
  };
  const __m256d width = _mm256_set1_pd(wide::kWidth);
  __m256d here = _mm256_set_pd(3.0, 2.0, 1.0, 0.0);
  Lanes even;
  Lanes odd;
  Index i = 0;
  for (; i + 2 * wide::kWidth <= n; i += 2 * wide::kWidth) {
    const __m256d after = _mm256_add_pd(here, width);
    even.look_at(magnitudes(a + i), here);
    odd.look_at(magnitudes(a + i + wide::kWidth), after);
    here = _mm256_add_pd(after, width);
  }
  if (i < n) {
    even.look_at(last_magnitudes(a + i, n - i), here);
  }
  if (i + wide::kWidth < n) {
    odd.look_at(last_magnitudes(a + i + wide::kWidth, n - i - wide::kWidth), _mm256_add_pd(here, width));
  }
  const __m256d largest = wide::largest_of_lanes(_mm256_max_pd(even.largest, odd.largest));
  const __m256d four = _mm256_min_pd(even.places_of(largest), odd.places_of(largest));
  const __m128d two = _mm_min_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
  const auto at = static_cast<Index>(_mm_cvtsd_f64(_mm_min_sd(two, _mm_unpackhi_pd(two, two))));
  return at < n ? at : 0;
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
  return inlined::sum_in_lanes(n, [&](Index i, double sum) { return sum + std::abs(a[i]); });
}

}  // namespace slidemesh
