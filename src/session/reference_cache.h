#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "slidemesh/session/experiment.h"
#include "slidemesh/session/listener.h"

namespace slidemesh {

/// A hash of every row as dealt to the nodes, and of loss, set and mu.
[[nodiscard]] std::string problem_key(const Config& config, Experiment& experiment);

/// F* of the experiment: from `cache` where the same problem was solved before, else computed and put
/// there. The key is problem_key.
[[nodiscard]] std::optional<double> cached_reference_optimum(const std::filesystem::path& cache, const Config& config,
                                                             Experiment& experiment, const Job& job,
                                                             Listener& listener);

}  // namespace slidemesh
