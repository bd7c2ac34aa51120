#include "slidemesh/core/graph.h"

#include <fmt/format.h>

#include <algorithm>
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
  for (std::size_t i = 0; i < at(nodes); ++i) {
    offsets_[i + 1] += offsets_[i];
  }
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

/// Marks all that `from` can reach, breadth first.
void reach(const Graph& graph, Index from, std::vector<char>& reached, std::vector<Index>& queue) {
  queue.clear();
  queue.push_back(from);
  reached[static_cast<std::size_t>(from)] = 1;
  for (std::size_t head = 0; head < queue.size(); ++head) {
    for (const Index j : graph.neighbours(queue[head])) {
      if (reached[static_cast<std::size_t>(j)] == 0) {
        reached[static_cast<std::size_t>(j)] = 1;
        queue.push_back(j);
      }
    }
  }
}

}  // namespace

Index Graph::components() const {
  std::vector<char> reached(at(nodes_), 0);
  std::vector<Index> queue;
  Index pieces = 0;
  for (Index i = 0; i < nodes_; ++i) {
    if (reached[at(i)] == 0) {
      reach(*this, i, reached, queue);
      ++pieces;
    }
  }
  return pieces;
}

Index Graph::first_unreachable() const {
  if (nodes_ == 0) {
    return 0;
  }
  std::vector<char> reached(at(nodes_), 0);
  std::vector<Index> queue;
  reach(*this, 0, reached, queue);
  return std::find(reached.begin(), reached.end(), 0) - reached.begin();
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
  tree.order.reserve(m);
  if (m == 0) {
    return tree;
  }
  std::vector<Index> depth(m, -1);
  depth[static_cast<std::size_t>(root)] = 0;
  tree.order.push_back(root);
  for (std::size_t head = 0; head < tree.order.size(); ++head) {
    const Index i = tree.order[head];
    for (const Index j : graph.neighbours(i)) {
      const auto child = static_cast<std::size_t>(j);
      if (depth[child] < 0) {
        depth[child] = depth[static_cast<std::size_t>(i)] + 1;
        tree.parent[child] = i;
        tree.children[static_cast<std::size_t>(i)].push_back(j);
        tree.order.push_back(j);
        tree.depth = depth[child];
      }
    }
  }
  if (tree.order.size() < m) {
    const Index lost = std::find(depth.begin(), depth.end(), -1) - depth.begin();
    fail<UsageError>("graph", "a connected graph",
                     fmt::format("one in which node {} cannot be reached from node {}", lost, root));
  }
  return tree;
}

namespace {

/// The distance from `from` to the node that is farthest from it.
Index eccentricity(const Graph& graph, Index from, std::vector<Index>& distance, std::vector<Index>& queue) {
  distance.assign(static_cast<std::size_t>(graph.nodes()), -1);
  queue.assign(1, from);
  distance[static_cast<std::size_t>(from)] = 0;
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const Index i = queue[head];
    for (const Index j : graph.neighbours(i)) {
      if (distance[static_cast<std::size_t>(j)] < 0) {
        distance[static_cast<std::size_t>(j)] = distance[static_cast<std::size_t>(i)] + 1;
        queue.push_back(j);
      }
    }
  }
  return distance[static_cast<std::size_t>(queue.back())];
}

}  // namespace

Index graph_centre(const Graph& graph) {
  std::vector<Index> distance;
  std::vector<Index> queue;
  Index centre = 0;
  Index smallest = graph.nodes();
  for (Index i = 0; i < graph.nodes(); ++i) {
    if (const Index here = eccentricity(graph, i, distance, queue); here < smallest) {
      smallest = here;
      centre = i;
    }
  }
  return centre;
}

}  // namespace slidemesh
