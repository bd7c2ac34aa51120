#include "slidemesh/linalg/eigenvalue.h"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "slidemesh/base/random.h"
#include "slidemesh/linalg/kernels.h"

namespace slidemesh {

double largest_eigenvalue(const Matrix& upper) {
  const Matrix full = upper.selfadjointView<Eigen::Upper>();
  if (!full.allFinite()) {
    return std::numeric_limits<double>::infinity();  // the solver would make of it what it likes
  }
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(full, Eigen::EigenvaluesOnly);
  return std::max(0.0, solver.eigenvalues()(full.rows() - 1));
}

double largest_eigenvalue(Index d, const std::function<void(const Vector& x, Vector& y)>& apply) {
  constexpr Index kMostSteps = 120;
  constexpr double kRelativeResidual = 1e-9;

  RandomStream random(0, Purpose::kPowerMethod);
  Vector q(d);
  for (Index i = 0; i < d; ++i) {
    q(i) = random.normal();
  }
  q /= norm(q);
  std::vector<Vector> basis;
  std::vector<double> diagonal;
  std::vector<double> off_diagonal;
  Vector y(d);
  double ritz = 0.0;
  double residual = 0.0;
  for (Index k = 0; k < std::min(kMostSteps, d); ++k) {
    basis.push_back(q);
    apply(q, y);
    diagonal.push_back(dot(q, y));
    for (int twice = 0; twice < 2; ++twice) {
      for (const Vector& b : basis) {
        axpy(-dot(b, y), b.data(), y.data(), d);
      }
    }
    const double beta = norm(y);
    const auto size = static_cast<Index>(diagonal.size());
    Eigen::SelfAdjointEigenSolver<Matrix> solver;
    solver.computeFromTridiagonal(Eigen::Map<const Vector>(diagonal.data(), size),
                                  Eigen::Map<const Vector>(off_diagonal.data(), size - 1));
    ritz = solver.eigenvalues()(size - 1);
    residual = beta * std::abs(solver.eigenvectors()(size - 1, size - 1));
    if (residual <= kRelativeResidual * ritz || beta == 0.0) {
      break;
    }
    off_diagonal.push_back(beta);
    q = y / beta;
  }
  return ritz + residual;
}

}  // namespace slidemesh
