#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "slidemesh/session/experiment.h"
#include "slidemesh/session/listener.h"

namespace slidemesh {

/// A hash of all that F and X are made from: every row as dealt to the nodes, the problem as the config has it, and the
/// content of the files that it names.
[[nodiscard]] std::string problem_key(const Config& config, Experiment& experiment);

/// F at a feasible point, and a bound that F* is not below.
struct KnownOptimum {
  double value = 0.0;
  double lower_bound = 0.0;
};

/// F* of the experiment: from `cache` where the problem of this key was solved before in today's way
/// (`kReferenceVersion`), else computed and put there. Nothing where `stop` says so first.
[[nodiscard]] std::optional<KnownOptimum> cached_reference_optimum(const std::filesystem::path& cache,
                                                                   const std::string& key, Experiment& experiment,
                                                                   const std::function<bool()>& stop,
                                                                   Listener& listener);

}  // namespace slidemesh
