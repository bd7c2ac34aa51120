#pragma once

#include "slidemesh/control/control.h"
#include "slidemesh/core/method.h"
#include "slidemesh/core/problem.h"
#include "slidemesh/core/record.h"

namespace slidemesh {

/// How much of the data measuring may look at.
enum class Look { kNothing, kAverage, kEverything };

/// Of the control's scope: with a scope of this process, of its nodes' sum and the mean of its columns. kAverage: F(x̄)
/// is the one objective that is evaluated.
[[nodiscard]] Measures measure(const Problem& problem, const Control& control, const Stacked& x,
                               Look look = Look::kEverything);

/// The same of what the method has for an answer, without its zeros where it keeps none.
[[nodiscard]] Measures measure(const Problem& problem, const Control& control, Method& method, Look look);

/// F at one common point, over the control's scope.
[[nodiscard]] double objective(const Problem& problem, const Control& control, ConstVectorRef x,
                               AccessPurpose purpose = AccessPurpose::kTrace);
/// The same over all nodes, whatever the scope.
[[nodiscard]] double total_objective(const Problem& problem, const Control& control, ConstVectorRef x,
                                     AccessPurpose purpose = AccessPurpose::kTrace);

/// How many rows each node of this process has.
[[nodiscard]] Vector local_rows(const Problem& problem);

/// The largest violation of a set of the control's scope at x; 0 where there is none.
[[nodiscard]] double infeasibility(const Problem& problem, const Control& control, ConstVectorRef x);
/// Whether x violates a set of any node by more than `tolerance`, whatever the scope.
[[nodiscard]] bool violates_a_set(const Problem& problem, const Control& control, ConstVectorRef x, double tolerance);

/// A proof that the nodes' sets have no common point, from multipliers w that sum to zero over the nodes: at a common
/// point x the sum of <w_i, x> is 0, so that the sum over the nodes of min over v in X_i of <w_i, v> cannot be
/// positive. One linear-oracle call per node. False proves nothing.
[[nodiscard]] bool proves_no_common_point(const Problem& problem, const Control& control, const Stacked& w);

}  // namespace slidemesh
