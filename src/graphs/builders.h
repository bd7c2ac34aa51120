#pragma once

// The kinds of graph, one function each. What they return need not be connected.

#include <vector>

#include "slidemesh/base/random.h"
#include "slidemesh/core/graph.h"
#include "slidemesh/graphs/generators.h"

namespace slidemesh {

[[nodiscard]] std::vector<Edge> path_edges(Index nodes);
[[nodiscard]] std::vector<Edge> ring_edges(Index nodes);
[[nodiscard]] std::vector<Edge> star_edges(Index nodes);
[[nodiscard]] std::vector<Edge> complete_edges(Index nodes);
[[nodiscard]] std::vector<Edge> barbell_edges(Index nodes);
[[nodiscard]] std::vector<Edge> grid_edges(Index nodes, Index rows);
[[nodiscard]] std::vector<Edge> hypercube_edges(Index nodes);

[[nodiscard]] std::vector<Edge> cubic_edges(Index nodes, RandomStream& random);
[[nodiscard]] std::vector<Edge> erdos_renyi_edges(Index nodes, double p, RandomStream& random);
[[nodiscard]] std::vector<Edge> geometric_edges(Index nodes, double radius, RandomStream& random);

}  // namespace slidemesh
