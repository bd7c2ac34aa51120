// Over all nodes, sums are taken by the root in the order of the nodes and sent to all, whatever the transport: the
// same bits as in one process.

#include "slidemesh/control/control.h"

#include <algorithm>

#include "slidemesh/transport/transport.h"

namespace slidemesh {

bool Control::is_root() const { return network_->transport_->is_root(); }

Index Control::nodes() const { return is_local() ? network_->local_nodes() : network_->nodes(); }

double Control::sum(ConstVectorRef per_local_node) const {
  return is_local() ? sum_in_order(per_local_node.transpose())(0) : total(per_local_node);
}

double Control::max(ConstVectorRef per_local_node) const {
  return is_local() ? per_local_node.maxCoeff() : over_all(per_local_node.transpose(), Reduction::kMax)(0);
}

void Control::mean(const Stacked& x, Vector& mean) const {
  if (is_local()) {
    mean = sum_in_order(x) / static_cast<double>(x.cols());
  } else {
    mean_over_tree(x, mean);
  }
}

void Control::gather(const Stacked& x, Stacked& all) const {
  if (is_local()) {
    all = x;
    return;
  }
  all.resize(x.rows(), network_->nodes());
  const auto bytes = writable_bytes_of(all.data(), static_cast<std::size_t>(all.size()));
  network_->transport_->gather(bytes_of(x.data(), static_cast<std::size_t>(x.size())), bytes);
  network_->transport_->broadcast(bytes);
}

template <class T>
std::vector<T> Control::all_of(const std::vector<T>& mine) const {
  if (is_local()) {
    return mine;
  }
  std::vector<T> all(static_cast<std::size_t>(network_->nodes()));
  const auto bytes = writable_bytes_of(all.data(), all.size());
  network_->transport_->gather(bytes_of(mine.data(), mine.size()), bytes);
  network_->transport_->broadcast(bytes);
  return all;
}

std::vector<NodeMeters> Control::node_meters() const { return all_of(network_->meters().node); }

MeterTotals Control::totals() const {
  Meters all = network_->meters();
  all.node = node_meters();
  // Sent by the nodes of a process together: the first of them sends for all.
  std::vector<Count> scalar_messages(static_cast<std::size_t>(network_->local_nodes()), 0);
  scalar_messages.front() = network_->meters().scalar_messages;
  all.scalar_messages = 0;
  for (const Count messages : all_of(scalar_messages)) {
    all.scalar_messages += messages;
  }
  return all.totals();
}

WireMeters Control::local_wire() const { return network_->transport_->wire(); }

WireMeters Control::wire() const {
  std::vector<WireMeters> mine(static_cast<std::size_t>(network_->local_nodes()));
  mine.front() = local_wire();
  WireMeters sum;
  for (const WireMeters& part : all_of(mine)) {
    sum.messages += part.messages;
    sum.bytes += part.bytes;
    sum.control_messages += part.control_messages;
    sum.control_bytes += part.control_bytes;
  }
  return sum;
}

void Control::laplacian(const Stacked& x, Stacked& y) const {
  y.resize(x.rows(), x.cols());
  network_->laplacian(x, Traffic::kControl, y);
}

Vector Control::reduce_over_tree(Matrix values, Reduction reduction) const {
  Transport& transport = *network_->transport_;
  transport.reduce_up(transport.tree(), values, reduction, Traffic::kControl);
  transport.pass_down(transport.tree(), values, Traffic::kControl);
  return values.col(0);
}

Vector Control::over_all(const Matrix& per_local_node, Reduction reduction) const {
  return is_local() ? reduce_over_tree(per_local_node, reduction)
                    : combined_at_root(*network_->transport_, per_local_node,
                                       reduction == Reduction::kSum ? sum_in_order : max_in_order);
}

double Control::total(ConstVectorRef per_local_node) const { return totals_of(per_local_node.transpose())(0); }

Vector Control::totals_of(const Matrix& per_local_node) const { return over_all(per_local_node, Reduction::kSum); }

void Control::mean_over_tree(const Stacked& x, Vector& mean_out) const {
  constexpr Index kRowsAtOnce = Index{1} << 16;  // so that large iterates need not lie in memory twice
  mean_out.resize(x.rows());
  for (Index first = 0; first < x.rows(); first += kRowsAtOnce) {
    const Index count = std::min(kRowsAtOnce, x.rows() - first);
    mean_out.segment(first, count) =
        reduce_over_tree(x.middleRows(first, count), Reduction::kSum) / static_cast<double>(network_->nodes());
  }
}

Vector Control::maxima_of(const Vector& here) const {
  return over_all(here.replicate(1, network_->local_nodes()), Reduction::kMax);
}

bool Control::any(bool here) const { return maxima_of(Vector::Constant(1, here ? 1.0 : 0.0))(0) > 0.0; }

void Control::broadcast(std::span<std::byte> bytes) const {
  if (is_local()) {
    network_->transport_->broadcast_over_tree(bytes);
  } else {
    network_->transport_->broadcast(bytes);
  }
}

double Control::from_root(double here) const {
  broadcast(writable_bytes_of(&here, 1));
  return here;
}

std::string Control::from_root(const std::string& here) const {
  std::uint64_t size = here.size();
  broadcast(writable_bytes_of(&size, 1));
  std::string text = is_root() ? here : std::string(static_cast<std::size_t>(size), '\0');
  if (size > 0) {
    broadcast(writable_bytes_of(text.data(), text.size()));
  }
  return text;
}

}  // namespace slidemesh
