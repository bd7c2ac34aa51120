#include "slidemesh/linalg/decompositions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "slidemesh/base/random.h"
#include "slidemesh/linalg/block_lanczos.h"
#include "slidemesh/linalg/lanczos.h"
#include "slidemesh/sets/spectral.h"

namespace slidemesh {
namespace {

constexpr double kClose = 1e-12;

/// A matrix with so many entries set, as the gradient of matrix completion has them.
Matrix observed(Index side, int percent, std::uint64_t seed) {
  RandomStream random(seed, Purpose::kTest, static_cast<std::uint32_t>(side), static_cast<std::uint32_t>(percent));
  Matrix matrix = Matrix::Zero(side, side);
  for (Index e = 0; e < side * side * percent / 100; ++e) {
    const Index i = random.index(side);
    const Index j = random.index(side);
    matrix(i, j) = random.normal();
  }
  return matrix;
}

// Eigen's divide and conquer fails on about one of thirty of these: NaN, a wrong product, a read outside of its arrays.
TEST(Decompositions, SingularValuesOfAFewObservedEntries) {
  for (Index side = 17; side <= 80; side += 7) {
    for (int percent = 1; percent <= 4; ++percent) {
      for (std::uint64_t seed = 0; seed < 8; ++seed) {
        const Matrix matrix = observed(side, percent, seed);
        const ThinSvd svd = thin_svd(matrix);
        EXPECT_LE((svd.left * svd.values.asDiagonal() * svd.right.transpose() - matrix).norm(), kClose * matrix.norm());
        EXPECT_LE((singular_values(matrix) - svd.values).norm(), kClose * matrix.norm());
      }
    }
  }
}

TEST(Decompositions, NuclearBallProjectsAFewObservedEntries) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Index side = 71;
    const Matrix matrix = observed(side, 1, seed);
    NuclearBall ball(side, side, 2.0);
    Vector nearest(side * side);
    ball.project(matrix.reshaped(), nearest);
    ASSERT_TRUE(nearest.allFinite()) << "seed " << seed;
    EXPECT_TRUE(ball.contains(nearest)) << "seed " << seed;
    // Nearest means <x - nearest, v - nearest> <= 0 over the ball; it is enough to look where that is largest.
    Vector farthest(side * side);
    const Vector outward = matrix.reshaped() - nearest;
    ball.linear_minimizer(-outward, farthest);
    EXPECT_LE(outward.dot(farthest - nearest), 1e-9 * (1.0 + outward.norm())) << "seed " << seed;
  }
}

TEST(Decompositions, WhatIsNotFiniteStaysSo) {
  Matrix matrix = Matrix::Identity(30, 30);
  matrix(3, 4) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(symmetric_eigen(matrix).values.allFinite());
  EXPECT_FALSE(symmetric_eigenvalues(matrix).allFinite());
  EXPECT_FALSE(thin_svd(matrix).left.allFinite());
  EXPECT_FALSE(singular_values(matrix).allFinite());
  EXPECT_EQ(largest_eigenvalue(matrix), std::numeric_limits<double>::infinity());
}

TEST(Decompositions, ScalesAtTheEndsOfTheRange) {
  for (const double scale : {1e-150, 1.0, 1e150}) {
    const Matrix matrix = scale * (observed(30, 50, 1) + Matrix::Identity(30, 30));
    EXPECT_TRUE(singular_values(matrix).allFinite()) << scale;
    EXPECT_TRUE(symmetric_eigen(matrix).vectors.allFinite()) << scale;
  }
}

Matrix gram(Index n, double decay) {
  RandomStream random(3, Purpose::kTest);
  Matrix rows(2 * n, n);
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < 2 * n; ++i) {
      rows(i, j) = random.normal() * std::pow(1.0 + static_cast<double>(j), -decay);
    }
  }
  return rows.transpose() * rows;
}

