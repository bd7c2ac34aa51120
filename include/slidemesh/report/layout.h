#pragma once

#include <vector>

#include "slidemesh/core/graph.h"

namespace slidemesh {

struct Position {
  double x = 0.0;
  double y = 0.0;
};

/// Beyond this many nodes a drawing tells nothing, and none is made.
inline constexpr Index kLargestDrawing = 600;

/// Where to draw each node, within [0, 1] x [0, 1]; the same for the same graph. Rings and complete
/// graphs on a circle, paths on an open one, others so that distances on paper follow distances in the
/// graph. Empty beyond kLargestDrawing.
[[nodiscard]] std::vector<Position> layout(const Graph& graph);

}  // namespace slidemesh
