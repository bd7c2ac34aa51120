#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "slidemesh/base/keys.h"
#include "slidemesh/base/text.h"
#include "slidemesh/session/config.h"

/// The sections of a config that have a file each, and what all of them are read with.

namespace slidemesh {

inline constexpr std::int64_t kMostNodes = 1'000'000;
inline constexpr std::int64_t kAnySeed = std::numeric_limits<std::int64_t>::max();

/// Reads [data] into config.data.
void parse_data(ConfigTable table, Config& config);
[[nodiscard]] std::vector<KeyDoc> data_keys_docs();

inline constexpr const char* kSetForm = "{ kind = \"...\", ... }";
/// Reads the set of that form that the key `set` holds. Kinds and keys are checked here; whether the numbers make a
/// set, make_set says.
[[nodiscard]] SetSpec parse_set(ConfigTable& parent);
/// What a problem has whose config names no set.
[[nodiscard]] Value::Table default_set();

/// Reads the [[node]] tables. `problem_loss` is what a loss without its own parameters takes them from.
[[nodiscard]] std::vector<NodeConfig> parse_nodes(ConfigTable& root, const LossSpec& problem_loss);
[[nodiscard]] Keys<NodeConfig> node_keys(const LossSpec& problem_loss = {});
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
