#pragma once

#include <vector>

#include "slidemesh/base/config_table.h"
#include "slidemesh/base/keys.h"
#include "slidemesh/session/config.h"

namespace slidemesh {

/// Reads the [[node]] tables. `problem_loss` is what a loss without its own parameters takes them from.
[[nodiscard]] std::vector<NodeConfig> parse_nodes(ConfigTable& root, const LossSpec& problem_loss);

/// The [[node]] that a node is named in, or null.
[[nodiscard]] const NodeConfig* find_node(const std::vector<NodeConfig>& configs, Index node);
/// UsageError where a node is named that a graph of `nodes` has not.
void require_nodes(const std::vector<NodeConfig>& configs, Index nodes);

[[nodiscard]] std::vector<KeyDoc> node_keys_docs();

}  // namespace slidemesh
