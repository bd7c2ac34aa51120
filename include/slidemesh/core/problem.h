#pragma once

#include <memory>
#include <vector>

#include "slidemesh/core/feasible_set.h"
#include "slidemesh/core/objective.h"
#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// min over x in X of  F(x) = f_1(x) + ... + f_m(x),    f_i(x) = f~_i(x) + mu |x|^2 / 2,
///
/// where node i knows f~_i alone, f~_i is convex and L~-smooth, and X is a closed convex bounded set.
/// `objectives` are those of this process's nodes, in the order of the nodes.
struct Problem {
  std::vector<std::shared_ptr<LocalObjective>> objectives;
  std::shared_ptr<const FeasibleSet> set;
  double mu = 0.0;
  double smoothness = 0.0;  ///< L~, the largest over all nodes
  Vector start;             ///< x_0, a point of X, the same at every node
  bool prefetch = true;     ///< whether rows that will be drawn may be asked for before they are

  [[nodiscard]] Index dimension() const { return set->dimension(); }
};

}  // namespace slidemesh
