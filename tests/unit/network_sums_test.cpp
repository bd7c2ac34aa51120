#include <gtest/gtest.h>

#include "slidemesh/algorithms/mixing.h"
#include "slidemesh/graphs/generators.h"
#include "slidemesh/linalg/parallel.h"
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

/// Nodes and rows of more than one block and of less, threads and none, and what travels as floats.
TEST(Network, MixesAChangedBlockInItsPlaceAsItWouldOutside) {
  set_work_per_thread(1.0);
  for (const Index nodes : {Index{6}, Index{50}, Index{600}}) {
    const Graph graph = make_graph({.kind = "ring", .nodes = nodes});
    const MixingWeights w = mixing_weights(graph, Weights::kMetropolis);
    for (const Index d : {Index{1}, Index{63}, Index{130}, Index{5003}}) {
      for (const Wire wire : {Wire::kFloat64, Wire::kFloat32}) {
        InProcessNetwork network(graph);
        InProcessNetwork other(graph);
        network.set_wire(wire);
        other.set_wire(wire);
        Stacked x = Stacked::Random(d, nodes);
        const Stacked shift = Stacked::Random(d, nodes);
        const Stacked changed = 0.75 * x + shift;
        Stacked expected(d, nodes);
        other.mix(w, changed, expected);
        network.mix_changed(
            w,
            [&](Index i, Index begin, Index end, const double* from, double* to) {
              for (Index r = 0; r < end - begin; ++r) {
                to[r] = 0.75 * from[r] + shift(begin + r, i);
              }
            },
            x);
        ASSERT_EQ(x, expected) << nodes << " nodes, dimension " << d;
        EXPECT_EQ(network.meters().totals().bytes_sent, other.meters().totals().bytes_sent);
        EXPECT_EQ(network.meters().communication_rounds, other.meters().communication_rounds);
      }
    }
  }
  set_work_per_thread(0.0);
}

}  // namespace
}  // namespace slidemesh
