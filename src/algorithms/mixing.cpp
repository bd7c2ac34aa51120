#include "slidemesh/algorithms/mixing.h"

#include <algorithm>

namespace slidemesh {

MixingWeights mixing_weights(const Graph& graph, Weights weights, double scale) {
  const double s = scale > 0.0 ? scale : graph.degree_bound();
  const auto weight = [&](Index i, Index j) {
    const auto a = static_cast<double>(graph.degree(i));
    const auto b = static_cast<double>(graph.degree(j));
    switch (weights) {
      case Weights::kMetropolis:
        return 1.0 / (1.0 + std::max(a, b));
      case Weights::kMinDegree:
        return std::min(1.0 / (a + 1.0), 1.0 / (b + 1.0));
      case Weights::kLaplacian:
        break;
    }
    return 1.0 / s;
  };
  MixingWeights w;
  w.diagonal.resize(graph.nodes());
  w.edge.resize(static_cast<std::size_t>(graph.nodes()));
  for (Index i = 0; i < graph.nodes(); ++i) {
    auto& edges = w.edge[static_cast<std::size_t>(i)];
    edges.reserve(static_cast<std::size_t>(graph.degree(i)));
    double given = 0.0;
    for (const Index j : graph.neighbours(i)) {
      edges.push_back(weight(i, j));
      given += edges.back();
    }
    w.diagonal(i) = 1.0 - given;
  }
  return w;
}

MixingWeights lazy(MixingWeights w) {
  w.diagonal = (1.0 + w.diagonal.array()) / 2.0;
  for (auto& edges : w.edge) {
    for (double& weight : edges) {
      weight /= 2.0;
    }
  }
  return w;
}

}  // namespace slidemesh
