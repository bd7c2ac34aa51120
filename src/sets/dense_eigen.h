#pragma once

#include "slidemesh/linalg/types.h"

namespace slidemesh::detail {

/// All eigenvalues, ascending, and orthonormal eigenvectors of the symmetric part of a matrix.
struct DenseEigen {
  Vector values;
  Matrix vectors;
};
[[nodiscard]] DenseEigen dense_eigen(const Matrix& matrix);

/// The eigenvalues alone.
[[nodiscard]] Vector dense_eigenvalues(const Matrix& matrix);

}  // namespace slidemesh::detail
