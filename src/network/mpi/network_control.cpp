// Measuring and stopping. Sums are taken by rank 0 over all nodes in their order, which is in_process.cpp's, and sent
// to all. With ControlScope::kLocal they are over this rank's nodes, and only what must be decided together travels,
// over the tree.

#include <algorithm>

#include "mpi_network.h"

namespace slidemesh::mpi {

template <class T>
void MpiNetwork::gather_nodes(const T* mine, T* all, Index each) {
  std::vector<std::span<std::byte>> parts;
  for (int rank = 0; is_root() && rank < size(); ++rank) {
    const NodeRange nodes_there = range(rank);
    parts.push_back(bytes_of(all + nodes_there.first * each, static_cast<std::size_t>(nodes_there.count * each)));
  }
  control_.gather(bytes_of(mine, static_cast<std::size_t>(local_nodes() * each)), parts);
}

double MpiNetwork::control_sum(ConstVectorRef per_local_node) {
  Vector all = per_local_node;
  if (!local_scope()) {
    all.resize(nodes());
    gather_nodes(per_local_node.data(), all.data(), 1);
  }
  double sum = 0.0;
  for (Index i = 0; i < all.size(); ++i) {
    sum += all(i);
  }
  if (!local_scope()) {
    control_.broadcast(bytes_of(&sum, 1));
  }
  return sum;
}

double MpiNetwork::control_max(ConstVectorRef per_local_node) {
  if (local_scope()) {
    return per_local_node.maxCoeff();
  }
  Vector all(nodes());
  gather_nodes(per_local_node.data(), all.data(), 1);
  double largest = is_root() ? all.maxCoeff() : 0.0;
  control_.broadcast(bytes_of(&largest, 1));
  return largest;
}

void MpiNetwork::control_mean(const Stacked& x, Vector& mean) {
  Stacked gathered;
  const Stacked* columns = &x;
  if (!local_scope()) {
    gathered.resize(x.rows(), is_root() ? nodes() : 0);
    gather_nodes(x.data(), gathered.data(), x.rows());
    columns = &gathered;
  }
  mean.resize(x.rows());
  if (local_scope() || is_root()) {
    mean = columns->col(0);
    for (Index i = 1; i < columns->cols(); ++i) {
      mean += columns->col(i);
    }
    mean /= static_cast<double>(columns->cols());
  }
  if (!local_scope()) {
    control_.broadcast(bytes_of(mean.data(), static_cast<std::size_t>(mean.size())));
  }
}

void MpiNetwork::control_gather(const Stacked& x, Stacked& all) {
  if (local_scope()) {
    all = x;
    return;
  }
  all.resize(x.rows(), nodes());
  gather_nodes(x.data(), all.data(), x.rows());
  control_.broadcast(bytes_of(all.data(), static_cast<std::size_t>(all.size())));
}

std::vector<NodeMeters> MpiNetwork::control_node_meters() {
  if (local_scope()) {
    return meters().node;
  }
  std::vector<NodeMeters> all(static_cast<std::size_t>(nodes()));
  gather_nodes(meters().node.data(), all.data(), 1);
  control_.broadcast(bytes_of(all.data(), all.size()));
  return all;
}

MeterTotals MpiNetwork::control_totals() {
  if (local_scope()) {
    return meters().totals();
  }
  Meters all;
  all.node = control_node_meters();
  all.communication_rounds = meters().communication_rounds;
  std::vector<Count> scalars(static_cast<std::size_t>(size()));
  control_.gather_one(meters().scalar_messages, scalars);
  for (const Count messages : scalars) {
    all.scalar_messages += messages;
  }
  control_.broadcast(bytes_of(&all.scalar_messages, 1));
  return all.totals();
}

WireMeters MpiNetwork::wire() const {
  WireMeters sum = wire_;
  sum.control_messages += control_.messages() - control_messages_before_;
  sum.control_bytes += control_.bytes() - control_bytes_before_;
  return sum;
}

WireMeters MpiNetwork::control_wire() {
  WireMeters sum = wire();
  if (local_scope()) {
    return sum;
  }
  std::vector<WireMeters> all(static_cast<std::size_t>(size()));
  control_.gather_one(sum, all);
  for (std::size_t rank = 1; is_root() && rank < all.size(); ++rank) {
    sum.messages += all[rank].messages;
    sum.bytes += all[rank].bytes;
    sum.control_messages += all[rank].control_messages;
    sum.control_bytes += all[rank].control_bytes;
  }
  control_.broadcast(bytes_of(&sum, 1));
  return sum;
}

bool MpiNetwork::control_any(bool here) {
  if (local_scope()) {
    const Matrix values = Matrix::Constant(1, local_nodes(), here ? 1.0 : 0.0);
    return reduce_over_tree(values, Reduction::kMax, Traffic::kControl)(0) > 0.0;
  }
  std::vector<char> all(static_cast<std::size_t>(size()));
  control_.gather_one(static_cast<char>(here), all);
  char any = static_cast<char>(std::find(all.begin(), all.end(), 1) != all.end());
  control_.broadcast(bytes_of(&any, 1));
  return any != 0;
}

double MpiNetwork::control_from_root(double here) {
  if (local_scope()) {
    Matrix values = Matrix::Constant(1, local_nodes(), here);  // the first rank has node 0, the tree's root
    pass_down_the_tree(values, Traffic::kControl);
    return values(0, 0);
  }
  control_.broadcast(bytes_of(&here, 1));
  return here;
}

}  // namespace slidemesh::mpi
