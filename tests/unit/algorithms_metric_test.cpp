#include "slidemesh/algorithms/metric.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <vector>

#include "slidemesh/base/random.h"

namespace slidemesh {
namespace {

constexpr Index kFeatures = 4;
constexpr Index kOutputs = 2;
constexpr std::uint32_t kRows = 20'000;  ///< enough for a variance of 1/7500 of the mean square
constexpr double kRounding = 1e-9;

Vector random_vector(Index size, double from, double to, std::uint32_t which) {
  RandomStream random(11, Purpose::kRowShuffle, which);
  Vector v(size);
  for (double& one : v) {
    one = random.uniform(from, to);
  }
  return v;
}

/// Sums over rows around 50 of l'' a a', its diagonal, l'' a and l''; of two outputs, the second with other curvatures.
struct Sums {
  Vector diagonal = Vector::Zero(kFeatures * kOutputs);
  Vector tilt = Vector::Zero(kFeatures * kOutputs);
  Vector weight = Vector::Zero(kOutputs);
  Vector squared_weight = Vector::Zero(kOutputs);

  Sums() {
    for (std::uint32_t row = 0; row < kRows; ++row) {
      const Vector a = random_vector(kFeatures, 49.0, 51.0, row);
      const Vector curvatures = random_vector(kOutputs, 0.1, 0.3, kRows + row);
      for (Index k = 0; k < kOutputs; ++k) {
        diagonal.segment(k * kFeatures, kFeatures) += curvatures(k) * a.cwiseAbs2();
        tilt.segment(k * kFeatures, kFeatures) += curvatures(k) * a;
        weight(k) += curvatures(k);
        squared_weight(k) += curvatures(k) * curvatures(k);
      }
    }
  }
};

/// The metric as a matrix, column by column.
Matrix dense(const Metric& metric) {
  const Index d = metric.diagonal().size();
  Matrix C(d, d);
  for (Index j = 0; j < d; ++j) {
    metric.multiply(Vector::Unit(d, j), C.col(j));
  }
  return C;
}

TEST(Metrics, HaveTheDiagonalAndTheMeanRowOfTheModel) {
  const Sums sums;
  const Matrix C = dense(Metric(sums.diagonal, sums.tilt, sums.weight, sums.squared_weight));
  for (Index i = 0; i < C.rows(); ++i) {
    EXPECT_NEAR(C(i, i), sums.diagonal(i), kRounding * sums.diagonal(i));
    for (Index j = 0; j < i; ++j) {
      const bool same_output = i / kFeatures == j / kFeatures;
      const double expected = same_output ? sums.tilt(i) * sums.tilt(j) / sums.weight(i / kFeatures) : 0.0;
      EXPECT_NEAR(C(i, j), expected, kRounding * sums.diagonal(i));
    }
  }
}

TEST(Metrics, ProductsAreThoseOfTheMatrix) {
  const Sums sums;
  const Metric metric(sums.diagonal, sums.tilt, sums.weight, sums.squared_weight);
  const Matrix C = dense(metric);
  const Vector a = random_vector(C.rows(), -1.0, 1.0, 2 * kRows);
  const Vector b = random_vector(C.rows(), -1.0, 1.0, 2 * kRows + 1);
  EXPECT_NEAR(metric.squared(a.data()), a.dot(C * a), kRounding * a.dot(C * a));
  EXPECT_NEAR(metric.squared_distance(a.data(), b.data()), (a - b).dot(C * (a - b)), kRounding * a.dot(C * a));
  const Vector solved = C.llt().solve(b);
  const double tolerance = kRounding * a.norm() * solved.norm();
  EXPECT_NEAR(metric.inverse_product(a.data(), b.data()), a.dot(solved), tolerance);
  const Vector zero = Vector::Zero(a.size());
  EXPECT_NEAR(metric.inverse_product(zero.data(), a.data(), b.data(), zero.data()), -a.dot(solved), tolerance);
}

TEST(Metrics, OfColumnsWithoutCurvatureAreTheSmallestOfTheOthers) {
  const Metric metric(Vector{{4.0, 0.0, 9.0}}, Vector{{0.0, 0.0, 0.0}}, Vector{{1.0}}, Vector{{0.1}});
  EXPECT_EQ(metric.diagonal(), (Vector{{4.0, 4.0, 9.0}}));
  const Metric none(Vector::Zero(2), Vector::Zero(2), Vector::Zero(1), Vector::Zero(1));
  EXPECT_EQ(none.diagonal(), Vector::Ones(2));
}

TEST(Metrics, OfConstantColumnsCanBeInverted) {
  const Metric metric(Vector{{1.0, 1.0, 2.0}}, Vector{{1.0, 1.0, 1.0}}, Vector{{1.0}}, Vector{{0.0}});
  EXPECT_GT(metric.diagonal().minCoeff(), 0.0);
  EXPECT_LT(metric.diagonal()(0), 1e-6);
  EXPECT_NEAR(metric.diagonal()(2), 1.0, 1e-12);
}

TEST(Metrics, OfFewRowsDoNotBelieveThatColumnsHardlyVary) {
  // Of n rows with curvature 1/n and a column that is 1 in all.
  for (const double n : {1.0, 2.0, 10.0}) {
    const Metric metric(Vector{{1.0}}, Vector{{1.0}}, Vector{{1.0}}, Vector{{1.0 / n}});
    EXPECT_DOUBLE_EQ(metric.diagonal()(0), 1.0 / n);
  }
}

}  // namespace
}  // namespace slidemesh
