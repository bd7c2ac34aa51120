#include "slidemesh/core/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "slidemesh/base/fail.h"

namespace slidemesh {
namespace {

std::string name_of(const Edge& e) { return std::to_string(e.first) + " - " + std::to_string(e.second); }

void check_ends(Index nodes, const Edge& e) {
  const auto [i, j] = e;
  if (i < 0 || i >= nodes || j < 0 || j >= nodes) {
    fail<UsageError>("graph", fmt::format("the ends of an edge between 0 and {}", nodes - 1), name_of(e));
  }
  if (i == j) {
    fail<UsageError>("graph", "an edge between two different nodes", fmt::format("the self-loop {}", name_of(e)));
  }
}

}  // namespace

Graph::Graph(Index nodes, std::span<const Edge> edges) : nodes_(nodes) {
  require<UsageError>(nodes >= 1, "graph", "at least 1 node", std::to_string(nodes));
  // A counting sort by node: the list of a graph of 10,000 nodes can have tens of millions of edges.
  offsets_.assign(at(nodes) + 1, 0);
  for (const Edge& e : edges) {
    check_ends(nodes, e);
    ++offsets_[at(e.first) + 1];
    ++offsets_[at(e.second) + 1];
  }
  std::partial_sum(offsets_.begin(), offsets_.end(), offsets_.begin());
  neighbours_.resize(2 * edges.size());
  std::vector<Index> next(offsets_.begin(), offsets_.end() - 1);
  for (const auto& [i, j] : edges) {
    neighbours_[at(next[at(i)]++)] = j;
    neighbours_[at(next[at(j)]++)] = i;
  }
  for (Index i = 0; i < nodes; ++i) {
    const auto begin = neighbours_.begin() + offsets_[at(i)];
    const auto end = neighbours_.begin() + offsets_[at(i) + 1];
    std::sort(begin, end);
    const auto repeat = std::adjacent_find(begin, end);
    if (repeat != end) {
      fail<UsageError>("graph", "every edge once", fmt::format("{} more than once", name_of({i, *repeat})));
    }
  }
}

Index Graph::largest_degree() const {
  Index largest = 0;
  for (Index i = 0; i < nodes_; ++i) {
    largest = std::max(largest, degree(i));
  }
  return largest;
}

std::vector<Edge> Graph::edge_list() const {
  std::vector<Edge> list;
  list.reserve(neighbours_.size() / 2);
  for (Index i = 0; i < nodes_; ++i) {
    for (const Index j : neighbours(i)) {
      if (i < j) {
        list.emplace_back(i, j);
      }
    }
  }
  return list;
}

namespace {

/// Goes breadth first from `from` to all that can be reached and have no distance yet (-1). They get theirs and stand
/// in `order` in that of the walk; found(i, j) is said of every j that was come to from i.
template <class Found>
void walk(const Graph& graph, Index from, std::vector<Index>& distance, std::vector<Index>& order, Found&& found) {
  order.assign(1, from);
  distance[static_cast<std::size_t>(from)] = 0;
  for (std::size_t head = 0; head < order.size(); ++head) {
    const Index i = order[head];
    for (const Index j : graph.neighbours(i)) {
      if (distance[static_cast<std::size_t>(j)] < 0) {
        distance[static_cast<std::size_t>(j)] = distance[static_cast<std::size_t>(i)] + 1;
        order.push_back(j);
        found(i, j);
      }
    }
  }
}

constexpr auto kNobodyAsks = [](Index, Index) {};

}  // namespace

Index Graph::components() const {
  std::vector<Index> distance(at(nodes_), -1);
  std::vector<Index> order;
  Index pieces = 0;
  for (Index i = 0; i < nodes_; ++i) {
    if (distance[at(i)] < 0) {
      walk(*this, i, distance, order, kNobodyAsks);
      ++pieces;
    }
  }
  return pieces;
}

Index Graph::first_unreachable() const {
  std::vector<Index> distance(at(nodes_), -1);
  std::vector<Index> order;
  if (nodes_ > 0) {
    walk(*this, 0, distance, order, kNobodyAsks);
  }
  return std::find(distance.begin(), distance.end(), -1) - distance.begin();
}

void Graph::laplacian(ConstVectorRef x, VectorRef y) const {
  for (Index i = 0; i < nodes_; ++i) {
    double sum = 0.0;  // of differences: exact zero on constants, accurate on slowly varying x
    for (const Index j : neighbours(i)) {
      sum += x[i] - x[j];
    }
    y[i] = sum;
  }
}

double Graph::degree_bound() const {
  Index bound = 2;  // of a single edge; without any edge every number is a bound, and steps are to be finite
  for (Index i = 0; i < nodes_; ++i) {
    for (const Index j : neighbours(i)) {
      bound = std::max(bound, degree(i) + degree(j));
    }
  }
  return static_cast<double>(bound);
}

SpanningTree spanning_tree(const Graph& graph, Index root) {
  const auto m = static_cast<std::size_t>(graph.nodes());
  SpanningTree tree;
  tree.parent.assign(m, -1);
  tree.children.resize(m);
  if (m == 0) {
    return tree;
  }
  std::vector<Index> distance(m, -1);
  walk(graph, root, distance, tree.order, [&](Index i, Index j) {
    tree.parent[static_cast<std::size_t>(j)] = i;
    tree.children[static_cast<std::size_t>(i)].push_back(j);
  });
  tree.depth = distance[static_cast<std::size_t>(tree.order.back())];
  if (tree.order.size() < m) {
    const Index lost = std::find(distance.begin(), distance.end(), -1) - distance.begin();
    fail<UsageError>("graph", "a connected graph",
                     fmt::format("one in which node {} cannot be reached from node {}", lost, root));
  }
  return tree;
}

Index graph_centre(const Graph& graph) {
  std::vector<Index> distance;
  std::vector<Index> order;
  Index centre = 0;
  Index smallest = graph.nodes();
  for (Index i = 0; i < graph.nodes(); ++i) {
    distance.assign(static_cast<std::size_t>(graph.nodes()), -1);
    walk(graph, i, distance, order, kNobodyAsks);
    if (const Index here = distance[static_cast<std::size_t>(order.back())]; here < smallest) {
      smallest = here;
      centre = i;
    }
  }
  return centre;
}

}  // namespace slidemesh
