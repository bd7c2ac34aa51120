#pragma once

#include <string>
#include <vector>

#include "slidemesh/base/keys.h"
#include "slidemesh/base/text.h"
#include "slidemesh/session/config.h"

/// The sections of a config that have a file each, and what all of them are read with.

namespace slidemesh {

/// Reads [data] into config.data.
void parse_data(ConfigTable table, Config& config);
[[nodiscard]] std::vector<KeyDoc> data_keys_docs();

/// Reads a set, `{ kind = "l1-ball", radius = 10.0 }`, at `key`; absent, an l1 ball of radius 10.
/// Kinds and keys are checked here; whether the numbers make a set, make_set says.
[[nodiscard]] SetSpec parse_set(ConfigTable& parent, const std::string& key);

/// Reads the [[node]] tables. `problem_loss` is what a loss without its own parameters takes them from.
[[nodiscard]] std::vector<NodeConfig> parse_nodes(ConfigTable& root, const LossSpec& problem_loss);
[[nodiscard]] std::vector<KeyDoc> node_keys_docs();
/// The [[node]] that a node is named in, or null.
[[nodiscard]] const NodeConfig* find_node(const std::vector<NodeConfig>& configs, Index node);
/// UsageError where a node is named that a graph of `nodes` has not.
void require_nodes(const std::vector<NodeConfig>& configs, Index nodes);

/// A member of a member, for a key: `at(&Config::graph, &GraphSpec::nodes)`.
template <class... Members>
auto at(Members... members) {
  return [=](Config & config) -> auto& { return (config.*....*members); };
}

}  // namespace slidemesh
