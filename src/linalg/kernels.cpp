#include "slidemesh/linalg/kernels.h"

#include <Eigen/Core>
#include <algorithm>
#include <cstdint>

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

// What is not a number is never the larger of two, as in the plain form. Where the largest is, comes without a branch
// for every four places: nobody can guess.
Index largest_magnitude(const double* a, Index n) noexcept {
  const Index whole = n / wide::kWidth * wide::kWidth;
  __m256d largest = _mm256_set1_pd(-1.0);
  __m256d other = largest;
  Index i = 0;
  for (; i + 2 * wide::kWidth <= whole; i += 2 * wide::kWidth) {
    largest = _mm256_max_pd(magnitudes(a + i), largest);
    other = _mm256_max_pd(magnitudes(a + i + wide::kWidth), other);
  }
  if (i < whole) {
    largest = _mm256_max_pd(magnitudes(a + i), largest);
  }
  if (whole < n) {
    other = _mm256_max_pd(last_magnitudes(a + whole, n - whole), other);
  }
  largest = wide::largest_of_lanes(_mm256_max_pd(largest, other));
  constexpr Index kPlaces = 64;
  for (Index first = 0; first < n; first += kPlaces) {
    const Index end = std::min(first + kPlaces, whole);
    std::uint64_t equal = 0;
    const auto compare = [&](Index at, __m256d four) {
      const int found = _mm256_movemask_pd(_mm256_cmp_pd(four, largest, _CMP_EQ_OQ));
      equal |= static_cast<std::uint64_t>(static_cast<unsigned>(found)) << static_cast<unsigned>(at - first);
    };
    for (i = first; i < end; i += wide::kWidth) {
      compare(i, magnitudes(a + i));
    }
    if (whole < n && n - first <= kPlaces) {
      compare(whole, last_magnitudes(a + whole, n - whole));
    }
    if (equal != 0) {
      const Index at = first + __builtin_ctzll(equal);
      return at < n ? at : 0;
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
  return inlined::sum_in_lanes(n, [&](Index i, double sum) { return sum + std::abs(a[i]); });
}

}  // namespace slidemesh
