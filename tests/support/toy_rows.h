#pragma once

#include <cstdint>
#include <vector>

#include "slidemesh/core/rows.h"

namespace slidemesh::testing {

/// Rows that any language can rebuild: a 31-bit linear congruential generator from seed 12345. The
/// labels follow a sparse linear model with noise.
inline Rows toy_rows(Index count = 60, Index features = 5) {
  const std::vector<double> truth = {1.5, -2.0, 0.0, 0.5, 0.0};
  std::uint64_t state = 12345;
  const auto uniform = [&state] {
    state = (1103515245U * state + 12345U) % (std::uint64_t{1} << 31U);
    return static_cast<double>(state) / static_cast<double>(std::uint64_t{1} << 31U);
  };
  Rows rows;
  rows.features = features;
  for (Index r = 0; r < count; ++r) {
    double score = 0.0;
    for (Index j = 0; j < features; ++j) {
      rows.values.push_back(2.0 * uniform() - 1.0);
      score += rows.values.back() * truth[static_cast<std::size_t>(j) % truth.size()];
    }
    score += 2.0 * (uniform() - 0.5);
    rows.labels.push_back(score > 0.0 ? 1.0 : -1.0);
  }
  return rows;
}

}  // namespace slidemesh::testing
