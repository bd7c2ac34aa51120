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
  kEmptyIntersection,  ///< the nodes' sets have no common point, by a proof
};

[[nodiscard]] std::string_view to_string(Status status);

/// When a run ends before its length.
struct StopRule {
  std::optional<double> target_gap;           ///< relative to F(x_0) - F*, needs the reference optimum
  std::optional<double> target_disagreement;  ///< |x - x̄| / |x̄|, which must hold as well as target_gap
  std::optional<double> certified_gap;        ///< F(x̄) - lower bound
  bool certified_gap_is_relative = true;      ///< to F(x_0) - lower bound
  std::optional<double> time_limit_seconds;
  double target_infeasibility = 1e-6;  ///< of x̄, which must hold as well as either gap where nodes' sets differ
  std::optional<Count> data_budget;    ///< data-oracle calls over all nodes, never overspent
};

/// What is known after a step. Absent numbers were not measured at this step.
struct Statistics {
  double seconds = 0.0;
  bool finished = false;
  bool interrupted = false;
  bool budget_reached = false;  ///< the next step would overspend
  std::optional<double> relative_gap;
  std::optional<double> disagreement;  ///< |x - x̄| / |x̄|
  bool infeasible = false;  ///< the x̄ whose gap is known violates some node's set by more than target_infeasibility
  bool sets_have_no_common_point = false;
  std::optional<double> certified_gap;
  std::optional<double> certified_gap_scale;  ///< F(x_0) - lower bound
};

/// A pure function of what was asked and what is known. Reaching the target beats every limit.
[[nodiscard]] Status decide(const StopRule& rule, const Statistics& statistics);

}  // namespace slidemesh
