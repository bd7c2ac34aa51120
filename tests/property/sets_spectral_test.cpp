#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>

#include <cmath>

#include "slidemesh/sets/spectral.h"
#include "support/set_matchers.h"

namespace slidemesh {
namespace {

using testing::expect_set_invariants;
using testing::SetCheckOptions;

Matrix random_matrix(Index rows, Index columns, std::uint32_t stream) {
  RandomStream random(11, Purpose::kTest, stream);
  Matrix matrix(rows, columns);
  for (double& value : matrix.reshaped()) {
    value = random.normal();
  }
  return matrix;
}

/// Random matrices of nuclear norm at most the radius: a few singular pairs with random weights.
SetCheckOptions nuclear_points(Index rows, Index columns, double radius) {
  SetCheckOptions options;
  options.directions = 8;
  options.projections = 10;
  options.sampler = [rows, columns, radius](RandomStream& random, VectorRef x) {
    Eigen::Map<Matrix> matrix(x.data(), rows, columns);
    matrix.setZero();
    double left = radius;
    for (int rank = 0; rank < 3; ++rank) {
      Vector u(rows);
      Vector v(columns);
      for (double& value : u) {
        value = random.normal();
      }
      for (double& value : v) {
        value = random.normal();
      }
      const double share = left * random.unit();
      matrix += share * u / u.norm() * v.transpose() / v.norm();
      left -= share;
    }
  };
  return options;
}

TEST(Spectral, NuclearBallHasTheInvariantsOfASet) {
  for (const auto& [rows, columns] : {std::pair<Index, Index>{1, 1}, {4, 7}, {30, 26}, {26, 60}, {60, 3}}) {
    NuclearBall set(rows, columns, 2.5);
    testing::expect_set_invariants(set, nuclear_points(rows, columns, 2.5));
  }
}

TEST(Spectral, NuclearOracleFindsTheLeadingPair) {
  constexpr double kRelative = 1e-12;  // the value is quadratic in the error of the vectors
  for (std::uint32_t stream = 0; stream < 5; ++stream) {
    const Matrix g = random_matrix(60, 90, stream);
    NuclearBall set(60, 90, 3.0);
    Vector v(60 * 90);
    set.linear_minimizer(g.reshaped(), v);
    const double best = -3.0 * Eigen::BDCSVD<Matrix>(g).singularValues()[0];
    EXPECT_NEAR(g.reshaped().dot(v), best, kRelative * std::abs(best));
  }
}

TEST(Spectral, WarmStartOrthogonalToTheAnswerDoesNotHideIt) {
  // First a matrix whose leading pair is (e_1, e_1), then one whose is (e_2, e_2), with e_1 an exact singular vector
  // too.
  NuclearBall set(40, 40, 1.0);
  Vector v(1600);
  Matrix g = Matrix::Zero(40, 40);
  g(0, 0) = 5.0;
  g(1, 1) = 1.0;
  set.linear_minimizer(g.reshaped(), v);
  g(1, 1) = 9.0;
  set.linear_minimizer(g.reshaped(), v);
  EXPECT_NEAR(g.reshaped().dot(v), -9.0, 1e-12);
}

TEST(Spectral, OraclesSurviveRepeatedSingularValues) {
  NuclearBall set(50, 50, 1.0);
  Vector v(2500);
  set.linear_minimizer(Matrix::Identity(50, 50).reshaped(), v);
  EXPECT_NEAR(Matrix::Identity(50, 50).reshaped().dot(v), -1.0, 1e-12);
  Fantope fantope(50, 3);
  fantope.linear_minimizer(Matrix::Identity(50, 50).reshaped(), v);
  EXPECT_NEAR(Matrix::Identity(50, 50).reshaped().dot(v), 3.0, 1e-12);
}

/// Mixtures of `scale` Q Q' for two random orthonormal Q of k columns.
SetCheckOptions projectors(Index side, Index k, double scale) {
  SetCheckOptions options;
  options.directions = 8;
  options.projections = 10;
  options.sampler = [side, k, scale](RandomStream& random, VectorRef x) {
    Eigen::Map<Matrix> mixture(x.data(), side, side);
    mixture.setZero();
    const double share = random.unit();
    for (const double weight : {share, 1.0 - share}) {
      Matrix normal(side, k);
      for (double& value : normal.reshaped()) {
        value = random.normal();
      }
      const Matrix q = Eigen::HouseholderQR<Matrix>(normal).householderQ() * Matrix::Identity(side, k);
      mixture += weight * scale * q * q.transpose();
    }
  };
  return options;
}

TEST(Spectral, SymmetricSetsHaveTheInvariantsOfASet) {
  for (const Index side : {1, 3, 30}) {
    Spectraplex plex(side, 1.5);
    expect_set_invariants(plex, projectors(side, 1, 1.5));
    Spectrahedron hedron(side, 1.5);
    expect_set_invariants(hedron, projectors(side, 1, 1.0));
  }
  for (const Index k : {1, 4, 30}) {
    Fantope fantope(30, k);
    expect_set_invariants(fantope, projectors(30, k, 1.0));
  }
  EXPECT_THROW(Fantope(3, 4), std::runtime_error);
}

TEST(Spectral, FantopeOracleTakesTheSmallestEigenvalues) {
  const Matrix a = random_matrix(40, 40, 3);
  const Matrix g = 0.5 * (a + a.transpose());
  Fantope set(40, 5);
  Vector v(1600);
  set.linear_minimizer(g.reshaped(), v);
  const Vector values = Eigen::SelfAdjointEigenSolver<Matrix>(g).eigenvalues();
  EXPECT_NEAR(g.reshaped().dot(v), values.head(5).sum(), 1e-9);
}

}  // namespace
}  // namespace slidemesh
