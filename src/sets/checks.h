#pragma once

#include <cmath>
#include <string>
#include <string_view>

#include "slidemesh/base/errors.h"
#include "slidemesh/linalg/types.h"
#include "text.h"

namespace slidemesh::detail {

inline double require_positive(double value, std::string_view set, std::string_view what) {
  if (!(value > 0.0) || !std::isfinite(value)) {
    throw UsageError(std::string(set) + ": expected a positive " + std::string(what) + ", got " + number_text(value));
  }
  return value;
}

inline Index require_dimension(Index dimension, std::string_view set) {
  if (dimension < 1) {
    throw UsageError(std::string(set) + ": expected a dimension of at least 1, got " + std::to_string(dimension));
  }
  return dimension;
}

inline const Vector& require_finite(const Vector& values, std::string_view set, std::string_view what) {
  for (Index j = 0; j < values.size(); ++j) {
    if (!std::isfinite(values[j])) {
      throw UsageError(std::string(set) + ": expected finite " + std::string(what) + ", got " + number_text(values[j]) +
                       " at position " + std::to_string(j));
    }
  }
  return values;
}

}  // namespace slidemesh::detail
