#pragma once

#include <fmt/core.h>

#include <cmath>
#include <string>
#include <string_view>

#include "slidemesh/base/fail.h"
#include "slidemesh/base/text.h"
#include "slidemesh/linalg/types.h"

namespace slidemesh::detail {

/// A place in a std::vector.
inline std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// From the first to the last, so that the bits are the same wherever the numbers lie.
inline double sum_of(ConstVectorRef values) {
  double sum = 0.0;
  for (Index j = 0; j < values.size(); ++j) {
    sum += values[j];
  }
  return sum;
}

inline double require_positive(double value, std::string_view set, std::string_view what) {
  if (!(value > 0.0) || !std::isfinite(value)) {
    fail<UsageError>(set, fmt::format("a positive {}", what), text::shortest(value));
  }
  return value;
}

inline Index require_dimension(Index dimension, std::string_view set) {
  if (dimension < 1) {
    fail<UsageError>(set, "a dimension of at least 1", std::to_string(dimension));
  }
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

}  // namespace slidemesh::detail
