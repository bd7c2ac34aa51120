#include "slidemesh/core/termination.h"

namespace slidemesh {

std::string_view to_string(Status status) {
  switch (status) {
    case Status::kRunning:
      return "running";
    case Status::kTargetReached:
      return "target_reached";
    case Status::kFinished:
      return "finished";
    case Status::kTimeLimit:
      return "time_limit";
    case Status::kInterrupted:
      return "interrupted";
    case Status::kPeerLost:
      return "peer_lost";
    case Status::kBudgetReached:
      return "budget_reached";
    case Status::kFailed:
      return "failed";
    case Status::kEmptyIntersection:
      return "empty_intersection";
  }
  return "unknown";
}

Status decide(const StopRule& rule, const Statistics& s) {
  if (s.sets_have_no_common_point) {
    return Status::kEmptyIntersection;
  }
  const bool agreed = !rule.target_disagreement || (s.disagreement && *s.disagreement <= *rule.target_disagreement);
  if (rule.target_gap && s.relative_gap && *s.relative_gap <= *rule.target_gap && agreed && !s.infeasible) {
    return Status::kTargetReached;
  }
  if (rule.certified_gap && s.certified_gap) {
    const double scale = rule.certified_gap_is_relative ? s.certified_gap_scale.value_or(1.0) : 1.0;
    if (*s.certified_gap <= *rule.certified_gap * scale && !s.infeasible) {
      return Status::kTargetReached;
    }
  }
  if (s.finished) {
    return Status::kFinished;
  }
  if (s.interrupted) {
    return Status::kInterrupted;
  }
  if (s.budget_reached) {
    return Status::kBudgetReached;
  }
  if (rule.time_limit_seconds && s.seconds >= *rule.time_limit_seconds) {
    return Status::kTimeLimit;
  }
  return Status::kRunning;
}

}  // namespace slidemesh
