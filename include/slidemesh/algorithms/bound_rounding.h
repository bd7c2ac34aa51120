#pragma once

#include "slidemesh/core/problem.h"
#include "slidemesh/linalg/types.h"
#include "slidemesh/network/network.h"

namespace slidemesh {

/// How long a point of a node's set can be, for each local node.
[[nodiscard]] Vector reaches(const Problem& problem);

/// What rounding can have added to each local node's part of a lower bound, for a dual variable s_i of length 1. The
/// bound rests on w = Lap s having the sum zero over the nodes. w_i is a sum of deg_i + 1 terms of the sizes of deg_i
/// s_i and of the neighbours' s_j, so that it is off by at most eps (deg_i + 1) (deg_i |s_i| + sum over j of |s_j|),
/// and <w_i, x> by so much times |x|. Here every node takes what its own s_i can have done, to itself and to its
/// neighbours. It matters where the multipliers nearly cancel: badly scaled columns.
[[nodiscard]] Vector rounding_of_bounds(const Problem& problem, const Network& network);

}  // namespace slidemesh
