#pragma once

#include <string>
#include <vector>

#include "slidemesh/report/report.h"
#include "slidemesh/session/experiment.h"

namespace slidemesh {

/// What is solved, over what data, set and graph: for people, a line each.
[[nodiscard]] std::vector<std::string> problem_lines(const Config& config, const Experiment& experiment,
                                                     const Job& job);

/// The graph of the run as the page shows it.
[[nodiscard]] ReportNetwork network_to_draw(const Config& config, const Experiment& experiment);

}  // namespace slidemesh