TEST(Lanczos, AgreesWithTheDenseSolver) {
  constexpr Index kSize = 120;
  for (const double decay : {0.0, 0.5, 2.0}) {
    const Matrix matrix = gram(kSize, decay);
    const auto apply = [&](const double* x, double* y) {
      Eigen::Map<Vector>(y, kSize) = matrix * Eigen::Map<const Vector>(x, kSize);
    };
    const Vector all = symmetric_eigenvalues(matrix);
    Vector start;
    const auto pairs = leading_eigenpairs(kSize, apply, start, {.pairs = 3});
    ASSERT_TRUE(pairs.has_value());
    EXPECT_LE((pairs->values - all.tail(3).reverse()).norm(), 1e-10 * all[kSize - 1]);
    EXPECT_LE(pairs->residual, 1e-8 * all[kSize - 1]);
    EXPECT_EQ(start.size(), kSize);
  }
}

class BlockLanczos : public ::testing::TestWithParam<Index> {};

/// The operator of a matrix, which counts.
BlockOperator counting(const Matrix& matrix, Index& applications) {
  return [&](const VectorBlock& x, VectorBlock& y) {
    ++applications;
    y = matrix * x;
  };
}

TEST_P(BlockLanczos, BoundsTheLargestEigenvalueFromAbove) {
  const Index n = GetParam();
  for (const double decay : {0.0, 0.02, 0.5, 2.0}) {
    const Matrix matrix = gram(n, decay);
    const double largest = symmetric_eigenvalues(matrix)(n - 1);
    const EigenvalueSearch search = plan_eigenvalue_search(n);
    EXPECT_LE(search.miss, 0.2);
    Index applications = 0;
    const double bound = bound_largest_eigenvalue(n, counting(matrix, applications), search);
    EXPECT_LE(applications, search.applications);
    EXPECT_GE(bound, largest);
    EXPECT_LE(bound, largest / (1.0 - search.miss) * (1.0 + 1e-12));
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, BlockLanczos, ::testing::Values(1, 2, 31, 33, 300, 600));

TEST(BlockLanczosSearch, TakesFewApplicationsHoweverLargeTheOperator) {
  EXPECT_EQ(plan_eigenvalue_search(5'000).width, 16);
  EXPECT_LE(plan_eigenvalue_search(5'000).applications, 10);
  EXPECT_LE(plan_eigenvalue_search(100'000).applications, 12);
  EXPECT_EQ(plan_eigenvalue_search(1'000'000).width, 4) << "a block is 32 MB at most";
  EXPECT_LE(plan_eigenvalue_search(1'000'000).applications, 20);
}

TEST(BlockLanczosSearch, IsExactWhereTheOperatorHasFewDimensions) {
  constexpr Index kSize = 500;
  const Matrix rows = gram(kSize, 0.3).leftCols(40);
  const Matrix matrix = rows * rows.transpose();
  const double largest = symmetric_eigenvalues(matrix)(kSize - 1);
  Index applications = 0;
  const double bound = bound_largest_eigenvalue(kSize, counting(matrix, applications), plan_eigenvalue_search(kSize));
  EXPECT_LE(applications, 4) << "three blocks have all of 40 dimensions";
  EXPECT_NEAR(bound, largest, 1e-6 * largest);
  EXPECT_GE(bound, largest * (1.0 - 1e-12));
}

TEST(BlockLanczosSearch, HandlesNothingWhatIsLargeAndWhatIsNotFinite) {
  for (const Index n : {1, 5, 300}) {
    const EigenvalueSearch search = plan_eigenvalue_search(n);
    EXPECT_EQ(bound_largest_eigenvalue(
                  n, [](const VectorBlock&, VectorBlock& y) { y.setZero(); }, search),
              0.0);
    EXPECT_NEAR(bound_largest_eigenvalue(
                    n, [](const VectorBlock& x, VectorBlock& y) { y = x; }, search),
                1.0, 1e-6);
    const Matrix large = 1e200 * gram(n, 0.5);
    Index applications = 0;
    const double largest = 1e200 * symmetric_eigenvalues(gram(n, 0.5))(n - 1);
    EXPECT_GE(bound_largest_eigenvalue(n, counting(large, applications), search), largest * (1.0 - 1e-12));
    EXPECT_EQ(bound_largest_eigenvalue(
                  n, [](const VectorBlock&, VectorBlock& y) { y.setConstant(1e308 * 10.0); }, search),
              std::numeric_limits<double>::infinity());
  }
}

}  // namespace
}  // namespace slidemesh
