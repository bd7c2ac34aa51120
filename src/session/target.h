#pragma once

#include <optional>
#include <string>

#include "slidemesh/session/config.h"
#include "slidemesh/session/run.h"

namespace slidemesh {

/// What a run was asked for: its stop rule's target as the config has it.
[[nodiscard]] std::string asked_for(const StopRule& stop);

/// What it came to, in the unit that was asked for.
[[nodiscard]] std::string reached(const StopRule& stop, Status status, const Record& last, double start_value);

/// Why `method` ended short of its target. One that keeps models of its rows trades computing for touches: where time
/// was short, that is said.
[[nodiscard]] std::string why_ended(const RunResult& result, double reference_accuracy, const MethodConfig& method);

/// "3.1e-04" for 3.03e-4: a bound keeps its word when it is rounded.
[[nodiscard]] std::string rounded_up(double bound);

/// The wanted accuracy as a difference of objective values, where the stop rule implies one.
[[nodiscard]] std::optional<double> wanted_accuracy(const StopRule& stop, const std::optional<double>& optimum,
                                                    double start_value);

}  // namespace slidemesh
