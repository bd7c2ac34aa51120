#pragma once

#include <optional>

#include "slidemesh/core/meters.h"
#include "slidemesh/core/network.h"
#include "slidemesh/core/problem.h"

namespace slidemesh {

/// How good a stacked point is. Measuring touches the data but is not the method: nothing is charged.
struct Measures {
  double objective_at_average = 0.0;   ///< F(x̄)
  double objective_stacked = 0.0;      ///< sum_i f_i(x_i): may be below F* while nodes disagree
  double consensus_error = 0.0;        ///< Frobenius norm of x Lap
  double relative_disagreement = 0.0;  ///< |x - x̄| / |x̄|
};

[[nodiscard]] Measures measure(const Problem& problem, Network& network, const Stacked& x);

/// F at one common point.
[[nodiscard]] double objective(const Problem& problem, Network& network, ConstVectorRef x,
                               AccessPurpose purpose = AccessPurpose::kTrace);

}  // namespace slidemesh
