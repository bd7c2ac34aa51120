#pragma once

#include <functional>

#include "slidemesh/linalg/types.h"

namespace slidemesh {

struct TopEigenpair {
  double value = 0.0;
  Vector vector;          ///< of length 1
  double residual = 0.0;  ///< |Op vector - value vector|
};

/// y = Op x for a symmetric operator.
using SymmetricOperator = std::function<void(const Vector& x, Vector& y)>;

struct LanczosOptions {
  Index basis = 120;         ///< Krylov vectors kept, all orthogonalized against each other
  int restarts = 60;         ///< from the best vector so far
  double tolerance = 1e-10;  ///< of the residual, relative to the value
  bool orthogonal_to_constants = false;
};

/// The largest eigenvalue of a symmetric operator on R^n and its vector. With
/// `orthogonal_to_constants`, the largest on the complement of the constant vector, which the operator
/// must leave invariant.
[[nodiscard]] TopEigenpair top_eigenpair(Index n, const SymmetricOperator& apply, const LanczosOptions& options);

}  // namespace slidemesh
