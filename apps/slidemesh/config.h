#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "config_table.h"
#include "methods.h"
#include "slidemesh/core/termination.h"
#include "slidemesh/data/dataset.h"
#include "slidemesh/graphs/generators.h"
#include "slidemesh/losses/registry.h"
#include "slidemesh/sets/registry.h"

namespace slidemesh::app {

struct DataConfig {
  DataSpec spec;
  bool prefetch = true;  ///< whether a batch may be asked for ahead
  std::string ledger;    ///< a file for the record of every access; empty: none. Starts in the output directory
};

struct OutputConfig {
  int every = 0;  ///< 0: every step at first, then fewer and fewer
  bool reference = true;
  int checkpoint_every = 0;          ///< steps; 0: not by steps
  double checkpoint_seconds = 60.0;  ///< of the method's time; 0: not by time
  bool local_trace = false;          ///< each process measures its own nodes; no rank talks to one that is no neighbour
};

/// A config as run. `text` is the file with the overrides in it, to be written beside the results.
struct Config {
  std::string file;
  std::uint64_t seed = 1;
  int threads = 0;
  LossSpec loss;
  double mu = 0.0;
  SetSpec set;
  std::filesystem::path start;  ///< a model.json to start from; empty: the set's own starting point
  std::string start_label;      ///< which of its models, where there are several
  DataConfig data;
  GraphSpec graph;
  double timeout_seconds = 60.0;  ///< after which a rank that does not answer is lost
  std::vector<MethodConfig> methods;
  StopRule stop;
  OutputConfig output;
  std::string text;
};

/// Reads a TOML file and applies `key=value` overrides, where a key is dotted (`problem.mu`,
/// `method.outer_steps` for every method, `method.0.R` for the first). UsageError for anything that
/// is not understood.
[[nodiscard]] Config read_config(const std::filesystem::path& path, const std::vector<std::string>& overrides);

/// The same from text; `name` stands for the file in messages.
[[nodiscard]] Config parse_config(const std::string& text, const std::string& name,
                                  const std::vector<std::string>& overrides);

}  // namespace slidemesh::app
