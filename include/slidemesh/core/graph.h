#pragma once

#include <span>
#include <utility>
#include <vector>

#include "slidemesh/linalg/types.h"

namespace slidemesh {

using Edge = std::pair<Index, Index>;

/// An undirected simple graph on nodes 0 .. nodes()-1, neighbours in ascending order.
class Graph {
 public:
  Graph() = default;
  /// Edges in any order and direction. Self-loops, repeats and ends out of range are a UsageError.
  Graph(Index nodes, std::span<const Edge> edges);

  [[nodiscard]] Index nodes() const { return nodes_; }
  [[nodiscard]] Index edges() const { return static_cast<Index>(neighbours_.size() / 2); }
  [[nodiscard]] Index degree(Index i) const { return offsets_[at(i) + 1] - offsets_[at(i)]; }
  [[nodiscard]] Index largest_degree() const;
  [[nodiscard]] std::span<const Index> neighbours(Index i) const {
    return std::span<const Index>(neighbours_)
        .subspan(static_cast<std::size_t>(offsets_[at(i)]), static_cast<std::size_t>(degree(i)));
  }
  [[nodiscard]] std::vector<Edge> edge_list() const;

  /// How many pieces it falls into, and the first node that node 0 cannot reach (nodes() if none).
  [[nodiscard]] Index components() const;
  [[nodiscard]] Index first_unreachable() const;

  /// y = Lap x for one number per node.
  void laplacian(ConstVectorRef x, VectorRef y) const;

  /// max over edges of deg_i + deg_j, at least lambda_max(Lap): what nodes can find without a centre.
  [[nodiscard]] double degree_bound() const;

 private:
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }

  Index nodes_ = 0;
  std::vector<Index> offsets_;
  std::vector<Index> neighbours_;
};

/// A node whose largest distance to any other is smallest; of several the first.
[[nodiscard]] Index graph_centre(const Graph& graph);

/// A tree that spans the graph, breadth first from `root`. Parents come before children in `order`.
struct SpanningTree {
  std::vector<Index> parent;                 ///< -1 at the root
  std::vector<std::vector<Index>> children;  ///< ascending
  std::vector<Index> order;
  Index depth = 0;
};
[[nodiscard]] SpanningTree spanning_tree(const Graph& graph, Index root = 0);

}  // namespace slidemesh
