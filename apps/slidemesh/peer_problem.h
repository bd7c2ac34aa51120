#pragma once

#include <string>
#include <vector>

#include "slidemesh/network/peers/wire.h"
#include "slidemesh/session/config.h"

namespace slidemesh::app {

/// What a party has beside the config that all share.
struct PartyInputs {
  std::string problem;  ///< the shared config's file
  std::vector<std::string> overrides;
  std::string data;     ///< where its rows lie; empty: what the config says, or nowhere as yet
  std::string own_set;  ///< TOML; empty: the shared one
};

/// The config as this party has it. A set of its own is `nodes.front()`, of a node whose number is not known before the
/// mesh is. UsageError for what parties cannot have: a number for each node, a gap to an optimum that nobody knows.
[[nodiscard]] Config read_problem(const PartyInputs& inputs);

/// The part of a config that all parties must have alike, one `key = value` a line in a fixed order: not where a
/// party's rows lie, its own set, output files, threads or network, which is found out. Files that the problem is made
/// of are in it by their content. Its digest is what hellos compare.
[[nodiscard]] std::string shared_problem(const Config& config);

/// The names of this party's columns, where its rows lie in a file that has names: its first records alone are read.
/// The facts stay as they are where it has none, or cannot be read.
void tell_columns(const DataSpec& data, peers::Facts& facts);

/// What a party agrees to by joining, in words: the problem, what is read and how often, what leaves the machine.
[[nodiscard]] std::string what_is_agreed_to(const Config& config);

}  // namespace slidemesh::app
