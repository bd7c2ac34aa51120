#pragma once

// Dense decompositions whose results have been checked. A library's routine may fail to converge or answer with
// something else than asked; here it is asked once more, in another way, and an InternalError says so if that fails
// too. What is not finite has no decomposition: all that comes back is NaN, and whoever owns the numbers complains.

#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// Eigenvalues, ascending, and orthonormal eigenvectors of the symmetric part of a matrix.
struct SymmetricEigen {
  Vector values;
  Matrix vectors;
};
[[nodiscard]] SymmetricEigen symmetric_eigen(const Matrix& matrix);

/// The eigenvalues alone.
[[nodiscard]] Vector symmetric_eigenvalues(const Matrix& matrix);

/// The largest eigenvalue of a positive semidefinite matrix, of which the upper triangle is read; infinity where that
/// is not finite.
[[nodiscard]] double largest_eigenvalue(const Matrix& upper);

/// matrix = left diag(values) right', values descending, as many as the shorter side.
struct ThinSvd {
  Matrix left;
  Vector values;
  Matrix right;
};
[[nodiscard]] ThinSvd thin_svd(const Matrix& matrix);

/// The singular values alone.
[[nodiscard]] Vector singular_values(const Matrix& matrix);

}  // namespace slidemesh
