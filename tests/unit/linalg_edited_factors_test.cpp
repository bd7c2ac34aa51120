#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include <cmath>
#include <vector>

#include "slidemesh/base/random.h"
#include "slidemesh/linalg/edited_cholesky.h"
#include "slidemesh/linalg/shifted_tridiagonal.h"

namespace slidemesh {
namespace {

/// D A D, A well conditioned, D from 1e-5 to 1e5 in no order.
Matrix badly_scaled(Index n) {
  RandomStream random(2, Purpose::kTest, static_cast<std::uint32_t>(n));
  Matrix rows(3 * n, n);
  for (double& one : rows.reshaped()) {
    one = random.normal();
  }
  Vector scale(n);
  for (double& one : scale) {
    one = std::pow(10.0, random.uniform(-5.0, 5.0));
  }
  const Matrix scaled = rows * scale.asDiagonal();
  return scaled.transpose() * scaled;
}

void append(EditedCholesky& factor, const Matrix& Q, const std::vector<Index>& kept, Index j) {
  std::vector<double> row;
  for (const Index i : kept) {
    row.push_back(Q(j, i));
  }
  ASSERT_TRUE(factor.append(row.data(), Q(j, j)));
}

TEST(EditedCholesky, IsThatOfTheRowsThatAreLeft) {
  const Matrix Q = badly_scaled(9);
  EditedCholesky factor;
  std::vector<Index> kept;
  for (const Index j : {4, 0, 8, 2, 6, 1}) {
    append(factor, Q, kept, j);
    kept.push_back(j);
  }
  for (const Index k : {0, 2, 3}) {
    factor.remove(k, [](Index, const Rotation&) {});
    kept.erase(kept.begin() + k);
  }
  append(factor, Q, kept, 7);
  kept.push_back(7);
  const Matrix part = Q(kept, kept);
  const Matrix expected = part.llt().matrixL();
  ASSERT_EQ(factor.size(), expected.rows());
  for (Index i = 0; i < expected.rows(); ++i) {
    for (Index j = 0; j <= i; ++j) {
      EXPECT_NEAR(factor(i, j), expected(i, j), 1e-12 * expected.row(i).norm());
    }
  }
}

TEST(EditedCholesky, RefusesARowThatIsAMixtureUnlessItIsToTakeIt) {
  EditedCholesky factor;
  double none = 0.0;
  ASSERT_TRUE(factor.append(&none, 4.0));
  double row = 4.0;
  EXPECT_FALSE(factor.append(&row, 4.0));
  EXPECT_EQ(factor.size(), 1);
  row = 4.0;
  factor.append_definite(&row, 4.0);
  EXPECT_EQ(factor.size(), 2);
  EXPECT_NEAR(factor(1, 1), std::sqrt(4.0 * EditedCholesky::kDependent), 1e-15);
}

TEST(EditedCholesky, ComesBackFromItsSquareWithTheSameBits) {
  const Matrix Q = badly_scaled(5);
  EditedCholesky factor;
  std::vector<Index> kept;
  for (Index j = 0; j < 5; ++j) {
    append(factor, Q, kept, j);
    kept.push_back(j);
  }
  EditedCholesky again;
  again.assign(factor.square(), 5);
  Vector r = Vector::LinSpaced(5, 1.0, 2.0);
  Vector s = r;
  solve_lower(factor.triangle(), r.data());
  solve_lower(again.triangle(), s.data());
  EXPECT_EQ(r, s);
}

/// Of D A D: every number of the solution is right relative to the size that its column gives it.
TEST(ShiftedTridiagonal, SolvesWithRoundingOfEachColumnsOwnSize) {
  for (const Index n : {1, 2, 3, 20}) {
    const Matrix Q = badly_scaled(n);
    const Vector size = Q.diagonal().cwiseSqrt();
    ShiftedTridiagonal factor;
    factor.decompose(Q);
    for (const double shift : {0.0, 1.0, 1e6}) {
      SCOPED_TRACE(std::to_string(n) + ", " + std::to_string(shift));
      Vector expected(n);
      for (Index j = 0; j < n; ++j) {
        expected(j) = (j % 2 == 0 ? 1.0 : -1.0) / std::sqrt(Q(j, j) + shift);
      }
      const Vector b = Q * expected + shift * expected;
      Vector x(n);
      Vector work(n);
      factor.shift(shift);
      factor.rotate(b, work);
      factor.solve(work);
      factor.rotate_back(work, x);
      for (Index j = 0; j < n; ++j) {
        EXPECT_NEAR(x(j), expected(j), 1e-10 / std::sqrt(Q(j, j) + shift));
      }
      factor.multiply(work, x);
      Vector turned(n);
      factor.rotate_back(x, turned);
      const Vector product = b - shift * expected;
      for (Index j = 0; j < n; ++j) {
        EXPECT_NEAR(turned(j), product(j), 1e-10 * size(j) * std::sqrt(static_cast<double>(n)));
      }
    }
  }
}

}  // namespace
}  // namespace slidemesh
