#include "exit_code.h"

#include <algorithm>

namespace slidemesh::app {

const std::vector<ExitCodeDoc>& exit_codes() {
  static const std::vector<ExitCodeDoc> codes = {
      {ExitCode::kOk, "done", "what was asked for is reached, or the run went its length", "nothing"},
      {ExitCode::kUsage, "bad command line or config",
       "the command line or the config cannot be meant so, or results cannot be written",
       "mend the key, option or path that the line names"},
      {ExitCode::kData, "bad data", "a file or a table is not as expected, or cannot be read",
       "mend the line that is named, or the key that the message proposes"},
      {ExitCode::kStopped, "stopped before the target",
       "a limit or a signal ended it before the target; what was reached is saved", "`--resume`, or a larger limit"},
      {ExitCode::kPeerLost, "a peer was lost", "another process or party of the run is gone",
       "start it again, with `--resume` under MPI"},
      {ExitCode::kInternal, "internal error", "a bug in slidemesh", "please report it, with the line"},
  };
  return codes;
}

ExitCode exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kUsage:
      return ExitCode::kUsage;
    case ErrorKind::kData:
      return ExitCode::kData;
    case ErrorKind::kStopped:
      return ExitCode::kStopped;
    case ErrorKind::kPeerLost:
      return ExitCode::kPeerLost;
    case ErrorKind::kInternal:
      break;
  }
  return ExitCode::kInternal;
}

ExitCode exit_code(const SessionResult& result) {
  const bool stopped = result.interrupted || !result.targets_reached ||
                       std::any_of(result.runs.begin(), result.runs.end(), [](const RunSummary& run) {
                         return run.status == Status::kTimeLimit || run.status == Status::kInterrupted ||
                                run.status == Status::kBudgetReached || run.status == Status::kEmptyIntersection;
                       });
  return stopped ? ExitCode::kStopped : ExitCode::kOk;
}

}  // namespace slidemesh::app
