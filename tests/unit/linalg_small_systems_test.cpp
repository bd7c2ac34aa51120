#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include <limits>
#include <vector>

#include "slidemesh/base/random.h"
#include "slidemesh/linalg/compact_vector.h"
#include "slidemesh/linalg/kernels.h"
#include "slidemesh/linalg/kernels_inline.h"
#include "slidemesh/linalg/triangular.h"

namespace slidemesh {
namespace {

Vector random_vector(Index n, RandomStream& random) {
  Vector v(n);
  for (double& one : v) {
    one = random.normal();
  }
  return v;
}

TEST(Kernels, HaveTheBitsOfTheirPlainLoops) {
  RandomStream random(1, Purpose::kTest);
  for (Index n = 0; n < 40; ++n) {
    const Vector a = random_vector(n, random);
    const Vector b = random_vector(n, random);
    EXPECT_EQ(dot(a, b), inlined::dot(a.data(), b.data(), n)) << n;
    Vector wide = b;
    Vector plain = b;
    axpy(0.3, a.data(), wide.data(), n);
    inlined::axpy(0.3, a.data(), plain.data(), n);
    EXPECT_EQ(wide, plain) << n;
  }
}

TEST(LargestMagnitude, IsTheFirstOfSeveralAndNeverWhatIsNoNumber) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (Index n = 1; n < 20; ++n) {
    for (Index at = 0; at < n; ++at) {
      Vector v = Vector::Constant(n, 1.0);
      v(at) = -2.0;
      EXPECT_EQ(largest_magnitude(v.data(), n), at);
      v(n - 1) = at == n - 1 ? v(at) : 2.0;
      EXPECT_EQ(largest_magnitude(v.data(), n), at);
      v.head(at).setConstant(nan);
      EXPECT_EQ(largest_magnitude(v.data(), n), at);
    }
  }
  const Vector none = Vector::Constant(5, nan);
  EXPECT_EQ(largest_magnitude(none.data(), 5), 0);
}

TEST(AddColumns, IsTheProductColumnByColumn) {
  RandomStream random(2, Purpose::kTest);
  for (const Index n : {1, 4, 7, 30, 33, 61, 64, 65, 112, 130}) {
    Matrix H(n, n);
    for (Index j = 0; j < n; ++j) {
      H.col(j) = random_vector(n, random);
    }
    Vector v = random_vector(n, random);
    for (Index j = 0; j < n; j += 3) {
      v(j) = 0.0;
      H.col(j).setConstant(std::numeric_limits<double>::quiet_NaN());  // not looked at
    }
    Vector expected = Vector::Ones(n);
    for (Index j = 0; j < n; ++j) {
      if (v(j) != 0.0) {
        inlined::axpy(v(j), H.col(j).data(), expected.data(), n);
      }
    }
    Vector out = Vector::Ones(n);
    add_columns(H.data(), n, v, out.data(), n);
    EXPECT_EQ(out, expected);
  }
}

TEST(LowerTriangle, HasTheSameBitsForTwoRightHandSidesAtOnce) {
  RandomStream random(5, Purpose::kTest);
  for (Index n = 0; n < 23; ++n) {
    Matrix L = Matrix::Zero(n, n);
    std::vector<double> reciprocals;
    for (Index j = 0; j < n; ++j) {
      L.col(j).tail(n - j) = random_vector(n - j, random);
      L(j, j) = 2.0 + random.unit();
      reciprocals.push_back(1.0 / L(j, j));
    }
    const LowerTriangle triangle{L.data(), n, reciprocals.data(), n};
    Vector one = random_vector(n, random);
    Vector other = random_vector(n, random);
    Vector alone[2] = {one, other};
    for (Vector& r : alone) {
      solve_lower(triangle, r.data());
      solve_lower_transposed(triangle, r.data());
    }
    solve_lower(triangle, one.data(), other.data());
    solve_lower_transposed(triangle, one.data(), other.data());
    EXPECT_EQ(one, alone[0]) << n;
    EXPECT_EQ(other, alone[1]) << n;
  }
}

TEST(AllFinite, SeesWhatIsNotWhereverItStands) {
  for (Index n = 0; n < 20; ++n) {
    Vector v = Vector::Constant(n, -1e308);
    EXPECT_TRUE(inlined::all_finite(v.data(), n));
    for (Index at = 0; at < n; ++at) {
      for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                               -std::numeric_limits<double>::infinity()}) {
        v(at) = bad;
        EXPECT_FALSE(inlined::all_finite(v.data(), n)) << n << ", " << at;
      }
      v(at) = 0.0;
    }
  }
}

TEST(LowerTriangle, IsSolvedBothWays) {
  constexpr double kRounding = 1e-11;
  RandomStream random(3, Purpose::kTest);
  for (Index n = 0; n < 40; ++n) {
    const Index stride = n + 3;
    Matrix room = Matrix::Constant(stride, stride, std::numeric_limits<double>::quiet_NaN());
    std::vector<double> reciprocals(static_cast<std::size_t>(n));
    for (Index j = 0; j < n; ++j) {
      room.col(j).segment(j, n - j) = random_vector(n - j, random) / static_cast<double>(n);
      room(j, j) = 1.0 + random.unit();
      reciprocals[static_cast<std::size_t>(j)] = 1.0 / room(j, j);
    }
    const Matrix L = room.topLeftCorner(n, n).triangularView<Eigen::Lower>();
    const LowerTriangle triangle{room.data(), stride, reciprocals.data(), n};
    const Vector x = random_vector(n, random);
    Vector r = L * x;
    solve_lower(triangle, r.data());
    EXPECT_LE((r - x).norm(), kRounding * (1.0 + x.norm())) << n;
    r = L.transpose() * x;
    solve_lower_transposed(triangle, r.data());
    EXPECT_LE((r - x).norm(), kRounding * (1.0 + x.norm())) << n;
  }
}

TEST(CompactVector, IsTheVectorItWasMadeFrom) {
  RandomStream random(4, Purpose::kTest);
  CompactVector compact;  // made anew from vectors with few numbers and with many, and none at all
  for (const Index numbers : {1, 30, 2, 8, 0}) {
    Vector v = Vector::Zero(30);
    v.tail(numbers) = random_vector(numbers, random);
    compact.assign(v);
    const Vector b = random_vector(30, random);
    EXPECT_NEAR(compact.dot(b.data()), v.dot(b), 1e-13);
    Vector y = b;
    compact.add_to(0.5, y.data());
    EXPECT_LE((y - b - 0.5 * v).norm(), 1e-13);
    Vector whole(30);
    compact.expand(whole);
    EXPECT_EQ(whole, v);
  }
}

}  // namespace
}  // namespace slidemesh
