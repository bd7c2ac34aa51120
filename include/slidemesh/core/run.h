#pragma once

#include <functional>
#include <optional>

#include "slidemesh/core/measures.h"
#include "slidemesh/core/method.h"
#include "slidemesh/core/network.h"
#include "slidemesh/core/problem.h"
#include "slidemesh/core/termination.h"

namespace slidemesh {

/// One line of a trace, and at the end the summary of a run.
struct Record {
  int step = 0;
  Measures measures;
  std::optional<double> reference_optimum;  ///< F*, where it is known
  std::optional<double> gap_at_average;     ///< F(x̄) - F*
  std::optional<double> lower_bound;        ///< the largest so far
  std::optional<double> certified_gap;      ///< F(x̄) - lower_bound
  MeterTotals meters;
  double seconds = 0.0;                     ///< inside the method: no loading, no tracing
};

struct RunOptions {
  /// A record each so many steps; the last step is always recorded. 0: every step at first, then
  /// every 2nd, 4th, 8th ..., so that a long run has a few hundred records.
  int every = 1;
  StopRule stop;
  std::optional<double> reference_optimum;
  std::function<void(const Record&)> on_record;
  /// Called after every step, cheap: progress, checkpoints. The seconds are the method's.
  std::function<void(int step, double seconds)> on_step;
  std::function<bool()> interrupted;
  double seconds_before = 0.0;               ///< of an earlier part of a resumed run
  std::optional<double> lower_bound_before;  ///< likewise
};

struct RunResult {
  Status status = Status::kFinished;
  Record last;
};

/// Steps `method` until it has run its length or `options.stop` says so.
RunResult run(Method& method, const Problem& problem, Network& network, const RunOptions& options);

}  // namespace slidemesh
