#pragma once

#include <functional>

#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// Several vectors of R^n side by side: a row per coordinate, so that their numbers for one coordinate are neighbours.
using VectorBlock = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// y = S x for a symmetric S on R^n; y has the shape of x and is zero.
using BlockOperator = std::function<void(const VectorBlock& x, VectorBlock& y)>;

/// How a bound on the largest eigenvalue is to be found.
struct EigenvalueSearch {
  Index width = 1;         ///< vectors that S is applied to at once
  Index applications = 1;  ///< of S, an application may be a pass over data
  double miss = 0.0;       ///< what is found misses the largest eigenvalue by a share of at most that, almost surely
};

/// The fewest applications that suffice for a miss of a fifth: a smoothness constant that is so much too large costs a
/// tenth more steps of an accelerated method, and to halve that would take some three passes over the data more.
[[nodiscard]] EigenvalueSearch plan_eigenvalue_search(Index n);

/// At least the largest eigenvalue of a positive semidefinite S (but for once in 10^9), and at most what the search's
/// miss allows above it; infinity if the operator's results are not finite.
[[nodiscard]] double bound_largest_eigenvalue(Index n, const BlockOperator& apply, const EigenvalueSearch& search);

}  // namespace slidemesh
