#pragma once

// exp and log over the ranges that the logistic loss needs, by the rational approximations of S. Moshier's Cephes
// library in the order of operations that Eigen's array functions have, so that the bits are theirs. Eigen's are for
// every number that there is; of numbers that are at most 0, or between 1 and 2, exponents need not be taken apart and
// put together again, which is what most of the time went to.

#include <Eigen/Core>

#include "slidemesh/linalg/wide_kernels.h"

namespace slidemesh::losses {

#if defined(__AVX2__) && defined(__FMA__)

namespace four {

inline __m256d all(double number) noexcept { return _mm256_set1_pd(number); }

/// a x + b.
inline __m256d line(__m256d a, __m256d x, double b) noexcept { return _mm256_fmadd_pd(a, x, all(b)); }

/// 2^k for whole k from -1022 to 1023: k comes into the last bits of a number of 2^52 and more, and from there into the
/// exponent.
inline __m256d power_of_two(__m256d k) noexcept {
  constexpr double kBias = 1023.0;
  constexpr double kLastBitIsOne = 6755399441055744.0;  // 1.5 * 2^52
  const __m256d shifted = _mm256_add_pd(k, all(kLastBitIsOne + kBias));
  return _mm256_castsi256_pd(_mm256_slli_epi64(_mm256_castpd_si256(shifted), 52));
}

/// exp(a) for a <= 0; NaN for NaN. With n = round(a / ln 2): exp(a) = 2^n (1 + 2 p/(q - p)) at x = a - n ln 2.
inline __m256d exp_of_negatives(__m256d a) noexcept {
  constexpr double kLeast = -709.784;  // below that the result is the same
  const __m256d clamped = _mm256_max_pd(all(kLeast), a);
  const __m256d n = _mm256_floor_pd(_mm256_fmadd_pd(all(1.4426950408889634073599), clamped, all(0.5)));
  __m256d x = _mm256_sub_pd(clamped, _mm256_mul_pd(n, all(0.693145751953125)));
  x = _mm256_sub_pd(x, _mm256_mul_pd(n, all(1.42860682030941723212e-6)));
  const __m256d square = _mm256_mul_pd(x, x);
  __m256d p = line(all(1.26177193074810590878e-4), square, 3.02994407707441961300e-2);
  p = _mm256_mul_pd(line(p, square, 9.99999999999999999910e-1), x);
  __m256d q = line(all(3.00198505138664455042e-6), square, 2.52448340349684104192e-3);
  q = line(line(q, square, 2.27265548208155028766e-1), square, 2.00000000000000000009e0);
  const __m256d ratio = _mm256_div_pd(p, _mm256_sub_pd(q, p));
  const __m256d significand = line(all(2.0), ratio, 1.0);
  const __m256d normal = _mm256_max_pd(n, all(-1022.0));  // the rest, -1 or -2, first: only the last product is rounded
  const __m256d rest = _mm256_sub_pd(n, normal);
  const __m256d result = _mm256_mul_pd(_mm256_mul_pd(significand, power_of_two(rest)), power_of_two(normal));
  return _mm256_max_pd(result, a);
}

/// log(a) for 1 <= a <= 2; NaN for NaN. x = a - 1, or from the square root of two on a/2 - 1, and
/// log(1 + x) = x - x^2/2 + x^3 P(x)/Q(x).
inline __m256d log_from_one_to_two(__m256d a) noexcept {
  constexpr double kLn2 = 0.693147180559945309417232121458;
  const __m256d half = _mm256_mul_pd(a, all(0.5));
  const __m256d is_small = _mm256_cmp_pd(half, all(0.70710678118654752440), _CMP_LT_OQ);
  const __m256d x = _mm256_sub_pd(_mm256_blendv_pd(half, a, is_small), all(1.0));
  const __m256d square = _mm256_mul_pd(x, x);
  const __m256d cube = _mm256_mul_pd(square, x);
  const __m256d P_high =
      line(line(all(1.01875663804580931796e-4), x, 4.97494994976747001425e-1), x, 4.70579119878881725854);
  const __m256d P_low =
      line(line(all(1.44989225341610930846e1), x, 1.79368678507819816313e1), x, 7.70838733755885391666);
  const __m256d Q_high = line(_mm256_add_pd(x, all(1.12873587189167450590e1)), x, 4.52279145837532221105e1);
  const __m256d Q_low =
      line(line(all(8.29875266912776603211e1), x, 7.11544750618563894466e1), x, 2.31251620126765340583e1);
  const __m256d P = _mm256_mul_pd(_mm256_fmadd_pd(P_high, cube, P_low), cube);
  const __m256d Q = _mm256_fmadd_pd(Q_high, cube, Q_low);
  const __m256d bent = _mm256_fmadd_pd(all(-0.5), square, _mm256_div_pd(P, Q));
  return _mm256_add_pd(_mm256_andnot_pd(is_small, all(kLn2)), _mm256_add_pd(x, bent));
}

}  // namespace four

#endif

}  // namespace slidemesh::losses
