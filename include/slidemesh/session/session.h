#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "slidemesh/report/writers.h"
#include "slidemesh/session/config.h"
#include "slidemesh/session/job.h"
#include "slidemesh/session/listener.h"

namespace slidemesh {

struct SessionOptions {
  std::string out;         ///< where results go; empty: a new directory under runs/
  bool resume = false;     ///< go on with the run in `out`
  bool overwrite = false;  ///< replace what an earlier run left there
  Job job;
};

struct SessionResult {
  std::vector<RunSummary> runs;     ///< in the order of the config
  std::filesystem::path directory;  ///< empty where this process writes nothing
  bool interrupted = false;
  bool targets_reached = true;  ///< false where a target was asked for and some method ended without it
};

/// Runs the methods of a config after each other and writes what they do as they go.
[[nodiscard]] SessionResult run_session(const Config& config, const SessionOptions& options, Listener& listener);

}  // namespace slidemesh
