#pragma once

#include <functional>

#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// Up to this many features a Gram matrix is formed in one pass and decomposed; beyond, Lanczos.
inline constexpr Index kDenseGramFeatures = 256;

/// The largest eigenvalue of a symmetric positive semidefinite matrix, of which the upper triangle is read.
[[nodiscard]] double largest_eigenvalue(const Matrix& upper);

/// The same for an operator y = M x of dimension d, by Lanczos with full reorthogonalization. What is
/// returned is the Ritz value plus its residual, so that it errs upwards.
[[nodiscard]] double largest_eigenvalue(Index d, const std::function<void(const Vector& x, Vector& y)>& apply);

}  // namespace slidemesh
