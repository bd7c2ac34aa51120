#pragma once

#include "slidemesh/control/control.h"
#include "slidemesh/core/problem.h"
#include "slidemesh/core/record.h"

namespace slidemesh {

[[nodiscard]] Measures measure(const Problem& problem, const Control& control, const Stacked& x);

/// F at one common point.
[[nodiscard]] double objective(const Problem& problem, const Control& control, ConstVectorRef x,
                               AccessPurpose purpose = AccessPurpose::kTrace);

}  // namespace slidemesh
