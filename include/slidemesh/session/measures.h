#pragma once

#include "slidemesh/control/control.h"
#include "slidemesh/core/problem.h"
#include "slidemesh/core/record.h"

namespace slidemesh {

/// Of the control's scope: with a scope of this process, of its nodes' sum and the mean of its columns.
[[nodiscard]] Measures measure(const Problem& problem, const Control& control, const Stacked& x);

/// F at one common point, over the control's scope.
[[nodiscard]] double objective(const Problem& problem, const Control& control, ConstVectorRef x,
                               AccessPurpose purpose = AccessPurpose::kTrace);
/// The same over all nodes, whatever the scope.
[[nodiscard]] double total_objective(const Problem& problem, const Control& control, ConstVectorRef x,
                                     AccessPurpose purpose = AccessPurpose::kTrace);

}  // namespace slidemesh
