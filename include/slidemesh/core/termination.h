#pragma once

#include <optional>
#include <string_view>

#include "slidemesh/linalg/types.h"

namespace slidemesh {

enum class Status {
  kRunning,
  kTargetReached,
  kFinished,
  kTimeLimit,
  kInterrupted,
  kPeerLost,
  kBudgetReached,
  kFailed,
  kEmptyIntersection,   ///< the nodes' sets have no common point, by a proof
  kReferenceUncertain,  ///< a target against F* seems reached, but F* is not known well enough to claim it
};

[[nodiscard]] std::string_view to_string(Status status);
/// The status of that name, if there is one.
[[nodiscard]] std::optional<Status> status_named(std::string_view name);

/// When a run ends before its length.
struct StopRule {
  std::optional<double> target_gap;           ///< relative to F(x_0) - F*, needs the reference optimum
  std::optional<double> target_disagreement;  ///< |x - x̄| / |x̄|, which must hold as well as target_gap
  std::optional<double> certified_gap;        ///< F(x̄) - lower bound
  bool certified_gap_is_relative = true;      ///< to F(x_0) - lower bound
  std::optional<double> time_limit_seconds;
  double target_infeasibility = 1e-6;  ///< of x̄, which must hold as well as either gap where nodes' sets differ
  std::optional<Count> data_budget;    ///< data-oracle calls over all nodes, never overspent

  [[nodiscard]] bool has_target() const { return target_gap || certified_gap; }
};

/// (F(x) - F*) / (F(x_0) - F*). Nothing where F(x_0) is not above F*: no gap can be relative to that.
[[nodiscard]] std::optional<double> relative_gap(double objective, double optimum, double start_value);

/// Whether a reference optimum that may be `accuracy` above F* is good enough to claim a relative gap of `target`: its
/// certified relative accuracy must be at most a tenth of the target, so that a claimed gap is off by a tenth at most.
[[nodiscard]] bool reference_suffices(double target, double accuracy, double optimum, double start_value);

/// F(x̄) less a lower bound on F*, 0 where rounding makes it negative: by at most 1e-9 of `magnitude`, that of the sums
/// that the two come from. InternalError that names both where it is negative by more: one of them is wrong.
[[nodiscard]] double certified_gap(double objective, double lower_bound, double magnitude);

/// What a relative certified gap is a share of: F(x_0) less the lower bound, which is at most what a run can gain, but
/// never less than what rounding may hide (as of certified_gap). Where the start is optimal nothing can be gained, and
/// no share of nothing could be reached.
[[nodiscard]] double certified_gap_scale(double start_value, double lower_bound);

/// What is known after a step. Absent numbers were not measured at this step.
struct Statistics {
  double seconds = 0.0;  ///< what a time limit limits
  bool finished = false;
  bool interrupted = false;
  bool budget_reached = false;  ///< the next step would overspend
  std::optional<double> relative_gap;
  bool reference_suffices = true;      ///< see the function of that name
  bool no_scale = false;               ///< F(x_0) is not above the reference optimum: there is no relative gap
  std::optional<double> disagreement;  ///< |x - x̄| / |x̄|
  bool infeasible = false;  ///< the x̄ whose gap is known violates some node's set by more than target_infeasibility
  bool sets_have_no_common_point = false;
  std::optional<double> certified_gap;
  std::optional<double> certified_gap_scale;  ///< see the function of that name
};

/// A pure function of what was asked and what is known. Reaching the target beats every limit.
[[nodiscard]] Status decide(const StopRule& rule, const Statistics& statistics);

}  // namespace slidemesh
