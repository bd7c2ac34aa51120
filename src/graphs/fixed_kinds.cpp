#include <fmt/core.h>

#include <string>

#include "builders.h"
#include "slidemesh/base/fail.h"

namespace slidemesh {
namespace {

void append_clique(Index first, Index count, std::vector<Edge>& edges) {
  for (Index i = first; i < first + count; ++i) {
    for (Index j = i + 1; j < first + count; ++j) {
      edges.emplace_back(i, j);
    }
  }
}

std::size_t pairs(Index n) { return static_cast<std::size_t>(n * (n - 1) / 2); }

}  // namespace

std::vector<Edge> path_edges(Index nodes) {
  std::vector<Edge> edges;
  edges.reserve(static_cast<std::size_t>(nodes));
  for (Index i = 0; i + 1 < nodes; ++i) {
    edges.emplace_back(i, i + 1);
  }
  return edges;
}

std::vector<Edge> ring_edges(Index nodes) {
  if (nodes < 3) {
    fail<UsageError>("network.nodes", "at least 3 for a ring", std::to_string(nodes));
  }
  std::vector<Edge> edges = path_edges(nodes);
  edges.emplace_back(0, nodes - 1);
  return edges;
}

std::vector<Edge> star_edges(Index nodes) {
  std::vector<Edge> edges;
  for (Index i = 1; i < nodes; ++i) {
    edges.emplace_back(0, i);
  }
  return edges;
}

std::vector<Edge> complete_edges(Index nodes) {
  std::vector<Edge> edges;
  edges.reserve(pairs(nodes));
  append_clique(0, nodes, edges);
  return edges;
}

std::vector<Edge> barbell_edges(Index nodes) {
  if (nodes < 2) {
    fail<UsageError>("network.nodes", "at least 2 for a barbell", std::to_string(nodes));
  }
  const Index half = nodes / 2;  // of an odd number, the second clique gets the extra node
  std::vector<Edge> edges;
  edges.reserve(pairs(half) + pairs(nodes - half) + 1);
  append_clique(0, half, edges);
  append_clique(half, nodes - half, edges);
  edges.emplace_back(half - 1, half);
  return edges;
}

std::vector<Edge> grid_edges(Index nodes, Index rows) {
  if (rows == 0) {  // the largest divisor that is no more than the root
    for (Index r = 1; r * r <= nodes; ++r) {
      rows = nodes % r == 0 ? r : rows;
    }
  }
  if (rows < 1 || rows > nodes || nodes % rows != 0) {
    fail<UsageError>("network.rows", fmt::format("a divisor of the {} nodes", nodes), std::to_string(rows));
  }
  const Index columns = nodes / rows;
  std::vector<Edge> edges;
  for (Index i = 0; i < nodes; ++i) {
    if ((i + 1) % columns != 0) {
      edges.emplace_back(i, i + 1);
    }
    if (i + columns < nodes) {
      edges.emplace_back(i, i + columns);
    }
  }
  return edges;
}

std::vector<Edge> hypercube_edges(Index nodes) {
  if (nodes < 1 || (nodes & (nodes - 1)) != 0) {
    fail<UsageError>("network.nodes", "a power of two for a hypercube", std::to_string(nodes));
  }
  std::vector<Edge> edges;
  for (Index i = 0; i < nodes; ++i) {
    for (Index bit = 1; bit < nodes; bit *= 2) {
      if ((i & bit) == 0) {
        edges.emplace_back(i, i | bit);
      }
    }
  }
  return edges;
}

}  // namespace slidemesh
