#pragma once

#include <functional>

#include "slidemesh/linalg/types.h"

namespace slidemesh::detail {

/// y = S x for a symmetric S.
using SymmetricOperator = std::function<void(const double* x, double* y)>;

/// The k algebraically largest eigenpairs of a symmetric operator on R^n by restarted Lanczos (Spectra), largest first.
/// `start` is where the search begins (a warm start; empty or 0: a fixed pseudo-random vector) and receives the sum of
/// the vectors found, for the next time. Returns whether every residual |S v - value v|, measured anew, is at most
/// kLanczosResidual relative to the largest |value|; if not, the caller must do without.
[[nodiscard]] bool leading_eigenpairs(const SymmetricOperator& apply, Index n, Index k, Vector& start, Vector& values,
                                      Matrix& vectors);

inline constexpr double kLanczosResidual = 1e-8;
inline constexpr double kLanczosTolerance = 1e-9;
/// Below this size a dense decomposition is as fast.
inline constexpr Index kSmallestForLanczos = 24;

}  // namespace slidemesh::detail
