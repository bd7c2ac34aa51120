#include "exit_code.h"

#include <algorithm>

namespace slidemesh::app {

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
