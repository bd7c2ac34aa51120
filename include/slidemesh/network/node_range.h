#pragma once

#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// first .. first + count - 1.
struct NodeRange {
  Index first = 0;
  Index count = 0;
};
/// The nodes of a rank: contiguous, and as even as can be, the first ranks having one more.
[[nodiscard]] NodeRange nodes_of_rank(Index nodes, int ranks, int rank);
[[nodiscard]] int rank_of_node(Index nodes, int ranks, Index node);

}  // namespace slidemesh
