#pragma once

#include "slidemesh/core/problem.h"
#include "slidemesh/core/record.h"
#include "slidemesh/network/network.h"

namespace slidemesh {

[[nodiscard]] Measures measure(const Problem& problem, Network& network, const Stacked& x);

/// F at one common point.
[[nodiscard]] double objective(const Problem& problem, Network& network, ConstVectorRef x,
                               AccessPurpose purpose = AccessPurpose::kTrace);

}  // namespace slidemesh
