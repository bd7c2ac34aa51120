#include <gtest/gtest.h>

#include "slidemesh/graphs/generators.h"
#include "slidemesh/network/in_process.h"
#include "slidemesh/network/network.h"

namespace slidemesh {
namespace {

/// Long columns are taken in pieces, wide ones first, and neighbours beyond some tens in groups.
TEST(Network, AddsAnyNumberOfNeighboursOfAnyLength) {
  const Graph graph = make_graph({.kind = "star", .nodes = 150});
  InProcessNetwork network(graph);
  for (const Index d : {Index{1}, Index{3}, Index{35}, Index{135}, Index{1001}}) {
    const Stacked x = Stacked::Random(d, 150);
    Stacked y(d, 150);
    network.laplacian(x, y);
    for (Index i = 0; i < 150; ++i) {
      Vector expected = static_cast<double>(graph.degree(i)) * x.col(i);
      for (const Index j : graph.neighbours(i)) {
        expected -= x.col(j);
      }
      ASSERT_EQ(y.col(i), expected) << "node " << i << ", dimension " << d;
    }
  }
}

}  // namespace
}  // namespace slidemesh
