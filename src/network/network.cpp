#include "slidemesh/network/network.h"

#include <algorithm>
#include <utility>

#include "slidemesh/linalg/parallel.h"

namespace slidemesh {

Network::Network(Graph graph, Index first_node, Index local_nodes)
    : graph_(std::move(graph)),
      tree_(spanning_tree(graph_)),
      first_node_(first_node),
      local_nodes_(local_nodes),
      meters_(local_nodes) {
  for (Index i = 0; i < local_nodes_; ++i) {
    const auto neighbours = graph_.neighbours(global(i));
    const bool inside = std::all_of(neighbours.begin(), neighbours.end(), [&](Index j) { return owns(j); });
    (inside ? interior_ : boundary_).push_back(i);
  }
}

void Network::charge_round(Index dimension) {
  ++meters_.communication_rounds;
  for (Index i = 0; i < local_nodes_; ++i) {
    const Index degree = graph_.degree(global(i));
    meters_.at(i).messages += degree;
    meters_.at(i).bytes_sent += degree * dimension * static_cast<Count>(sizeof(double));
  }
}

template <class Combine>
void Network::for_each_exchanged(const Stacked& x, Traffic traffic, Combine&& combine) {
  const double edges_per_node = 2.0 * static_cast<double>(graph_.edges()) / static_cast<double>(graph_.nodes());
  const double work = (1.0 + edges_per_node) * static_cast<double>(x.rows());
  start_exchange(x, traffic);
  for_each_node(static_cast<Index>(interior_.size()), work,
                [&](Index i) { combine(interior_[static_cast<std::size_t>(i)]); });
  finish_exchange();
  for_each_node(static_cast<Index>(boundary_.size()), work,
                [&](Index i) { combine(boundary_[static_cast<std::size_t>(i)]); });
}

void Network::subtract_neighbours(const Stacked& x, Index i, Stacked& y) const {
  const Index d = x.rows();
  const auto degree = static_cast<double>(graph_.degree(global(i)));
  const double* own = x.col(i).data();
  double* out = y.col(i).data();
  for (Index r = 0; r < d; ++r) {
    out[r] = degree * own[r];
  }
  for (const Index j : graph_.neighbours(global(i))) {
    const double* theirs = column(j);
    for (Index r = 0; r < d; ++r) {
      out[r] -= theirs[r];
    }
  }
}

void Network::laplacian(const Stacked& x, Stacked& y) {
  charge_round(x.rows());
  for_each_exchanged(x, Traffic::kMethod, [&](Index i) { subtract_neighbours(x, i, y); });
}

void Network::control_laplacian(const Stacked& x, Stacked& y) {
  y.resize(x.rows(), x.cols());
  for_each_exchanged(x, Traffic::kControl, [&](Index i) { subtract_neighbours(x, i, y); });
}

void Network::mix(const MixingWeights& w, const Stacked& x, Stacked& y) {
  const Index d = x.rows();
  charge_round(d);
  for_each_exchanged(x, Traffic::kMethod, [&](Index i) {
    const double keep = w.diagonal(global(i));
    const double* own = x.col(i).data();
    double* out = y.col(i).data();
    for (Index r = 0; r < d; ++r) {
      out[r] = keep * own[r];
    }
    std::size_t e = 0;
    for (const Index j : graph_.neighbours(global(i))) {
      const double weight = w.edge[static_cast<std::size_t>(global(i))][e++];
      const double* theirs = column(j);
      for (Index r = 0; r < d; ++r) {
        out[r] += weight * theirs[r];
      }
    }
  });
}

Vector Network::agree(const Matrix& values, Reduction reduction) {
  for (Index i = 0; i < local_nodes_; ++i) {
    const auto node = static_cast<std::size_t>(global(i));
    // One message up to the parent, and one down to each child.
    const Count sent = (tree_.parent[node] >= 0 ? 1 : 0) + static_cast<Count>(tree_.children[node].size());
    meters_.at(i).messages += sent;
    meters_.at(i).bytes_sent += sent * values.rows() * static_cast<Count>(sizeof(double));
    meters_.scalar_messages += sent;
  }
  return reduce_over_tree(values, reduction);
}

Vector Network::agree_sum(const Matrix& values) { return agree(values, Reduction::kSum); }

Vector Network::agree_max(const Matrix& values) { return agree(values, Reduction::kMax); }

}  // namespace slidemesh
