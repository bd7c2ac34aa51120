#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "slidemesh/core/graph.h"

namespace slidemesh {

/// What a named graph is made from. Only the fields that a kind uses matter.
struct GraphSpec {
  std::string kind = "erdos-renyi";
  Index nodes = 10;
  double p = 0.4;                ///< erdos-renyi: the probability of an edge
  double radius = 0.0;           ///< geometric: nodes nearer than this are joined; 0: sqrt(2 log m / m)
  Index rows = 0;                ///< grid: 0 makes it as square as the number of nodes allows
  std::filesystem::path path{};  ///< file: an edge list
  std::uint64_t seed = 1;        ///< of the random kinds
};

/// The kinds, with a line on each for listings.
struct GraphKind {
  std::string name;
  std::string description;
};
[[nodiscard]] const std::vector<GraphKind>& graph_kinds();

/// Builds the graph and checks that it is connected (a random kind is drawn again, up to 100 times,
/// until it is). UsageError says what is wrong with the spec, DataError what is wrong with the file.
[[nodiscard]] Graph make_graph(const GraphSpec& spec);

/// An edge list: two node numbers per line, from 0; blank lines and lines that begin with # are passed
/// over. `nodes` = 0 takes the largest number + 1.
[[nodiscard]] Graph read_edge_list(const std::filesystem::path& path, Index nodes = 0);

}  // namespace slidemesh
