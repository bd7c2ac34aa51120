#include "target.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace slidemesh {

namespace {

constexpr double kMostIsGap = 0.99;  ///< of what could be gained: nothing was

std::string_view unit_of(const StopRule& stop) { return stop.certified_gap_is_relative ? "relative" : "absolute"; }

std::string gap_reached(const StopRule& stop, const Record& last, double start_value) {
  if (stop.target_gap) {
    const auto& value = last.measures.objective_at_average;
    const auto gap =
        value && last.reference_optimum ? relative_gap(*value, *last.reference_optimum, start_value) : std::nullopt;
    return gap ? fmt::format("a relative gap of {:.2e}", *gap) : "no gap to F*";
  }
  if (!last.certified_gap || !last.lower_bound) {
    return "no certificate";
  }
  if (!stop.certified_gap_is_relative) {
    return fmt::format("a certified gap of {:.2e} (absolute)", *last.certified_gap);
  }
  const double most_gained = std::max(0.0, start_value - *last.lower_bound);  // less than 0 by rounding alone
  const double scale = certified_gap_scale(start_value, *last.lower_bound);
  const std::string reached = fmt::format("a certified gap of {:.2e} (relative)", *last.certified_gap / scale);
  if (*last.certified_gap < kMostIsGap * most_gained) {
    return reached;
  }
  return fmt::format(
      "{}, because the start was within {:.1e} of the optimum already ({:.0e} of F): no gap relative to what can be "
      "gained says much there, an absolute one would (stop.certified_gap_measure)",
      reached, most_gained, most_gained / std::abs(start_value));
}

}  // namespace

std::string asked_for(const StopRule& stop) {
  std::string asked = stop.target_gap ? fmt::format("target_gap = {:g}", *stop.target_gap)
                                      : fmt::format("certified_gap = {:g} ({})", *stop.certified_gap, unit_of(stop));
  if (stop.target_disagreement) {
    asked += fmt::format(" and target_disagreement = {:g}", *stop.target_disagreement);
  }
  return asked;
}

std::string reached(const StopRule& stop, Status status, const Record& last, double start_value) {
  if (status == Status::kEmptyIntersection) {  // what nodes that cannot agree are apart from a bound says nothing
    return "no gap";
  }
  std::string reached = gap_reached(stop, last, start_value);
  if (stop.target_disagreement) {
    reached += fmt::format(" and a relative disagreement of {:.2e}", last.measures.relative_disagreement);
  }
  return reached;
}

std::string why_ended(const RunResult& result, double reference_accuracy, const MethodConfig& method) {
  switch (result.status) {
    case Status::kFinished:
      return fmt::format("it ended after {} steps ({})", result.last.step,
                         result.last.step >= method.outer_steps
                             ? "method.outer_steps"
                             : "rounding left nothing to gain: scale the columns, data.scaling, or take a smaller set");
    case Status::kReferenceUncertain:
      if (reference_accuracy <= 0.0) {
        return "the start is the optimum, F(x_0) = F*, so that no gap is relative to it (stop at a certified_gap)";
      }
      return fmt::format("F* is certain to {} only (scale the columns, data.scaling, or stop at a certified_gap)",
                         rounded_up(reference_accuracy));
    case Status::kEmptyIntersection:
      return "the nodes' sets have no common point, which the multipliers prove";
    case Status::kTimeLimit:
      return method.name == "newton-sliding"
                 ? "time_limit (ipds-restarted computes less per round and touches rows more often: `slidemesh "
                   "compare` shows what each takes)"
                 : "time_limit";
    default:
      return std::string(to_string(result.status));
  }
}

std::string rounded_up(double bound) {
  constexpr double kHalfADigit = 1.05;  // of two that are shown: rounding takes off no more than was put on
  return fmt::format("{:.1e}", kHalfADigit * bound);
}

std::optional<double> wanted_accuracy(const StopRule& stop, const std::optional<double>& optimum, double start_value) {
  if (stop.target_gap && optimum) {
    return *stop.target_gap * (start_value - *optimum);
  }
  if (stop.certified_gap) {
    const double scale = stop.certified_gap_is_relative ? start_value - optimum.value_or(0.0) : 1.0;
    return *stop.certified_gap * scale;
  }
  return std::nullopt;
}

}  // namespace slidemesh
