#pragma once

#include <memory>

#include "slidemesh/algorithms/newton_sliding.h"
#include "slidemesh/core/method.h"

namespace slidemesh {

/// Newton sliding with `share = "models"`: nodes do not agree on the minimum of their models' sum by sending iterates
/// from neighbour to neighbour, but add the models themselves up and down a spanning tree, once per stage, and each
/// minimizes the sum alone. One agreement of d(d + 3)/2 numbers in place of some dozens of rounds; a parent learns the
/// sum of the models behind it, gradients and curvatures. Needs one set for all nodes.
[[nodiscard]] std::unique_ptr<Method> make_newton_sums(const Problem& problem, Network& network,
                                                       const NewtonSlidingOptions& options);

}  // namespace slidemesh
