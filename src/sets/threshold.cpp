#include "threshold.h"

#include <algorithm>
#include <cmath>

#include "slidemesh/linalg/wide_kernels.h"

namespace slidemesh::detail {
namespace {

/// The largest of n >= 1 values: four running maxima, because one would wait for itself.
template <class Value>
double largest_of(Value value, Index n) {
  double best[4] = {value(0), value(0), value(0), value(0)};
  Index j = 0;
  for (; j + 4 <= n; j += 4) {
    for (int lane = 0; lane < 4; ++lane) {
      const double candidate = value(j + lane);
      best[lane] = candidate > best[lane] ? candidate : best[lane];
    }
  }
  for (; j < n; ++j) {
    best[0] = value(j) > best[0] ? value(j) : best[0];
  }
  const double left = best[1] > best[0] ? best[1] : best[0];
  const double right = best[3] > best[2] ? best[3] : best[2];
  return right > left ? right : left;
}

/// y_j, and |y_j|.
struct Plain {
  const double* y;
  double operator()(Index j) const { return y[j]; }
#if defined(__AVX2__) && defined(__FMA__)
  [[nodiscard]] __m256d four(Index j) const { return _mm256_loadu_pd(y + j); }
#endif
};
struct Magnitude {
  const double* y;
  double operator()(Index j) const { return std::abs(y[j]); }
#if defined(__AVX2__) && defined(__FMA__)
  [[nodiscard]] __m256d four(Index j) const { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), _mm256_loadu_pd(y + j)); }
#endif
};

/// What a pass over values relative to the largest adds up of those above a bound.
struct Above {
  double sum = 0.0;
  double count = 0.0;
};

template <class Value>
Above add_above(Value value, Index n, double largest, double bound) {
  Above all;
  Index j = 0;
#if defined(__AVX2__) && defined(__FMA__)
  const __m256d top = _mm256_set1_pd(largest);
  const __m256d limit = _mm256_set1_pd(bound);
  const __m256d one = _mm256_set1_pd(1.0);
  __m256d sum[2] = {_mm256_setzero_pd(), _mm256_setzero_pd()};
  __m256d count[2] = {_mm256_setzero_pd(), _mm256_setzero_pd()};
  for (; j + 2 * wide::kWidth <= n; j += 2 * wide::kWidth) {
    for (Index half = 0; half < 2; ++half) {
      const __m256d y = _mm256_sub_pd(value.four(j + half * wide::kWidth), top);
      const __m256d in = _mm256_cmp_pd(y, limit, _CMP_GT_OQ);
      sum[half] = _mm256_add_pd(sum[half], _mm256_and_pd(in, y));
      count[half] = _mm256_add_pd(count[half], _mm256_and_pd(in, one));
    }
  }
  all.sum = wide::add_lanes(sum[0], sum[1]);
  all.count = wide::add_lanes(count[0], count[1]);
#endif
  for (; j < n; ++j) {
    const double y = value(j) - largest;
    all.sum += y > bound ? y : 0.0;
    all.count += y > bound ? 1.0 : 0.0;
  }
  return all;
}

/// (sum of S - total) / |S| for the values S above a bound: a bound that is as good or better.
template <class Value>
double raised_bound(Value value, Index n, double largest, double total, double bound) {
  const Above all = add_above(value, n, largest, bound);
  return std::max(bound, (all.sum - total) / all.count);
}

/// The same for the values S where `near` is not zero; -total, which {largest} gives, if that is better.
template <class Value>
double bound_of_support(Value value, Index n, double largest, double total, const double* near) {
  Above all;
  Index j = 0;
#if defined(__AVX2__) && defined(__FMA__)
  const __m256d top = _mm256_set1_pd(largest);
  const __m256d one = _mm256_set1_pd(1.0);
  __m256d sum = _mm256_setzero_pd();
  __m256d count = _mm256_setzero_pd();
  for (; j + wide::kWidth <= n; j += wide::kWidth) {
    const __m256d in = _mm256_cmp_pd(_mm256_loadu_pd(near + j), _mm256_setzero_pd(), _CMP_NEQ_UQ);
    sum = _mm256_add_pd(sum, _mm256_and_pd(in, _mm256_sub_pd(value.four(j), top)));
    count = _mm256_add_pd(count, _mm256_and_pd(in, one));
  }
  all.sum = wide::add_lanes(sum, _mm256_setzero_pd());
  all.count = wide::add_lanes(count, _mm256_setzero_pd());
#endif
  for (; j < n; ++j) {
    all.sum += near[j] != 0.0 ? value(j) - largest : 0.0;
    all.count += near[j] != 0.0 ? 1.0 : 0.0;
  }
  return all.count > 0.0 ? std::max(-total, (all.sum - total) / all.count) : -total;
}

/// Of many values most are struck out by passes that have no branches: a bound that is a little below the threshold.
template <class Value>
double bound_for_many(Value value, Index n, double largest, double total, const double* near) {
  constexpr double kSlack = 1e-9;  // of the total: rounding strikes out nobody
  double bound = near != nullptr ? bound_of_support(value, n, largest, total, near) : -total;
  const int passes = bound > -total ? 0 : 4;
  for (int pass = 0; pass < passes; ++pass) {
    bound = raised_bound(value, n, largest, total, bound);
  }
  return bound - kSlack * total;
}

