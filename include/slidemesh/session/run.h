#pragma once

#include <functional>
#include <optional>

#include "slidemesh/control/control.h"
#include "slidemesh/core/method.h"
#include "slidemesh/core/problem.h"
#include "slidemesh/core/record.h"
#include "slidemesh/core/termination.h"
#include "slidemesh/session/measures.h"

namespace slidemesh {

/// What is proved, and what was tried without success.
struct CertificateState {
  std::optional<double> lower_bound;
  std::optional<double> failed_estimate;  ///< of the gap, at the last evaluation that did not certify
  int failed_step = 0;                    ///< and the step of that
  std::optional<double> gap;              ///< where it was evaluated at this very step
};

/// What the driver knows after a step beyond the method's own state: with the two a run can go on elsewhere.
struct RunState {
  int step = 0;
  double seconds = 0.0;  ///< inside the method, as the root's clock has it
  CertificateState certificate;
  Record last;  ///< the last record; of this step or an earlier one
};
void visit_state(StateVisitor& visitor, RunState& state);

struct RunOptions {
  /// A record each so many steps; the last step is always recorded. 0: every step at first, then
  /// every 2nd, 4th, 8th ..., so that a long run has a few hundred records. Negative: the last step alone.
  int every = 1;
  /// What records along the way may look at; the last one knows F(x̄) at least.
  Look look = Look::kEverything;
  StopRule stop;
  std::optional<double> reference_optimum;
  double reference_accuracy = 0.0;    ///< how far above F* that may be
  std::optional<double> start_value;  ///< F(x_0), which relative gaps are relative to; none: F at the problem's start
  /// What the time limit limits, in seconds; none: the time inside the method.
  std::function<double()> elapsed_seconds;
  /// Called once it is decided whether the step was the last. A resumed run begins with the record of the step that
  /// it goes on from, where that has one: by then it may be the last no more.
  std::function<void(const Record&)> on_record;
  /// Called after every step, cheap: progress, checkpoints. The seconds are the method's.
  std::function<void(int step, double seconds)> on_step;
  /// Called when all that belongs to a step is done, with what it was decided to do next: a checkpoint
  /// taken here continues as if nothing had happened. Not after a step that was left half done.
  std::function<void(const RunState&, Status)> after_step;
  std::function<bool()> interrupted;
  /// Asked of every record that would not be the last, before `on_record` has it: true ends the run there. Where nodes
  /// are spread over processes, all must answer alike.
  std::function<bool(const Record&)> ends_at;
  /// How many more rows this process may read, for whatever purpose; none: as many as it likes. A step that would
  /// leave too few to measure where the run ended is not taken, and records that only inform are left out.
  std::function<Count()> rows_left;
  /// Data-oracle calls that this process's nodes may make: an Error instead of the step that would make more.
  std::optional<Count> own_budget;
  /// Clocks and interruptions are agreed on a few rounds late, by numbers that ride on the method's own messages,
  /// instead of at every step by messages of their own: for networks whose messages are slow.
  bool agrees_late = false;
  std::optional<RunState> before;  ///< of a resumed run; the method's state has been read already
};

struct RunResult {
  Status status = Status::kFinished;
  Record last;
  /// The last step was left half done, by some process, for a limit of time or a signal. What the method has is a
  /// point of X like any other, but no state that an undisturbed run comes through: nothing to go on from.
  bool gave_up_step = false;
};

/// Steps `method` until it has run its length or `options.stop` says so.
/// A Network is a Control over all its nodes.
RunResult run(Method& method, const Problem& problem, const Control& control, const RunOptions& options);

}  // namespace slidemesh
