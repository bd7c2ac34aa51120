#pragma once

#include "slidemesh/sets/set_base.h"

namespace slidemesh::detail {

/// How far x is from the set, by `nearest_point_by_oracle`.
[[nodiscard]] double distance_by_oracle(const FeasibleSet& set, ConstVectorRef x);

}  // namespace slidemesh::detail
