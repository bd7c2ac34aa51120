#pragma once

#include "slidemesh/report/writers.h"
#include "slidemesh/session/experiment.h"

namespace slidemesh {

/// Every row that is read, for whatever purpose, against `data.budget` where there is one.
class RowBudget {
 public:
  /// `before`: rows that all processes had read before a resume, as the root knows; where each process has a trace of
  /// its own, that this one had. A resumed run goes on with the budget that it had, not with a new one.
  RowBudget(const Config& config, const Experiment& experiment, Count before);

  /// Of this process's share of the budget, less what judging the model will read.
  [[nodiscard]] Count rows_left() const;
  /// What was read by now, by all that the program does, over the nodes that are measured.
  void count(RunSummary& summary) const;

 private:
  const Experiment& experiment_;
  Count earlier_;    ///< read before a resume, of this process's share
  Count share_ = 0;  ///< of the budget
};

}  // namespace slidemesh
