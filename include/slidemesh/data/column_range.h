#pragma once

#include <algorithm>
#include <limits>

#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// What the numbers of a column are that are not zero.
struct ColumnRange {
  Count nonzeros = 0;
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void add(double value) {
    if (value != 0.0) {
      ++nonzeros;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  /// Of all `rows` numbers: where some were left out, zeros are among them.
  [[nodiscard]] double lowest(Count rows) const { return nonzeros == rows ? low : std::min(low, 0.0); }
  [[nodiscard]] double highest(Count rows) const { return nonzeros == rows ? high : std::max(high, 0.0); }
};

}  // namespace slidemesh
