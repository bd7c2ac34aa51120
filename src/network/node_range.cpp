#include "slidemesh/network/node_range.h"

#include <algorithm>

namespace slidemesh {

NodeRange nodes_of_rank(Index nodes, int ranks, int rank) {
  const Index each = nodes / ranks;
  const Index more = nodes % ranks;
  return {rank * each + std::min<Index>(rank, more), each + (rank < more ? 1 : 0)};
}

int rank_of_node(Index nodes, int ranks, Index node) {
  const Index each = nodes / ranks;
  const Index more = nodes % ranks;
  const Index in_larger = more * (each + 1);
  return static_cast<int>(node < in_larger ? node / (each + 1) : more + (node - in_larger) / each);
}

}  // namespace slidemesh
