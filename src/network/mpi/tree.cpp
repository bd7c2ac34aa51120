// Agreement over the spanning tree: up from the leaves, down from the root, each message between two nodes that
// are neighbours in the graph. The order of summation is in_process.cpp's: a node adds its children's partial
// results to its own value, children ascending.

#include "mpi_network.h"

namespace slidemesh::mpi {

namespace {

constexpr Index kFirstTreeTag = 2;

}  // namespace

// A message is named by the child of its tree edge.
int MpiNetwork::up_tag(Index child) const { return static_cast<int>(kFirstTreeTag + child); }

int MpiNetwork::down_tag(Index child) const { return static_cast<int>(kFirstTreeTag + nodes() + child); }

Vector MpiNetwork::reduce_over_tree(const Matrix& values, Reduction reduction) {
  return reduce_over_tree(values, reduction, Traffic::kMethod);
}

Vector MpiNetwork::reduce_over_tree(const Matrix& values, Reduction reduction, Traffic traffic) {
  Matrix partial = values;
  gather_up_the_tree(partial, reduction, traffic);
  pass_down_the_tree(partial, traffic);
  return partial.col(0);
}

/// Walks over the local nodes, children before parents. What a node waits for was sent by nodes that come earlier in
/// that order everywhere, and sending does not wait: so nobody waits in a circle.
void MpiNetwork::gather_up_the_tree(Matrix& partial, Reduction reduction, Traffic traffic) {
  const Index k = partial.rows();
  Vector from_child(k);
  Pending sends;
  for (auto node = tree().order.rbegin(); node != tree().order.rend(); ++node) {
    if (!owns(*node)) {
      continue;
    }
    auto result = partial.col(*node - first_node());
    for (const Index child : tree().children[static_cast<std::size_t>(*node)]) {
      if (owns(child)) {
        from_child = partial.col(child - first_node());
      } else {
        pending_.clear();
        receive(from_child.data(), k, {owner(child), up_tag(child), traffic}, pending_);
        peers_.wait(pending_);
      }
      if (reduction == Reduction::kSum) {
        result += from_child;
      } else {
        result = result.cwiseMax(from_child);
      }
    }
    const Index parent = tree().parent[static_cast<std::size_t>(*node)];
    if (parent >= 0 && !owns(parent)) {
      send(result.data(), k, {owner(parent), up_tag(*node), traffic}, sends);
    }
  }
  peers_.wait(sends);
}

/// Parents before children. Every local column becomes the root's.
void MpiNetwork::pass_down_the_tree(Matrix& partial, Traffic traffic) {
  const Index k = partial.rows();
  Pending sends;
  for (const Index node : tree().order) {
    if (!owns(node)) {
      continue;
    }
    auto result = partial.col(node - first_node());
    const Index parent = tree().parent[static_cast<std::size_t>(node)];
    if (parent >= 0 && owns(parent)) {
      result = partial.col(parent - first_node());
    } else if (parent >= 0) {
      pending_.clear();
      receive(result.data(), k, {owner(parent), down_tag(node), traffic}, pending_);
      peers_.wait(pending_);
    }
    for (const Index child : tree().children[static_cast<std::size_t>(node)]) {
      if (!owns(child)) {
        send(result.data(), k, {owner(child), down_tag(child), traffic}, sends);
      }
    }
  }
  peers_.wait(sends);
}

}  // namespace slidemesh::mpi
