#include "slidemesh/session/run.h"

namespace slidemesh {
namespace {

void visit(StateVisitor& visitor, MeterTotals& totals) {
  visitor.visit("last.data_oracle_calls", totals.data_oracle_calls);
  visitor.visit("last.data_oracle_accesses", totals.data_oracle_accesses);
  visitor.visit("last.communication_rounds", totals.communication_rounds);
  visitor.visit("last.hops", totals.hops);
  visitor.visit("last.messages", totals.messages);
  visitor.visit("last.bytes_sent", totals.bytes_sent);
  visitor.visit("last.scalar_messages", totals.scalar_messages);
  visitor.visit("last.linear_oracle_calls", totals.linear_oracle_calls);
  visitor.visit("last.largest_node_linear_oracle_calls", totals.largest_node_linear_oracle_calls);
}

}  // namespace

void visit_state(StateVisitor& visitor, RunState& state) {
  visitor.visit("run.step", state.step);
  visitor.visit("run.seconds", state.seconds);
  visitor.visit("run.lower_bound", state.certificate.lower_bound);
  visitor.visit("run.failed_estimate", state.certificate.failed_estimate);
  visitor.visit("run.failed_step", state.certificate.failed_step);
  visitor.visit("run.certified_gap", state.certificate.gap);
  Record& last = state.last;
  visitor.visit("last.step", last.step);
  visitor.visit("last.objective_at_average", last.measures.objective_at_average);
  visitor.visit("last.objective_stacked", last.measures.objective_stacked);
  visitor.visit("last.consensus_error", last.measures.consensus_error);
  visitor.visit("last.relative_disagreement", last.measures.relative_disagreement);
  visitor.visit("last.infeasibility", last.measures.infeasibility);
  visitor.visit("last.lower_bound", last.lower_bound);
  visitor.visit("last.certified_gap", last.certified_gap);
  visitor.visit("last.inner_wolfe_gap", last.inner_wolfe_gap);
  visitor.visit("last.active_set_size", last.active_set_size);
  visitor.visit("last.objective_estimate", last.objective_estimate);
  visit(visitor, last.meters);
  visitor.visit("last.seconds", last.seconds);
}

}  // namespace slidemesh
