#include "slidemesh/linalg/leading_vector.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "slidemesh/algorithms/rank_one_vertices.h"
#include "slidemesh/linalg/decompositions.h"
#include "slidemesh/linalg/kernels.h"
#include "slidemesh/linalg/sparse_columns.h"
#include "slidemesh/sets/spectral.h"

namespace slidemesh {
namespace {

constexpr Index kSide = 40;

SymmetricOperator product_with(const Matrix& S) {
  return
      [&S](const double* x, double* y) { Eigen::Map<Vector>(y, S.rows()) = S * Eigen::Map<const Vector>(x, S.cols()); };
}

/// Eigenvalues in a basis of its own.
Matrix with_eigenvalues(const Vector& values) {
  std::srand(1);  // what Eigen draws from: one basis, whatever ran before
  const Matrix basis = symmetric_eigen(Matrix::Random(values.size(), values.size())).vectors;
  return basis * values.asDiagonal() * basis.transpose();
}

TEST(LeadingVector, MissesTheLargestValueByNoMoreThanWasAskedFor) {
  const std::vector<Vector> spectra = {Vector::LinSpaced(kSide, 0.0, 1.0), Vector::Ones(kSide),
                                       Vector::LinSpaced(kSide, 0.99, 1.0), Vector::Unit(kSide, 3) * 1e-8};
  for (const Vector& values : spectra) {
    const Matrix S = with_eigenvalues(values);
    for (const double accuracy : {0.1, 1e-3, 1e-8}) {
      LeadingVector search(kSide);
      Vector vector;
      ASSERT_TRUE(search.find(product_with(S), accuracy, vector));
      const double value = dot(vector, S * vector);
      EXPECT_NEAR(norm(vector), 1.0, 1e-12);
      EXPECT_GE(value, (1.0 - 1.01 * accuracy) * values.maxCoeff());
    }
  }
}

TEST(LeadingVector, LeavesAWarmStartThatLeadsNoMore) {
  Vector values = Vector::LinSpaced(kSide, 0.0, 0.5);
  values(kSide - 1) = 1.0;
  values(0) = 2.0;  // what leads now, and what the search begins orthogonal to
  const Matrix S = values.asDiagonal();
  LeadingVector search(kSide);
  Vector vector = Vector::Unit(kSide, kSide - 1);
  ASSERT_TRUE(search.find(product_with(S), 0.1, vector));
  EXPECT_GT(dot(vector, S * vector), 1.9);
}

/// What leads is new to a basis that begins elsewhere: at the step that brings it in, the value is found from afar.
TEST(LeadingVector, LeavesAWarmStartThatIsNearlyAsGood) {
  for (const double start : {0.7, 0.8, 0.9}) {
    Vector values = Vector::LinSpaced(kSide, 0.0, 0.1);
    values(kSide - 1) = start;
    values(0) = 1.0;
    const Matrix S = values.asDiagonal();
    for (const double accuracy : {1e-2, 1e-3, 1e-4}) {
      LeadingVector search(kSide);
      Vector vector = Vector::Unit(kSide, kSide - 1);
      ASSERT_TRUE(search.find(product_with(S), accuracy, vector));
      EXPECT_GE(dot(vector, S * vector), 1.0 - 1.01 * accuracy) << start << ", " << accuracy;
    }
  }
}

TEST(LeadingVector, SaysWhereThereIsNone) {
  LeadingVector search(kSide);
  Vector vector;
  EXPECT_FALSE(search.find(product_with(Matrix::Zero(kSide, kSide)), 0.1, vector));
  EXPECT_FALSE(search.find(product_with(Matrix::Constant(kSide, kSide, std::nan(""))), 0.1, vector));
}

/// Matrices side by side: multiples of one, each with a vector of its own.
template <class Real>
void expect_squares(const SparseColumns& sparse, const Vector& numbers, const Matrix& full, double tolerance) {
  using Lanes = Eigen::Matrix<Real, SparseColumns::kTogether<Real>, Eigen::Dynamic>;
  const Vector scales = Vector::LinSpaced(Lanes::RowsAtCompileTime, -1.0, 2.0);
  const Matrix directions = Matrix::Random(scales.size(), full.rows());
  const Lanes side_by_side = (scales * numbers.transpose()).template cast<Real>();
  const Lanes rounded = directions.template cast<Real>();
  Lanes images(scales.size(), full.rows());
  sparse.multiply_squares(side_by_side.data(), rounded.data(), images.data());
  for (Index k = 0; k < scales.size(); ++k) {
    const Vector expected = scales(k) * scales(k) * (full * (full.transpose() * directions.row(k).transpose()));
    EXPECT_LE((images.row(k).transpose().template cast<double>() - expected).norm(), tolerance);
  }
}

TEST(SparseColumns, MultiplyAsTheFullMatrixDoes) {
  const std::vector<Count> places = {0, 3, 4, 7, 8, 9, 10, 11, 12, 13, 14, 15, 30, 31};  // of 8 x 4; a column is empty
  const SparseColumns sparse(8, 4, places);
  const Vector numbers = Vector::LinSpaced(14, -1.0, 2.0);
  Vector whole;
  sparse.expand(numbers.data(), whole);
  const Eigen::Map<const Matrix> full(whole.data(), 8, 4);
  EXPECT_EQ(full(7, 3), 2.0);
  EXPECT_EQ(full.col(2).norm(), 0.0);
  const Vector y = Vector::LinSpaced(8, -2.0, 1.0);
  Vector Gty(4);
  sparse.multiply_transposed(numbers.data(), y.data(), Gty.data());
  EXPECT_LE((Gty - full.transpose() * y).norm(), 1e-14);
  expect_squares<double>(sparse, numbers, full, 1e-13);
  expect_squares<float>(sparse, numbers, full, 1e-5);
}

TEST(NuclearBall, FindsVerticesOfRankOneFromTheNumbersThatAreNotZero) {
  constexpr Index kRows = 30;
  constexpr Index kColumns = 25;
  constexpr double kRadius = 3.0;
  std::vector<Count> places;
  for (Count p = 0; p < kRows * kColumns; p += 1 + p % 3) {
    places.push_back(p);
  }
  const SparseColumns sparse(kRows, kColumns, places);
  NuclearBall ball(kRows, kColumns, kRadius);
  Vector left(kRows);
  Vector right(kColumns);
  for (const double scale : {1.0, 1e-200, 1e-310, 1e200, 1e300, 0.0}) {  // squares of most are not numbers
    const Vector numbers = scale * Vector::Random(static_cast<Index>(places.size()));
    std::array<FeasibleSet*, 1> sets = {&ball};
    EXPECT_TRUE(RankOneVertices().find(sets, sparse, numbers, 1e-9, left, right));
    Vector whole;
    sparse.expand(numbers.data(), whole);
    const double largest =
        scale == 0.0 ? 0.0
                     : singular_values(Eigen::Map<const Matrix>((whole / scale).eval().data(), kRows, kColumns))(0);
    const Eigen::Map<const Matrix> G(whole.data(), kRows, kColumns);
    EXPECT_NEAR(left.norm() * right.norm(), kRadius, 1e-9);
    EXPECT_NEAR(scale == 0.0 ? 0.0 : left.dot(G * right) / scale, -kRadius * largest, 1e-7);
  }
}

void end_search(LeadingVector& search, const Matrix& S) {
  Vector image(S.rows());
  while (search.state() == LeadingVector::State::kSearching) {
    image = S * Eigen::Map<const Vector>(search.direction(), S.cols());
    search.advance(image.data());
  }
}

TEST(NuclearBall, FindsWhatLedLatelyWhenItLeadsAgain) {
  constexpr double kAccuracy = 1e-3;
  std::vector<Count> places(kSide * kSide);
  std::iota(places.begin(), places.end(), Count{0});
  const SparseColumns all(kSide, kSide, places);
  NuclearBall ball(kSide, kSide, 1.0);
  LeadingVector from_last(kSide);
  Vector left = Vector::Zero(kSide);
  Vector right(kSide);
  int missed_from_last = 0;
  for (Index turn = 0; turn < 20; ++turn) {
    Vector values = Vector::LinSpaced(kSide, 0.9, 0.0);
    values(turn % 2) = 1.0;                        // two vectors that lead by turns,
    values(1 - turn % 2) = turn < 2 ? 0.5 : 0.98;  // by little once each has led
    const Matrix G = with_eigenvalues(values);
    const double enough = 1.0 - 1.01 * kAccuracy;
    from_last.begin(kAccuracy * (2.0 - kAccuracy), left);
    end_search(from_last, G * G);
    missed_from_last += norm(G * from_last.vector()) < enough ? 1 : 0;
    end_search(ball.begin_rank_one_search(kAccuracy), G * G);
    ball.rank_one_minimizer(all, Eigen::Map<const Vector>(G.data(), G.size()), left, right);
    EXPECT_GE(norm(G * left), enough) << turn;
  }
  EXPECT_GT(missed_from_last, 10);  // the last vector has nothing of the one that leads now
}

TEST(RankOneVertices, DoNotDependOnTheirCompany) {
  constexpr Index kRows = 40;
  constexpr Index kColumns = 30;
  constexpr Index kNodes = 2 * RankOneVertices::kMost + 3;
  std::vector<Count> places;
  for (Count p = 0; p < kRows * kColumns; p += 1 + p % 4) {
    places.push_back(p);
  }
  const SparseColumns sparse(kRows, kColumns, places);
  const Matrix numbers = Matrix::Random(static_cast<Index>(places.size()), kNodes);
  Matrix left(kRows, kNodes);
  Matrix right(kColumns, kNodes);
  std::vector<NuclearBall> balls(kNodes, NuclearBall(kRows, kColumns, 2.0));
  std::vector<FeasibleSet*> sets;
  for (NuclearBall& ball : balls) {
    sets.push_back(&ball);
  }
  RankOneVertices together;
  RankOneVertices alone;
  for (const double accuracy : {1e-1, 1e-3, 1e-9}) {
    EXPECT_TRUE(together.find(sets, sparse, numbers, accuracy, left, right));
    for (Index k = 0; k < kNodes; ++k) {
      NuclearBall ball(kRows, kColumns, 2.0);
      std::array<FeasibleSet*, 1> one = {&ball};
      Matrix own_left(kRows, 1);
      Matrix own_right(kColumns, 1);
      for (const double past : {1e-1, 1e-3, 1e-9}) {  // the same calls: searches begin where the last ended
        if (past >= accuracy) {
          EXPECT_TRUE(alone.find(one, sparse, numbers.col(k), past, own_left, own_right));
        }
      }
      EXPECT_EQ(own_left.col(0), left.col(k));
      EXPECT_EQ(own_right.col(0), right.col(k));
    }
  }
}

}  // namespace
}  // namespace slidemesh
