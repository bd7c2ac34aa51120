#include <gtest/gtest.h>

#include "slidemesh/algorithms/mixing.h"
#include "slidemesh/base/errors.h"
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

TEST(Network, MixesInPlaceToTheSameBits) {
  for (const Wire wire : {Wire::kFloat64, Wire::kSparse, Wire::kFloat32}) {
    for (const Index nodes : {1, 6, 90}) {
      const Graph graph = make_graph({.kind = "complete", .nodes = nodes});
      const MixingWeights w = mixing_weights(graph, Weights::kMetropolis);
      InProcessNetwork network(graph);
      InProcessNetwork other(graph);
      network.set_wire(wire);
      other.set_wire(wire);
      for (const Index d : {1, 63, 64, 65, 1000}) {
        Stacked x = Stacked::Random(d, graph.nodes());
        Stacked y(d, graph.nodes());
        other.mix(w, x, y);
        network.mix(w, x);
        EXPECT_EQ(x, y) << graph.nodes() << " nodes, dimension " << d;
        EXPECT_EQ(network.meters().totals().bytes_sent, other.meters().totals().bytes_sent);
      }
    }
  }
}

TEST(Network, MixesAPartOfARoundAndChargesTheWhole) {
  const Graph graph = make_graph({.kind = "ring", .nodes = 6});
  const MixingWeights w = mixing_weights(graph, Weights::kMetropolis);
  InProcessNetwork network(graph);
  InProcessNetwork other(graph);
  const Stacked x = Stacked::Random(40, 6);
  Stacked all(40, 6);
  Stacked part = x.middleRows(3, 7);
  ASSERT_TRUE(network.can_mix_late());
  network.mix_part(w, part, 40);
  other.mix(w, x, all);
  EXPECT_EQ(part, all.middleRows(3, 7));
  EXPECT_EQ(network.meters().totals().bytes_sent, other.meters().totals().bytes_sent);
  EXPECT_EQ(network.meters().communication_rounds, other.meters().communication_rounds);
  network.set_wire(Wire::kFloat32);
  EXPECT_FALSE(network.can_mix_late());
  EXPECT_THROW(network.mix_part(w, all, 40), InternalError);
}

}  // namespace
}  // namespace slidemesh
