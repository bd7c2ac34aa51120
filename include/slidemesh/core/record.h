#pragma once

#include <optional>

#include "slidemesh/core/meters.h"
#include "slidemesh/core/termination.h"
#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// How good a stacked point is. Measuring touches the data but is not the method: nothing is charged.
struct Measures {
  double objective_at_average = 0.0;   ///< F(x̄)
  double objective_stacked = 0.0;      ///< sum_i f_i(x_i): may be below F* while nodes disagree
  double consensus_error = 0.0;        ///< Frobenius norm of x Lap
  double relative_disagreement = 0.0;  ///< |x - x̄| / |x̄|
  double infeasibility = 0.0;          ///< the largest violation of any X_i at x̄; 0 where there is none
};

/// One line of a trace, and at the end the summary of a run.
struct Record {
  int step = 0;
  Status status = Status::kRunning;  ///< what was decided after the step: the last record of a run says how it ended
  Measures measures;
  std::optional<double> reference_optimum;  ///< F*, where it is known
  std::optional<double> gap_at_average;     ///< F(x̄) - F*
  std::optional<double> lower_bound;        ///< the largest so far
  std::optional<double> certified_gap;      ///< F(x̄) - lower_bound
  std::optional<double> inner_wolfe_gap;    ///< of the last step's inner problems, the largest at any node
  std::optional<Count> active_set_size;     ///< of its inner solvers, the largest at any node
  MeterTotals meters;
  double seconds = 0.0;  ///< inside the method: no loading, no tracing
};

}  // namespace slidemesh
