#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "slidemesh/sets/boxed.h"
#include "slidemesh/sets/combinators.h"
#include "slidemesh/sets/simplices.h"
#include "slidemesh/sets/smooth_balls.h"
#include "slidemesh/sets/sparse_balls.h"
#include "support/set_matchers.h"

namespace slidemesh {
namespace {

using testing::expect_set_invariants;
using testing::SetCheckOptions;

/// Random points by rejection toward the start: any point of the segment that is inside.
SetCheckOptions shrink_to_fit(const FeasibleSet& set, double spread) {
  SetCheckOptions options;
  options.sampler = [&set, spread](RandomStream& random, VectorRef x) {
    Vector inside(set.dimension());
    set.start(inside);
    Vector step(set.dimension());
    for (double& value : step) {
      value = spread * random.normal() * (random.unit() < 0.3 ? 0.0 : 1.0);
    }
    x = inside + step;
    for (int halving = 0; halving < 80 && set.violation(x) > 0.0; ++halving) {
      step *= 0.8;
      x = inside + step;
    }
    if (set.violation(x) > 0.0) {
      x = inside;
    }
  };
  return options;
}

TEST(SmoothBalls, LpHasTheInvariantsOfASet) {
  for (const double p : {1.1, 1.5, 2.0, 3.0, 10.0}) {
    for (const Index d : {1, 6, 25}) {
      LpBall set(d, p, 2.0);
      SetCheckOptions options = shrink_to_fit(set, 2.0);
      options.projection_tolerance = 1e-8;
      expect_set_invariants(set, options);
    }
  }
  EXPECT_THROW(LpBall(3, 1.0, 1.0), std::runtime_error);
}

TEST(SmoothBalls, LpOfTwoIsTheEuclideanBall) {
  LpBall set(3, 2.0, 1.0);
  Vector p(3);
  set.project(Vector{{3.0, 0.0, -4.0}}, p);
  EXPECT_LE((p - Vector{{0.6, 0.0, -0.8}}).norm(), 1e-14);
}

TEST(SmoothBalls, EllipsoidHasTheInvariantsOfASet) {
  Ellipsoid axes(Vector{{1.0, -2.0, 0.0}}, Vector{{0.5, 3.0, 10.0}});
  expect_set_invariants(axes, shrink_to_fit(axes, 5.0));
  Matrix root(4, 4);
  RandomStream random(4, Purpose::kTest);
  for (double& value : root.reshaped()) {
    value = random.normal();
  }
  Ellipsoid general = Ellipsoid::with_shape(Vector::Ones(4), root * root.transpose() + 0.1 * Matrix::Identity(4, 4));
  expect_set_invariants(general, shrink_to_fit(general, 2.0));
  EXPECT_THROW(Ellipsoid::with_shape(Vector::Zero(2), -Matrix::Identity(2, 2)), std::runtime_error);
  EXPECT_THROW(Ellipsoid(Vector::Zero(2), Vector::Ones(3)), std::runtime_error);
}

TEST(SparseBalls, GroupLassoHasTheInvariantsOfASet) {
  GroupLassoBall set(6, {{0, 3}, {1}, {2, 4, 5}}, Vector{{1.0, 2.0, 0.5}}, 3.0);
  expect_set_invariants(set, shrink_to_fit(set, 3.0));
  GroupLassoBall one(5, {{4, 3, 2, 1, 0}}, Vector::Ones(1), 2.0);
  expect_set_invariants(one, shrink_to_fit(one, 2.0));
}

TEST(SparseBalls, GroupLassoRefusesGroupsThatDoNotCover) {
  const auto message = [](std::vector<std::vector<Index>> groups) -> std::string {
    const auto count = static_cast<Index>(groups.size());
    try {
      GroupLassoBall(4, std::move(groups), Vector::Ones(count), 1.0);
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message({{0, 1}, {3}}), "group-lasso-ball: expected groups that cover every coordinate, got none with 2");
  EXPECT_EQ(message({{0, 1}, {1, 2, 3}}), "group-lasso-ball: expected every coordinate in one group, got 1 in two");
  EXPECT_EQ(message({{0, 1, 2, 3}, {}}), "group-lasso-ball: expected groups with members, got an empty one");
  EXPECT_EQ(message({{0, 1, 2, 4}}), "group-lasso-ball: expected coordinates from 0 to 3, got 4");
}

TEST(SparseBalls, KSparseHasTheInvariantsOfASet) {
  for (const Index k : {1, 3, 8}) {
    KSparsePolytope set(8, k, 1.5);
    expect_set_invariants(set, shrink_to_fit(set, 1.5));
  }
  EXPECT_THROW(KSparsePolytope(3, 4, 1.0), std::runtime_error);
}

TEST(SparseBalls, OwlHasTheInvariantsOfASet) {
  for (const Index d : {1, 2, 7, 20}) {
    OwlBall falling(Vector::LinSpaced(d, 2.0, 0.1), 3.0);
    expect_set_invariants(falling, shrink_to_fit(falling, 3.0));
  }
  OwlBall octagon(Vector{{1.0, 0.5}}, 1.0);
  expect_set_invariants(octagon, shrink_to_fit(octagon, 1.0));
  OwlBall largest(Vector{{1.0, 0.0, 0.0}}, 1.0);  // the linf ball
  expect_set_invariants(largest, shrink_to_fit(largest, 1.0));
  EXPECT_THROW(OwlBall(Vector{{1.0, 2.0}}, 1.0), std::runtime_error);
}

TEST(SparseBalls, OwlOfEqualWeightsIsTheL1Ball) {
  RandomStream random(5, Purpose::kTest);
  OwlBall owl(Vector::Ones(9), 2.0);
  L1Ball plain(9, 2.0);
  for (int trial = 0; trial < 50; ++trial) {
    Vector x(9);
    for (double& value : x) {
      value = 2.0 * random.normal();
    }
    Vector p(9);
    Vector q(9);
    owl.project(x, p);
    plain.project(x, q);
    EXPECT_LE((p - q).norm(), 1e-12);
  }
}

/// Mixtures of two shuffles of the given values: points of the set that owe nothing to its oracle.
SetCheckOptions shuffles_of(const Vector& values) {
  SetCheckOptions options;
  options.sampler = [values](RandomStream& random, VectorRef x) {
    const auto shuffle = [&random](Vector v) {
      for (Index i = v.size() - 1; i > 0; --i) {
        std::swap(v[i], v[random.index(i + 1)]);
      }
      return v;
    };
    const double share = random.unit();
    x = share * shuffle(values) + (1.0 - share) * shuffle(values);
  };
  return options;
}

TEST(Simplices, HypersimplexHasTheInvariantsOfASet) {
  for (const Index k : {1, 3, 7}) {
    Hypersimplex set(7, k);
    Vector ones = Vector::Zero(7);
    ones.head(k).setOnes();
    expect_set_invariants(set, shuffles_of(ones));
  }
  EXPECT_THROW(Hypersimplex(3, 0), std::runtime_error);
}

TEST(Simplices, PermutahedronHasTheInvariantsOfASet) {
  Permutahedron set(Vector{{3.0, -1.0, 2.0, 2.0, 10.0}});
  expect_set_invariants(set, shuffles_of(Vector{{3.0, -1.0, 2.0, 2.0, 10.0}}));
  // Brute force: no permutation does better.
  std::vector<double> values{-1.0, 2.0, 2.0, 3.0, 10.0};
  const Vector g{{0.3, -2.0, 0.1, 0.3, 5.0}};
  double best = std::numeric_limits<double>::infinity();
  do {
    best = std::min(best, g.dot(Eigen::Map<const Vector>(values.data(), 5)));
  } while (std::next_permutation(values.begin(), values.end()));
  Vector v(5);
  set.linear_minimizer(g, v);
  EXPECT_DOUBLE_EQ(g.dot(v), best);
}

TEST(Boxed, IntersectionsHaveTheInvariantsOfASet) {
  const Vector lower{{-1.0, 0.0, 0.5, -2.0, -0.3}};
  const Vector upper{{1.0, 0.2, 2.0, -0.5, 0.3}};
  BoxedSimplex simplex(lower, upper, 1.0);
  expect_set_invariants(simplex);
  BoxedSimplex tight(lower, lower, lower.sum());
  expect_set_invariants(tight);
  BoxedL1Ball l1(lower, upper, 2.0);
  expect_set_invariants(l1, shrink_to_fit(l1, 0.5));
  BoxedL1Ball cube(lower, upper, 100.0);
  expect_set_invariants(cube, shrink_to_fit(cube, 0.5));
  BoxedL2Ball l2(lower, upper, 1.2);
  expect_set_invariants(l2, shrink_to_fit(l2, 0.5));
  BoxedL2Ball wide(Vector::Constant(4, -9.0), Vector::Constant(4, 9.0), 1.0);
  expect_set_invariants(wide, shrink_to_fit(wide, 0.5));
}

TEST(Boxed, RefuseAnEmptyIntersection) {
  EXPECT_THROW(BoxedSimplex(Vector::Zero(2), Vector::Ones(2), 3.0), std::runtime_error);
  EXPECT_THROW(BoxedL1Ball(Vector::Ones(3), Vector::Constant(3, 2.0), 1.0), std::runtime_error);
  EXPECT_THROW(BoxedL2Ball(Vector::Ones(3), Vector::Constant(3, 2.0), 1.0), std::runtime_error);
}

TEST(Affine, ShiftedScaledAndMirroredSetsHaveTheInvariants) {
  const auto moved = shifted(std::make_unique<Simplex>(4), Vector{{1.0, -2.0, 0.0, 5.0}});
  expect_set_invariants(*moved);
  const auto mirrored = scaled(std::make_unique<Simplex>(4), -3.0);
  expect_set_invariants(*mirrored);
  EXPECT_THROW(scaled(std::make_unique<Simplex>(4), 0.0), std::runtime_error);
  EXPECT_THROW(shifted(std::make_unique<Simplex>(4), Vector::Zero(3)), std::runtime_error);
}

}  // namespace
}  // namespace slidemesh
