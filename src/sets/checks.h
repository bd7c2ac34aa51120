#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "slidemesh/base/fail.h"
#include "slidemesh/base/text.h"
#include "slidemesh/linalg/kernels.h"
#include "slidemesh/linalg/types.h"

namespace slidemesh::detail {

/// A place in a std::vector.
inline std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// Orders of places, total since earlier ones are first among equals: x_a < x_b, and |x_a| > |x_b|.
struct ByNumber {
  const double* x;
  bool operator()(Index a, Index b) const { return x[a] < x[b] || (x[a] == x[b] && a < b); }
};
struct ByMagnitude {
  const double* x;
  bool operator()(Index a, Index b) const {
    const double left = std::abs(x[a]);
    const double right = std::abs(x[b]);
    return left > right || (left == right && a < b);
  }
};

/// All places in an order.
template <class Before>
void sort_places(std::vector<Index>& places, const Before& before) {
  std::iota(places.begin(), places.end(), Index{0});
  std::sort(places.begin(), places.end(), before);
}

/// The first k of them, and then the others.
template <class Before>
void place_first(std::vector<Index>& places, Index k, const Before& before) {
  std::iota(places.begin(), places.end(), Index{0});
  std::nth_element(places.begin(), places.begin() + (k - 1), places.end(), before);
}

/// term(0) + ... + term(n - 1) from the first to the last, so that the bits are the same wherever the numbers lie.
template <class Term>
double sum_over(Index n, const Term& term) {
  double sum = 0.0;
  for (Index j = 0; j < n; ++j) {
    sum += term(j);
  }
  return sum;
}

inline double sum_of(ConstVectorRef values) {
  return sum_over(values.size(), [&](Index j) { return values[j]; });
}

inline double euclidean_norm(ConstVectorRef x) { return norm(x); }

/// Scales x until its norm is `radius`, and never more by rounding.
template <class Norm>
void scale_to(double radius, const Norm& norm, VectorRef x) {
  x *= radius / norm(x);
  while (norm(x) > radius) {
    x *= 1.0 - std::numeric_limits<double>::epsilon();
  }
}

/// g in units of its largest magnitude; for zeros any direction.
inline void take_direction(ConstVectorRef g, Vector& direction) {
  const double largest = std::abs(g[largest_magnitude(g.data(), g.size())]);
  if (largest > 0.0) {
    direction = g / largest;
  } else {
    direction = Vector::Unit(g.size(), 0);
  }
}

inline double require_positive(double value, std::string_view set, std::string_view what) {
  require<UsageError>(value > 0.0 && std::isfinite(value), set, fmt::format("a positive {}", what),
                      text::shortest(value));
  return value;
}

inline Index require_dimension(Index dimension, std::string_view set) {
  require<UsageError>(dimension >= 1, set, "a dimension of at least 1", std::to_string(dimension));
  return dimension;
}

inline const Vector& require_finite(const Vector& values, std::string_view set, std::string_view what) {
  for (Index j = 0; j < values.size(); ++j) {
    if (!std::isfinite(values[j])) {
      fail<UsageError>(set, fmt::format("finite {}", what),
                       fmt::format("{} at position {}", text::shortest(values[j]), j));
    }
  }
  return values;
}

/// Where a search for an eigenvector begins, as read from a checkpoint: not set yet, or a vector of the right size.
inline void require_warm_start(const Vector& start, Index size) {
  if (start.size() != 0 && (start.size() != size || !start.allFinite())) {
    fail<DataError>("checkpoint", fmt::format("a warm start of {} finite numbers", size), "something else");
  }
}

/// What the sets with bounds on each coordinate share.

inline void require_box(const Vector& lower, const Vector& upper, std::string_view set) {
  require<UsageError>(lower.size() == upper.size(), set, fmt::format("{} upper bounds", lower.size()),
                      std::to_string(upper.size()));
  require_finite(lower, set, "lower bounds");
  require_finite(upper, set, "upper bounds");
  for (Index j = 0; j < lower.size(); ++j) {
    if (lower[j] > upper[j]) {
      fail<UsageError>(set, fmt::format("lower <= upper at position {}", j),
                       fmt::format("{} > {}", text::shortest(lower[j]), text::shortest(upper[j])));
    }
  }
}

inline double box_violation(ConstVectorRef x, const Vector& lower, const Vector& upper) {
  return (lower - x).cwiseMax(x - upper).maxCoeff();
}

/// The point of the box that is nearest to 0.
inline Vector least_magnitude(const Vector& lower, const Vector& upper) {
  return Vector::Zero(lower.size()).cwiseMax(lower).cwiseMin(upper);
}

/// Of a matrix >= 0 with these sums.
inline double marginals_violation(ConstVectorRef x, const Vector& row_sums, const Vector& column_sums) {
  Vector row_excess = -row_sums;
  double worst = 0.0;
  for (Index j = 0; j < column_sums.size(); ++j) {
    double column_excess = -column_sums[j];
    for (Index i = 0; i < row_sums.size(); ++i) {
      const double entry = x[j * row_sums.size() + i];
      column_excess += entry;
      row_excess[i] += entry;
      worst = std::max(worst, -entry);
    }
    worst = std::max(worst, std::abs(column_excess));
  }
  for (const double excess : row_excess) {
    worst = std::max(worst, std::abs(excess));
  }
  return worst;
}

}  // namespace slidemesh::detail
