#pragma once

#include <optional>

#include "slidemesh/core/meters.h"
#include "slidemesh/core/termination.h"
#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// How good a stacked point is. Measuring touches the data but is not the method: nothing is charged.
struct Measures {
  std::optional<double> objective_at_average;  ///< F(x̄); none where the data was not looked at
  std::optional<double> objective_stacked;     ///< sum_i f_i(x_i): may be below F* while nodes disagree; likewise
  double consensus_error = 0.0;                ///< Frobenius norm of x Lap
  double relative_disagreement = 0.0;          ///< |x - x̄| / |x̄|
  double infeasibility = 0.0;                  ///< the largest violation of any X_i at x̄; 0 where there is none
};

/// One line of a trace, and at the end the summary of a run.
struct Record {
  int step = 0;
  Status status = Status::kRunning;  ///< what was decided after the step: the last record of a run says how it ended
  Measures measures;
  std::optional<double> objective_estimate;  ///< what the method knows of F without another look at the data
  std::optional<double> reference_optimum;   ///< F*, where it is known
  std::optional<double> gap_at_average;      ///< F(x̄) - F*
  std::optional<double> lower_bound;         ///< the largest so far
  std::optional<double> certified_gap;       ///< F(x̄) - lower_bound
  std::optional<double> inner_wolfe_gap;     ///< of the last step's inner problems, the largest at any node
  std::optional<Count> active_set_size;      ///< of its inner solvers, the largest at any node
  MeterTotals meters;
  double seconds = 0.0;  ///< inside the method: no loading, no tracing
};

/// visit(name, field) for every field but step and status, by the name that files have for it and in their order. What
/// reads or writes a Record goes by this list, and there is no other.
template <class AnyRecord, class Visit>
void visit_fields(AnyRecord& record, Visit&& visit) {
  visit("objective_at_average", record.measures.objective_at_average);
  visit("objective_stacked", record.measures.objective_stacked);
  visit("reference_optimum", record.reference_optimum);
  visit("gap_at_average", record.gap_at_average);
  visit("consensus_error", record.measures.consensus_error);
  visit("lower_bound", record.lower_bound);
  visit("certified_gap", record.certified_gap);
  visit("data_oracle_calls", record.meters.data_oracle_calls);
  visit("data_oracle_accesses", record.meters.data_oracle_accesses);
  visit("communication_rounds", record.meters.communication_rounds);
  visit("hops", record.meters.hops);
  visit("messages", record.meters.messages);
  visit("bytes_sent", record.meters.bytes_sent);
  visit("linear_oracle_calls", record.meters.linear_oracle_calls);
  visit("largest_node_linear_oracle_calls", record.meters.largest_node_linear_oracle_calls);
  visit("seconds", record.seconds);
  visit("relative_disagreement", record.measures.relative_disagreement);
  visit("infeasibility", record.measures.infeasibility);
  visit("scalar_messages", record.meters.scalar_messages);
  visit("inner_wolfe_gap", record.inner_wolfe_gap);
  visit("active_set_size", record.active_set_size);
  visit("objective_estimate", record.objective_estimate);
}

}  // namespace slidemesh
