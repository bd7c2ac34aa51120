#include "slidemesh/transport/transport.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "slidemesh/base/fail.h"

namespace slidemesh {

Transport::Transport(Graph graph, Index first_node, Index local_nodes)
    : graph_(std::move(graph)), tree_(spanning_tree(graph_)), first_node_(first_node), local_nodes_(local_nodes) {}

// In all of the walks below a process waits only for what was sent by nodes that come earlier in the walk, which has
// one order everywhere, and sending does not wait: so nobody waits in a circle.

void Transport::reduce_up(const SpanningTree& tree, Matrix& partial, Reduction reduction, Traffic traffic) {
  const auto k = static_cast<std::size_t>(partial.rows());
  Vector from_child(partial.rows());
  for (auto node = tree.order.rbegin(); node != tree.order.rend(); ++node) {
    if (!owns(*node)) {
      continue;
    }
    auto result = partial.col(*node - first_node_);
    for (const Index child : tree.children[static_cast<std::size_t>(*node)]) {
      if (owns(child)) {
        from_child = partial.col(child - first_node_);
      } else {
        receive(child, *node, writable_bytes_of(from_child.data(), k), traffic);
      }
      if (reduction == Reduction::kSum) {
        result += from_child;
      } else {
        result = result.cwiseMax(from_child);
      }
    }
    const Index parent = tree.parent[static_cast<std::size_t>(*node)];
    if (parent >= 0 && !owns(parent)) {
      send(*node, parent, bytes_of(result.data(), k), traffic);
    }
  }
  finish_sends();
}

void Transport::pass_down(const SpanningTree& tree, Matrix& columns, Traffic traffic) {
  const auto k = static_cast<std::size_t>(columns.rows());
  for (const Index node : tree.order) {
    if (!owns(node)) {
      continue;
    }
    auto column_here = columns.col(node - first_node_);
    const Index parent = tree.parent[static_cast<std::size_t>(node)];
    if (parent >= 0 && owns(parent)) {
      column_here = columns.col(parent - first_node_);
    } else if (parent >= 0) {
      receive(parent, node, writable_bytes_of(column_here.data(), k), traffic);
    }
    for (const Index child : tree.children[static_cast<std::size_t>(node)]) {
      if (!owns(child)) {
        send(node, child, bytes_of(column_here.data(), k), traffic);
      }
    }
  }
  finish_sends();
}

const std::vector<std::vector<Index>>& Transport::subtrees() {
  if (subtrees_.empty()) {
    subtrees_.resize(static_cast<std::size_t>(nodes()));
    for (auto node = tree_.order.rbegin(); node != tree_.order.rend(); ++node) {
      auto& below = subtrees_[static_cast<std::size_t>(*node)];
      below.push_back(*node);
      for (const Index child : tree_.children[static_cast<std::size_t>(*node)]) {
        const auto& more = subtrees_[static_cast<std::size_t>(child)];
        below.insert(below.end(), more.begin(), more.end());
      }
      std::sort(below.begin(), below.end());
    }
  }
  return subtrees_;
}

void Transport::gather_over_tree(std::span<const std::byte> mine, std::span<std::byte> all) {
  const std::size_t each = mine.size() / static_cast<std::size_t>(local_nodes_);
  std::vector<std::byte> items(each * static_cast<std::size_t>(nodes()));
  std::copy(mine.begin(), mine.end(), items.begin() + static_cast<std::ptrdiff_t>(each) * first_node_);
  std::vector<std::vector<std::byte>> parcels;  // as long as they travel
  for (auto node = tree_.order.rbegin(); node != tree_.order.rend(); ++node) {
    const auto at = static_cast<std::size_t>(*node);
    for (const Index child : owns(*node) ? tree_.children[at] : std::vector<Index>{}) {
      if (!owns(child)) {
        const auto& nodes_there = subtrees()[static_cast<std::size_t>(child)];
        std::vector<std::byte> parcel(each * nodes_there.size());
        receive(child, *node, parcel, Traffic::kControl);
        for (std::size_t i = 0; i < nodes_there.size(); ++i) {
          std::memcpy(items.data() + each * static_cast<std::size_t>(nodes_there[i]), parcel.data() + each * i, each);
        }
      }
    }
    if (const Index parent = tree_.parent[at]; owns(*node) && parent >= 0 && !owns(parent)) {
      auto& parcel = parcels.emplace_back();
      for (const Index below : subtrees()[at]) {
        const auto begin = items.begin() + static_cast<std::ptrdiff_t>(each) * below;
        parcel.insert(parcel.end(), begin, begin + static_cast<std::ptrdiff_t>(each));
      }
      send(*node, parent, parcel, Traffic::kControl);
    }
  }
  finish_sends();
  if (owns(tree_.order.front())) {
    std::copy(items.begin(), items.end(), all.begin());
  }
}

/// The first local node of the walk has its parent elsewhere and brings the bytes; what others bring is the same.
void Transport::broadcast_over_tree(std::span<std::byte> bytes) {
  bool has_come = owns(tree_.order.front());
  std::vector<std::byte> again;
  for (const Index node : tree_.order) {
    if (!owns(node)) {
      continue;
    }
    const Index parent = tree_.parent[static_cast<std::size_t>(node)];
    if (parent >= 0 && !owns(parent)) {
      again.resize(has_come ? bytes.size() : 0);
      receive(parent, node, has_come ? std::span<std::byte>(again) : bytes, Traffic::kControl);
      has_come = true;
    }
    for (const Index child : tree_.children[static_cast<std::size_t>(node)]) {
      if (!owns(child)) {
        send(node, child, bytes, Traffic::kControl);
      }
    }
  }
  finish_sends();
}

Vector sum_in_order(const Matrix& columns) {
  Vector sum = columns.col(0);
  for (Index i = 1; i < columns.cols(); ++i) {
    sum += columns.col(i);
  }
  return sum;
}

Vector max_in_order(const Matrix& columns) { return columns.rowwise().maxCoeff(); }

Vector combined_at_root(Transport& transport, const Matrix& columns, Vector (*combined)(const Matrix& columns)) {
  if (transport.is_alone()) {
    return combined(columns);
  }
  Matrix all(columns.rows(), transport.is_root() ? transport.nodes() : 0);
  transport.gather(bytes_of(columns.data(), static_cast<std::size_t>(columns.size())),
                   writable_bytes_of(all.data(), static_cast<std::size_t>(all.size())));
  Vector result = transport.is_root() ? combined(all) : Vector(columns.rows());
  transport.broadcast(writable_bytes_of(result.data(), static_cast<std::size_t>(result.size())));
  return result;
}

void InProcessTransport::start_exchange(const Stacked& x, Traffic /*traffic*/, const Riders& /*riders*/) {
  columns_ = x.data();
  dimension_ = x.rows();
}

void InProcessTransport::send(Index /*from*/, Index /*to*/, std::span<const std::byte> /*bytes*/, Traffic /*traffic*/) {
  fail<InternalError>("in-process network", "all nodes here", "a message to another process");
}

void InProcessTransport::receive(Index /*from*/, Index /*to*/, std::span<std::byte> /*bytes*/, Traffic /*traffic*/) {
  fail<InternalError>("in-process network", "all nodes here", "a message from another process");
}

}  // namespace slidemesh
