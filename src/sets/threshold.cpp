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

/// Of many values most are struck out by passes that have no branches: a bound that is a little below the threshold.
template <class Value>
double bound_for_many(Value value, Index n, double largest, double total) {
  constexpr int kPasses = 4;
  constexpr double kSlack = 1e-9;  // of the total: rounding strikes out nobody
  double bound = -total;
  for (int pass = 0; pass < kPasses; ++pass) {
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
Threshold threshold_of(Value value, Index n, double total, double* work) {
  Threshold result;
  result.largest = largest_of(value, n);
  const double largest = result.largest;

  constexpr Index kMany = 256;
  Index count = n < kMany ? gather_rising(value, n, largest, total, work)
                          : gather_above(value, n, largest, bound_for_many(value, n, largest, total), work);
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
  return threshold_of(Plain{y}, n, total, work);
}

Threshold magnitude_threshold(const double* y, Index n, double total, double* work) {
  return threshold_of(Magnitude{y}, n, total, work);
}

}  // namespace slidemesh::detail