/// Those above the bound, in their order; how many.
template <class Value>
Index gather_above(Value value, Index n, double largest, double bound, double* work) {
  Index count = 0;
  const auto gather = [&](Index j) {
    const double y = value(j) - largest;
    work[count] = y;
    count += y > bound ? 1 : 0;
  };
  Index j = 0;
#if defined(__AVX2__) && defined(__FMA__)
  for (; j + wide::kWidth <= n; j += wide::kWidth) {
    const __m256d y = _mm256_sub_pd(value.four(j), _mm256_set1_pd(largest));
    if (_mm256_movemask_pd(_mm256_cmp_pd(y, _mm256_set1_pd(bound), _CMP_GT_OQ)) != 0) {
      for (Index lane = 0; lane < wide::kWidth; ++lane) {
        gather(j + lane);
      }
    }
  }
#endif
  for (; j < n; ++j) {
    gather(j);
  }
  return count;
}

/// The same while the bound rises: for few values.
template <class Value>
Index gather_rising(Value value, Index n, double largest, double total, double* work) {
  double bound = -total;  // S = {largest}
  Index count = 0;
  bool seen_largest = false;
  for (Index j = 0; j < n; ++j) {
    const double y = value(j) - largest;
    if (y > bound) {
      work[count++] = y;
      if (y == 0.0 && !seen_largest) {
        seen_largest = true;  // it is in the bound already
        continue;
      }
      // The list holds the values of S but for the largest, which counts although it may come later.
      bound += (y - bound) / static_cast<double>(count + (seen_largest ? 0 : 1));
    }
  }
  return count;
}

// For any subset S of the values, (sum of S - total) / |S| is at most the wanted threshold, because
// sum over S of (y - threshold) <= sum over all of max(y - threshold, 0) = total. So a value at or
// below such a bound is never in the support. The bound rises while values are gathered, and then
// while those that fell below it are struck out; when none is struck out it is the threshold.
template <class Value>
Threshold threshold_of(Value value, Index n, double largest, double total, const double* near, double* work) {
  Threshold result;
  result.largest = largest;

  constexpr Index kMany = 256;
  Index count = n < kMany ? gather_rising(value, n, largest, total, work)
                          : gather_above(value, n, largest, bound_for_many(value, n, largest, total, near), work);
  for (;;) {
    double sum = 0.0;
    for (Index i = 0; i < count; ++i) {
      sum += work[i];
    }
    result.offset = (sum - total) / static_cast<double>(count);
    Index kept = 0;
    for (Index i = 0; i < count; ++i) {
      const double y = work[i];
      work[kept] = y;
      kept += y > result.offset ? 1 : 0;
    }
    if (kept == count || kept == 0) {
      break;
    }
    count = kept;
  }
  result.support = count;
  return result;
}

}  // namespace

Threshold simplex_threshold(const double* y, Index n, double total, double* work) {
  return threshold_of(Plain{y}, n, largest_of(Plain{y}, n), total, nullptr, work);
}

Threshold magnitude_threshold(const double* y, Index n, double largest, double total, const double* near,
                              double* work) {
  return threshold_of(Magnitude{y}, n, largest, total, near, work);
}

Magnitudes magnitudes_of(const double* y, Index n) {
  using inlined::kLanes;
  alignas(32) double sum[kLanes] = {};
  alignas(32) double largest[kLanes] = {};
  Index i = 0;
#if defined(__AVX2__) && defined(__FMA__)
  const Magnitude value{y};
  __m256d sums[2] = {_mm256_setzero_pd(), _mm256_setzero_pd()};
  __m256d most[2] = {_mm256_setzero_pd(), _mm256_setzero_pd()};
  for (; i + kLanes <= n; i += kLanes) {
    for (int half = 0; half < 2; ++half) {
      const __m256d four = value.four(i + half * wide::kWidth);
      sums[half] = _mm256_add_pd(sums[half], four);
      most[half] = _mm256_max_pd(four, most[half]);
    }
  }
  for (int half = 0; half < 2; ++half) {
    _mm256_store_pd(sum + half * wide::kWidth, sums[half]);
    _mm256_store_pd(largest + half * wide::kWidth, most[half]);
  }
#endif
  for (Index l = 0; i < n; ++i, l = (l + 1) % kLanes) {
    sum[l] += std::abs(y[i]);
    largest[l] = std::max(largest[l], std::abs(y[i]));
  }
  return {inlined::add_lanes(sum), *std::max_element(largest, largest + kLanes)};
}

double shrink_magnitudes(const Threshold& threshold, const double* y, Index n, double* shrunk) {
  using inlined::kLanes;
  alignas(32) double sum[kLanes] = {};
  Index i = 0;
#if defined(__AVX2__) && defined(__FMA__)
  const Magnitude value{y};
  const __m256d top = _mm256_set1_pd(threshold.largest);
  const __m256d offset = _mm256_set1_pd(threshold.offset);
  const __m256d sign = _mm256_set1_pd(-0.0);
  __m256d sums[2] = {_mm256_setzero_pd(), _mm256_setzero_pd()};
  for (; i + kLanes <= n; i += kLanes) {
    for (int half = 0; half < 2; ++half) {
      const Index at = i + half * wide::kWidth;
      const __m256d rest = _mm256_sub_pd(_mm256_sub_pd(value.four(at), top), offset);
      const __m256d left = _mm256_max_pd(rest, _mm256_setzero_pd());
      _mm256_storeu_pd(shrunk + at, _mm256_or_pd(left, _mm256_and_pd(sign, _mm256_loadu_pd(y + at))));
      sums[half] = _mm256_add_pd(sums[half], left);
    }
  }
  for (int half = 0; half < 2; ++half) {
    _mm256_store_pd(sum + half * wide::kWidth, sums[half]);
  }
#endif
  for (Index l = 0; i < n; ++i, l = (l + 1) % kLanes) {
    const double rest = threshold.shrink(std::abs(y[i]));
    shrunk[i] = std::copysign(rest, y[i]);
    sum[l] += rest;
  }
  return inlined::add_lanes(sum);
}

}  // namespace slidemesh::detail
