#pragma once

#include <functional>
#include <optional>

#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// y = S x for a symmetric S on R^n.
using SymmetricOperator = std::function<void(const double* x, double* y)>;

/// Below this size a dense decomposition is as fast.
inline constexpr Index kSmallestForLanczos = 24;

struct LanczosOptions {
  Index pairs = 1;          ///< wanted, of the algebraically largest eigenvalues
  Index basis = 0;          ///< Krylov vectors kept; 0: a few more than twice the pairs
  Index restarts = 300;     ///< at most
  double tolerance = 1e-9;  ///< where the iteration stops: its own estimate of the residuals, relative to the values
  double residual = 1e-8;   ///< what is accepted: |S v - value v|, measured separately, relative to the largest |value|
};

struct Eigenpairs {
  Vector values;          ///< descending
  Matrix vectors;         ///< orthonormal columns
  double residual = 0.0;  ///< the largest |S v - value v|
};

/// The leading eigenpairs of a symmetric operator on R^n by restarted Lanczos (Spectra), or nothing if some residual is
/// not as small as asked for: then the caller must do without. `start` is where the search begins (a warm start; of
/// another size or 0: a fixed pseudo-random vector) and receives the sum of the vectors found, for the next time.
[[nodiscard]] std::optional<Eigenpairs> leading_eigenpairs(Index n, const SymmetricOperator& apply, Vector& start,
                                                           const LanczosOptions& options);

}  // namespace slidemesh
