#include "slidemesh/network/in_process.h"

namespace slidemesh {

InProcessNetwork::InProcessNetwork(const Graph& graph) : Network(graph, 0, graph.nodes()) {}

double InProcessNetwork::control_sum(ConstVectorRef per_local_node) {
  double sum = 0.0;
  for (Index i = 0; i < per_local_node.size(); ++i) {
    sum += per_local_node(i);
  }
  return sum;
}

double InProcessNetwork::control_max(ConstVectorRef per_local_node) { return per_local_node.maxCoeff(); }

void InProcessNetwork::control_mean(const Stacked& x, Vector& mean) {
  mean = x.col(0);
  for (Index i = 1; i < x.cols(); ++i) {
    mean += x.col(i);
  }
  mean /= static_cast<double>(x.cols());
}

void InProcessNetwork::start_exchange(const Stacked& x, Traffic /*traffic*/) {
  columns_ = x.data();
  dimension_ = x.rows();
}

Vector InProcessNetwork::reduce_over_tree(const Matrix& values, Reduction reduction) {
  Matrix partial = values;
  const auto& order = tree().order;
  for (auto node = order.rbegin(); node != order.rend(); ++node) {
    for (const Index child : tree().children[static_cast<std::size_t>(*node)]) {
      if (reduction == Reduction::kSum) {
        partial.col(*node) += partial.col(child);
      } else {
        partial.col(*node) = partial.col(*node).cwiseMax(partial.col(child));
      }
    }
  }
  return partial.col(order.front());
}

}  // namespace slidemesh
