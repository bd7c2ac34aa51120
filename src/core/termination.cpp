#include "slidemesh/core/termination.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

#include "slidemesh/base/errors.h"

namespace slidemesh {

namespace {

constexpr double kRounding = 1e-9;  ///< of values of F, as a share of the sums that they come from

constexpr std::array<std::pair<Status, std::string_view>, 10> kNames{
    {{Status::kRunning, "running"},
     {Status::kTargetReached, "target_reached"},
     {Status::kFinished, "finished"},
     {Status::kTimeLimit, "time_limit"},
     {Status::kInterrupted, "interrupted"},
     {Status::kPeerLost, "peer_lost"},
     {Status::kBudgetReached, "budget_reached"},
     {Status::kReferenceUncertain, "reference_uncertain"},
     {Status::kEmptyIntersection, "empty_intersection"},
     {Status::kFailed, "failed"}}};

}  // namespace

std::string_view to_string(Status status) {
  const auto found = std::find_if(kNames.begin(), kNames.end(), [&](const auto& n) { return n.first == status; });
  return found == kNames.end() ? "unknown" : found->second;
}

std::optional<Status> status_named(std::string_view name) {
  const auto found = std::find_if(kNames.begin(), kNames.end(), [&](const auto& n) { return n.second == name; });
  return found == kNames.end() ? std::nullopt : std::optional(found->first);
}

std::optional<double> relative_gap(double objective, double optimum, double start_value) {
  const double scale = start_value - optimum;
  return scale > 0.0 ? std::optional((objective - optimum) / scale) : std::nullopt;
}

bool reference_suffices(double target, double accuracy, double optimum, double start_value) {
  constexpr double kShare = 0.1;
  return accuracy <= kShare * target * (start_value - optimum);
}

double certified_gap_scale(double start_value, double lower_bound) {
  return std::max(start_value - lower_bound, kRounding * (std::abs(start_value) + std::abs(lower_bound)));
}

double certified_gap(double objective, double lower_bound, double magnitude) {
  const double gap = objective - lower_bound;
  if (gap < -kRounding * magnitude) {
    std::ostringstream message;
    message.precision(17);
    message << "certificate: expected a lower bound of at most F = " << objective << ", got " << lower_bound;
    throw InternalError(message.str());
  }
  return std::max(gap, 0.0);
}

Status decide(const StopRule& rule, const Statistics& s) {
  if (s.sets_have_no_common_point) {
    return Status::kEmptyIntersection;
  }
  const bool agreed = !rule.target_disagreement || (s.disagreement && *s.disagreement <= *rule.target_disagreement);
  if (rule.target_gap && s.relative_gap && *s.relative_gap <= *rule.target_gap && agreed && !s.infeasible) {
    return s.reference_suffices ? Status::kTargetReached : Status::kReferenceUncertain;
  }
  if (rule.certified_gap && s.certified_gap) {
    const double scale = rule.certified_gap_is_relative ? s.certified_gap_scale.value_or(1.0) : 1.0;
    if (*s.certified_gap <= *rule.certified_gap * scale && !s.infeasible) {
      return Status::kTargetReached;
    }
  }
  if (rule.target_gap && s.no_scale && !rule.certified_gap) {
    return Status::kReferenceUncertain;
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
