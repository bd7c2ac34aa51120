#include "row_budget.h"

namespace slidemesh {

RowBudget::RowBudget(const Config& config, const Experiment& experiment, Count before)
    : experiment_(experiment), earlier_(before) {
  const Network& network = *experiment.network;
  if (experiment.control->scope() == ControlScope::kAllNodes) {
    earlier_ = share_of_budget(static_cast<Count>(experiment.control->from_root(static_cast<double>(before))), network);
  }
  if (config.data.budget) {
    share_ = share_of_budget(*config.data.budget, network);
    experiment.ledger->set_budget(share_ - earlier_);
  }
}

Count RowBudget::rows_left() const {
  Count held_out = 0;
  for (const auto& source : experiment_.held_out) {
    held_out += source->rows();
  }
  return share_ - earlier_ - experiment_.ledger->rows_read() - held_out;
}

void RowBudget::count(RunSummary& summary) const {
  Vector read = Vector::Zero(experiment_.network->local_nodes());
  read(0) = static_cast<double>(earlier_ + experiment_.ledger->rows_read());
  summary.rows_read = static_cast<Count>(experiment_.control->sum(read));
  read(0) = static_cast<double>(experiment_.ledger->rows_read_in_opening());
  summary.rows_read_in_opening = static_cast<Count>(experiment_.control->sum(read));
}

}  // namespace slidemesh
