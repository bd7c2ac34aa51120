#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "slidemesh/algorithms/registry.h"
#include "slidemesh/base/value.h"
#include "slidemesh/core/termination.h"
#include "slidemesh/core/wire.h"
#include "slidemesh/data/dataset.h"
#include "slidemesh/graphs/generators.h"
#include "slidemesh/losses/registry.h"
#include "slidemesh/sets/registry.h"

namespace slidemesh {

struct DataConfig {
  DataSpec spec;
  bool prefetch = true;               ///< whether a batch may be asked for ahead
  std::optional<Count> budget = {};   ///< rows that may be read for whatever purpose, beyond opening the data
  std::optional<DataSpec> test = {};  ///< rows to judge models by, in a file or table of their own
  double holdout = 0.0;               ///< the share of rows that is kept apart for that
  int cv = 0;                         ///< into how many parts `slidemesh path` deals the rows; 0: none
  bool free_intercept = false;        ///< the set says nothing of the intercept
  bool labels_optional = false;       ///< of rows that a model is used on
  std::string ledger;  ///< a file for the record of every access; empty: none. Starts in the output directory
};

/// What is measured while methods run.
enum class Trace {
  kKnown,   ///< all nodes, and of the objective what the method knows anyway; F(x̄) at the end alone
  kGlobal,  ///< all nodes, by looking at their data
  kLocal,   ///< each process measures its own nodes; no rank talks to one that is no neighbour
  kOff,     ///< nothing but the answer
};

struct OutputConfig {
  int every = 0;                     ///< 0: every step at first, then fewer and fewer
  std::optional<bool> reference;     ///< whether F* is computed; none: where a target_gap asks for it
  std::string checkpoint_key;        ///< a file; empty: checkpoints are not sealed
  bool shared = false;               ///< files follow the umask
  int checkpoint_every = 0;          ///< steps; 0: not by steps
  double checkpoint_seconds = 60.0;  ///< of the method's time; 0: not by time
  Trace trace = Trace::kKnown;

  [[nodiscard]] bool local_trace() const { return trace == Trace::kLocal; }
};

/// One [[method]], its keys already checked.
struct MethodConfig {
  std::string name;
  std::string label;
  int outer_steps = 0;
  MethodFactory make;
  std::vector<std::pair<std::string, std::string>> settings;  ///< key and value as written
};

/// One [[node]]: what some nodes have instead of what [problem] says.
struct NodeConfig {
  std::vector<Index> nodes;
  std::optional<SetSpec> set;
  std::optional<LossSpec> loss;
  std::string place;  ///< `file:line: `, for what is found wrong only with the graph or the data known
};

/// [peer]: what a party of `slidemesh peer run` has for itself, whatever the others have.
struct PeerConfig {
  double patience_seconds = 86'400.0;  ///< how long a neighbour may be gone
  bool ends_on_bad_message = true;     ///< false: waits for a better one
};

/// Everything that a run is made from. `make_config` fills it from a tree of values; docs/config.md has the keys.
struct Config {
  std::string file;  ///< how messages call it; relative paths start in its directory
  std::uint64_t seed = 1;
  int threads = 0;
  LossSpec loss;
  double mu = 0.0;
  bool weigh_rows = true;  ///< every row weighs the same, whichever node has it; false: every node does
  SetSpec set;
  std::vector<NodeConfig> nodes;
  std::filesystem::path start;  ///< a model.json to start from; empty: the set's own starting point
  std::string start_label;      ///< which of its models, where there are several
  DataConfig data;
  GraphSpec graph;
  double timeout_seconds = 60.0;  ///< after which a rank that does not answer is lost
  Wire wire = Wire::kFloat64;
  std::vector<MethodConfig> methods;
  StopRule stop;
  OutputConfig output;
  PeerConfig peer;
  Value::Table tree;  ///< what it was made from, with no credentials in it
};

/// Checks every key and value. UsageError `file:line: key: expected ..., got ...` for anything that is not understood.
[[nodiscard]] Config make_config(Value::Table tree, const std::string& file);

/// The keys of [data] alone, for rows that a model of this loss is used on: they need no labels. `map` is the model's:
/// where the keys do not name a column (of the label; of a matrix entry's row, column and value), its names hold.
[[nodiscard]] DataSpec make_new_data(const Value::Table& data, const std::string& loss, const FeatureMap& map,
                                     const std::string& file);

/// A set as a table describes it, `{ kind = "l1-ball", radius = 10.0 }`; complaints begin with `file`.
[[nodiscard]] SetSpec make_set_spec(const Value::Table& table, const std::string& file);

/// The config as a TOML document that runs again from any directory: paths are absolute.
[[nodiscard]] std::string as_run(const Config& config);

/// Every file that a config names, by its key ("problem.start", "problem.set.file"), but for the rows' own: what is
/// read from those is compared row by row.
[[nodiscard]] std::vector<std::pair<std::string, std::filesystem::path>> named_files(const Config& config);

/// What the config says about F and X, without the names of files: the same text, the same problem, if rows and files
/// have the same content.
[[nodiscard]] std::string problem_text(const Config& config);

/// One section of a config, for docs/config.md and listings: the keys that are read from it.
struct SectionDoc {
  std::string name;   ///< "problem"; empty: the top level
  std::string intro;  ///< a line for the page
  std::vector<KeyDoc> keys;
};
[[nodiscard]] std::vector<SectionDoc> config_sections();

}  // namespace slidemesh
