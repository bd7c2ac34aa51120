#pragma once

#include <string_view>

#include "slidemesh/core/feasible_set.h"
#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// How far from a set, in its diameters, what a method extrapolates may lie: x̃ = x + λ(x̂ − x₋) is within 2 of x.
inline constexpr double kExtrapolationReach = 4.0;

/// For points that a checkpoint said were of the set, or near it: a DataError unless each of the `count` points, one
/// after the other, is finite and at most `reach` diameters from the set's own start. Loops that take as long as a
/// point is far away then end. Membership itself may cost a decomposition for each point and is not asked for.
void require_near_set(const FeasibleSet& set, const double* points, Index count, double reach, std::string_view what);

/// A DataError unless `value` is a number within [least, most].
void require_within(double value, double least, double most, std::string_view what);

}  // namespace slidemesh
