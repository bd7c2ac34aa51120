#include "slidemesh/network/mpi_network.h"

#include <gtest/gtest.h>

namespace slidemesh {
namespace {

TEST(NodeRangeTest, RanksTakeContiguousAndEvenPartsOfAllNodes) {
  for (Index nodes = 1; nodes <= 40; ++nodes) {
    for (int ranks = 1; ranks <= nodes; ++ranks) {
      Index next = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const NodeRange range = nodes_of_rank(nodes, ranks, rank);
        EXPECT_EQ(range.first, next);
        EXPECT_GE(range.count, nodes / ranks);
        EXPECT_LE(range.count, nodes / ranks + 1);
        for (Index node = range.first; node < range.first + range.count; ++node) {
          EXPECT_EQ(rank_of_node(nodes, ranks, node), rank);
        }
        next += range.count;
      }
      EXPECT_EQ(next, nodes);
    }
  }
}

}  // namespace
}  // namespace slidemesh
