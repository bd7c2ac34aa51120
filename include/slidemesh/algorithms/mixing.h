#pragma once

#include "slidemesh/core/graph.h"
#include "slidemesh/network/network.h"

namespace slidemesh {

/// How much of a neighbour's iterate a node takes in. All are symmetric and doubly stochastic, and a
/// node needs nothing but its own and its neighbours' degrees (and, for kLaplacian, one agreed number).
enum class Weights {
  kMetropolis,  ///< w_ij = 1 / (1 + max(deg_i, deg_j))
  kMinDegree,   ///< w_ij = min(1/d_i, 1/d_j), d counting the node itself: DeFW's own experiments
  kLaplacian,   ///< W = I - Lap / s, s = lambda_max(Lap) or a bound on it
};

/// The diagonal completes each row to 1. `scale` is kLaplacian's s; 0 takes the graph's degree bound.
[[nodiscard]] MixingWeights mixing_weights(const Graph& graph, Weights weights, double scale = 0.0);

/// (I + W) / 2, whose eigenvalues lie in [0, 1] wherever those of W lie in [-1, 1].
[[nodiscard]] MixingWeights lazy(MixingWeights w);

}  // namespace slidemesh
