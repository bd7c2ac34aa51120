#include "slidemesh/algorithms/bound_rounding.h"

#include <algorithm>
#include <limits>

#include "slidemesh/linalg/kernels.h"

namespace slidemesh {

Vector reaches(const Problem& problem) {
  const auto nodes = static_cast<Index>(problem.sets.size());
  if (!problem.sets_differ) {
    return Vector::Constant(nodes, norm(problem.start) + problem.set(0).diameter());
  }
  const Stacked inside = problem.starts();
  return Vector::NullaryExpr(nodes, [&](Index i) { return norm(inside.col(i)) + problem.set(i).diameter(); });
}

Vector rounding_of_bounds(const Problem& problem, const Network& network) {
  const Graph& graph = network.graph();
  Vector rounding = reaches(problem);
  for (Index i = 0; i < rounding.size(); ++i) {
    const Index node = network.global(i);
    Index largest = graph.degree(node);
    for (const Index j : graph.neighbours(node)) {
      largest = std::max(largest, graph.degree(j));
    }
    rounding(i) *=
        std::numeric_limits<double>::epsilon() * 2.0 * static_cast<double>(graph.degree(node) * (largest + 1));
  }
  return rounding;
}

}  // namespace slidemesh
