#include "threshold.h"

#include <cmath>

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

// For any subset S of the values, (sum of S - total) / |S| is at most the wanted threshold, because
// sum over S of (y - threshold) <= sum over all of max(y - threshold, 0) = total. So a value at or
// below such a bound is never in the support. The bound rises while values are gathered, and then
// while those that fell below it are struck out; when none is struck out it is the threshold.
template <class Value>
Threshold threshold_of(Value value, Index n, double total, double* work) {
  Threshold result;
  result.largest = largest_of(value, n);
  const double largest = result.largest;

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
  return threshold_of([y](Index j) { return y[j]; }, n, total, work);
}

Threshold magnitude_threshold(const double* y, Index n, double total, double* work) {
  return threshold_of([y](Index j) { return std::abs(y[j]); }, n, total, work);
}

}  // namespace slidemesh::detail
