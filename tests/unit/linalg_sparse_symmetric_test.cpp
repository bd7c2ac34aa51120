#include "slidemesh/linalg/sparse_symmetric.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "slidemesh/base/random.h"

namespace slidemesh {
namespace {

constexpr double kRounding = 1e-12;

/// Sums of outer products of a few numbers each, and the same as a dense matrix.
struct Sums {
  explicit Sums(Index n) : sparse(n), dense(Matrix::Zero(n, n)) {}

  void add(RandomStream& random, Index most) {
    std::vector<std::int32_t> columns;
    const auto count = 1 + random.index(most);
    for (Index k = 0; k < count; ++k) {
      columns.push_back(static_cast<std::int32_t>(random.index(dense.rows())));
    }
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    std::vector<double> values;
    Vector whole = Vector::Zero(dense.rows());
    for (const std::int32_t column : columns) {
      values.push_back(random.uniform(-1.0, 1.0));
      whole(column) = values.back();
    }
    const double factor = random.uniform(-0.5, 1.0);
    sparse.add(factor, columns, values.data());
    dense += factor * whole * whole.transpose();
  }

  void expect_equal() const {
    const Index n = dense.rows();
    std::vector<Index> rows(static_cast<std::size_t>(n));
    std::iota(rows.rbegin(), rows.rend(), Index{0});  // in any order
    for (Index j = 0; j < n; ++j) {
      EXPECT_NEAR(sparse.diagonal(j), dense(j, j), kRounding);
      Vector column = Vector::Zero(n);
      sparse.add_elements(2.0, rows, j, column.data());
      EXPECT_LE((column.reverse() - 2.0 * dense.col(j)).cwiseAbs().maxCoeff(), kRounding);
    }
    RandomStream random(7, Purpose::kTest);
    Vector v(n);
    for (double& number : v) {
      number = random.uniform(-1.0, 1.0);
    }
    v(0) = 0.0;
    Vector product = Vector::Ones(n);
    sparse.add_product(v, product);
    EXPECT_LE((product - Vector::Ones(n) - dense * v).cwiseAbs().maxCoeff(), kRounding * static_cast<double>(n));
  }

  SparseSymmetric sparse;
  Matrix dense;
};

TEST(SparseSymmetric, IsTheSumOfItsOuterProducts) {
  for (const Index n : {1, 2, 30, 200}) {
    Sums sums(n);
    RandomStream random(static_cast<std::uint64_t>(n), Purpose::kTest);
    for (int part = 0; part < 3; ++part) {  // later parts bring elements between those that are there
      for (int k = 0; k < 40; ++k) {
        sums.add(random, 6);
      }
      sums.sparse.finish();
      sums.expect_equal();
    }
  }
}

TEST(SparseSymmetric, AddsMoreVectorsThanItPutsAside) {
  constexpr Index kSize = 300;
  Sums sums(kSize);
  RandomStream random(1, Purpose::kTest);
  for (int k = 0; k < 3000; ++k) {
    sums.add(random, 40);  // about 1.6 million pairs
  }
  sums.sparse.finish();
  sums.expect_equal();
  EXPECT_LE(sums.sparse.elements(), kSize * kSize);
}

TEST(SparseSymmetric, OfNothingIsZero) {
  SparseSymmetric none(3);
  none.finish();
  EXPECT_EQ(none.elements(), 0);
  EXPECT_EQ(none.diagonal(2), 0.0);
  Vector out = Vector::Zero(3);
  none.add_product(Vector::Ones(3), out);
  EXPECT_EQ(out, Vector::Zero(3));
}

TEST(SparseSymmetric, ComesBackFromItsLowerTriangleToTheLastBit) {
  Sums sums(40);
  RandomStream random(3, Purpose::kTest);
  for (int k = 0; k < 60; ++k) {
    sums.add(random, 5);
  }
  sums.sparse.finish();
  SparseSymmetric other(40);
  ASSERT_TRUE(other.assign(sums.sparse.lower_triangle()));
  EXPECT_EQ(other.lower_triangle().values, sums.sparse.lower_triangle().values);
  EXPECT_EQ(other.elements(), sums.sparse.elements());
  const Vector ones = Vector::Ones(40);
  Vector a = Vector::Zero(40);
  Vector b = Vector::Zero(40);
  sums.sparse.add_product(ones, a);
  other.add_product(ones, b);
  EXPECT_EQ(a, b);
}

TEST(SparseSymmetric, RefusesWhatIsNoLowerTriangle) {
  using Triangle = SparseSymmetric::Triangle;
  SparseSymmetric matrix(3);
  const Triangle good{{2, 0, 1}, {0, 2, 2}, {1.0, 2.0, 3.0}};
  ASSERT_TRUE(matrix.assign(good));
  for (const Triangle& bad : {Triangle{{2, 0}, {0, 2}, {1.0, 2.0}},                 // a column is missing
                              Triangle{{2, 0, 1}, {0, 2, 2}, {1.0, 2.0}},           // a value is missing
                              Triangle{{2, 0, 1}, {2, 0, 2}, {1.0, 2.0, 3.0}},      // rows do not ascend
                              Triangle{{2, 0, 1}, {0, 3, 2}, {1.0, 2.0, 3.0}},      // a row beyond the last
                              Triangle{{2, 0, 1}, {0, 2, 1}, {1.0, 2.0, 3.0}},      // above the diagonal
                              Triangle{{2, 0, 2}, {0, 2, 2}, {1.0, 2.0, 3.0}},      // more than there are
                              Triangle{{-1, 0, 1}, {0, 2, 2}, {1.0, 2.0, 3.0}},     // fewer than none
                              Triangle{{1, 0, 1}, {0, 2, 2}, {1.0, 2.0, 3.0}},      // some are nobody's
                              Triangle{{2, 0, 1}, {-1, 2, 2}, {1.0, 2.0, 3.0}}}) {  // a row before the first
    EXPECT_FALSE(matrix.assign(bad));
  }
  EXPECT_EQ(matrix.lower_triangle().values, good.values);
}

}  // namespace
}  // namespace slidemesh
