#include "dense_eigen.h"

#include <Eigen/Eigenvalues>

namespace slidemesh::detail {

DenseEigen dense_eigen(const Matrix& matrix) {
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(0.5 * (matrix + matrix.transpose()));
  return {solver.eigenvalues(), solver.eigenvectors()};
}

Vector dense_eigenvalues(const Matrix& matrix) {
  return Eigen::SelfAdjointEigenSolver<Matrix>(0.5 * (matrix + matrix.transpose()), Eigen::EigenvaluesOnly)
      .eigenvalues();
}

}  // namespace slidemesh::detail
