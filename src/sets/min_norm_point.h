#pragma once

#include "slidemesh/core/feasible_set.h"

namespace slidemesh::detail {

/// The nearest point to x of a polytope that is known through its linear oracle: P. Wolfe, "Finding the nearest point
/// in a polytope" (1976). Finite and exact up to rounding, at the price of a dense system over the vertices in play:
/// for measuring and for small sets.
void nearest_point_by_oracle(FeasibleSet& set, ConstVectorRef x, VectorRef nearest);

/// Its distance.
[[nodiscard]] double distance_by_oracle(const FeasibleSet& set, ConstVectorRef x);

}  // namespace slidemesh::detail
