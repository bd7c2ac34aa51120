#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "slidemesh/base/random.h"
#include "slidemesh/sets/norm_balls.h"
#include "slidemesh/sets/simplices.h"
#include "support/set_matchers.h"

namespace slidemesh {
namespace {

using testing::expect_set_invariants;
using testing::SetCheckOptions;

/// Projection onto the l1 ball by sorting, as in Duchi et al. 2008: slow and obvious.
Vector l1_projection_by_sorting(const Vector& x, double radius) {
  std::vector<double> a(x.size());
  double total = 0.0;
  for (Index j = 0; j < x.size(); ++j) {
    a[static_cast<std::size_t>(j)] = std::abs(x[j]);
    total += std::abs(x[j]);
  }
  if (total <= radius) {
    return x;
  }
  std::sort(a.begin(), a.end(), std::greater<>());
  double sum = 0.0;
  double theta = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    sum += a[k];
    const double candidate = (sum - radius) / static_cast<double>(k + 1);
    if (a[k] > candidate) {
      theta = candidate;
    }
  }
  return x.unaryExpr([theta](double v) { return std::copysign(std::max(std::abs(v) - theta, 0.0), v); });
}

void sample_l1(RandomStream& random, VectorRef x, double radius) {
  double total = 0.0;
  for (double& value : x) {
    value = std::log(1.0 - random.unit()) * (random.unit() < 0.5 ? -1.0 : 1.0);
    total += std::abs(value);
  }
  x *= radius * random.unit() / total;
}

TEST(NormBalls, L1HasTheInvariantsOfASet) {
  for (const Index d : {1, 2, 5, 22, 101}) {
    for (const double radius : {1e-6, 1.0, 10.0, 1e6}) {
      L1Ball set(d, radius);
      SetCheckOptions options;
      options.sampler = [radius](RandomStream& random, VectorRef x) { sample_l1(random, x, radius); };
      expect_set_invariants(set, options);
    }
  }
}

TEST(NormBalls, L1BreaksTiesAsTheReferenceDoes) {
  L1Ball set(3, 2.0);
  Vector v(3);
  set.linear_minimizer(Vector{{1.0, -1.0, 1.0}}, v);
  EXPECT_EQ(v, (Vector{{-2.0, 0.0, 0.0}}));
  set.linear_minimizer(Vector{{0.5, -1.0, 1.0}}, v);
  EXPECT_EQ(v, (Vector{{0.0, 2.0, 0.0}}));
  set.linear_minimizer(Vector::Zero(3), v);
  EXPECT_EQ(v, (Vector{{2.0, 0.0, 0.0}}));
}

TEST(NormBalls, L1ProjectionAgreesWithSortingAndNeverLeaves) {
  constexpr double kRounding = 1e-13;
  RandomStream random(7, Purpose::kTest);
  for (int trial = 0; trial < 3000; ++trial) {
    const Index d = 1 + random.index(60);
    const double radius = std::pow(10.0, random.uniform(-3.0, 3.0));
    L1Ball set(d, radius);
    Vector x(d);
    for (double& value : x) {
      value = std::pow(10.0, random.uniform(-2.0, 2.0)) * random.normal();
      if (random.unit() < 0.2) {
        value = std::round(value);  // ties
      }
    }
    Vector p(d);
    set.project(x, p);
    EXPECT_LE((p - l1_projection_by_sorting(x, radius)).cwiseAbs().maxCoeff(), kRounding * x.cwiseAbs().sum());
    EXPECT_LE(set.violation(p), 0.0);
    Vector again(d);
    set.project(p, again);
    EXPECT_EQ(again, p);
  }
}

TEST(NormBalls, L1ProjectionReturnsInnerPointsUntouched) {
  L1Ball set(4, 1.0);
  const Vector x{{0.25, -0.25, 0.25, -0.25}};
  Vector p(4);
  set.project(x, p);
  EXPECT_EQ(p, x);
}

TEST(NormBalls, L1ProjectionSurvivesHugePoints) {
  L1Ball set(3, 1.0);
  Vector p(3);
  set.project(Vector{{1e300, 0.0, -1.0}}, p);
  EXPECT_EQ(p, (Vector{{1.0, 0.0, 0.0}}));
  set.project(Vector{{1e300, -1e300, 0.0}}, p);
  EXPECT_EQ(p, (Vector{{0.5, -0.5, 0.0}}));
}

TEST(NormBalls, WeightedL1HasTheInvariantsOfASet) {
  RandomStream random(3, Purpose::kTest);
  for (const Index d : {1, 4, 30}) {
    Vector weights(d);
    for (double& weight : weights) {
      weight = random.uniform(0.1, 5.0);
    }
    WeightedL1Ball set(weights, 3.0);
    SetCheckOptions options;
    options.sampler = [weights](RandomStream& stream, VectorRef x) {
      sample_l1(stream, x, 3.0);
      x.array() /= weights.array();
    };
    expect_set_invariants(set, options);
  }
  WeightedL1Ball unit(Vector::Ones(5), 2.0);
  L1Ball plain(5, 2.0);
  const Vector x{{3.0, -1.0, 0.5, 0.0, -2.5}};
  Vector p(5);
  Vector q(5);
  unit.project(x, p);
  plain.project(x, q);
  EXPECT_LE((p - q).norm(), 1e-15);
}

TEST(NormBalls, L2HasTheInvariantsOfASet) {
  for (const Index d : {1, 3, 50}) {
    for (const double radius : {1e-3, 2.5, 1e5}) {
      L2Ball set(d, radius);
      SetCheckOptions options;
      options.sampler = [radius](RandomStream& random, VectorRef x) {
        for (double& value : x) {
          value = random.normal();
        }
        x *= radius * random.unit() / x.norm();
      };
      expect_set_invariants(set, options);
    }
  }
}

TEST(NormBalls, LinfAndBoxHaveTheInvariantsOfASet) {
  for (const Index d : {1, 3, 40}) {
    LinfBall cube(d, 1.5);
    SetCheckOptions options;
    options.sampler = [](RandomStream& random, VectorRef x) {
      for (double& value : x) {
        value = random.uniform(-1.5, 1.5);
      }
    };
    expect_set_invariants(cube, options);
    Box box(Vector::Constant(d, -2.0), Vector::Constant(d, 1.5));
    expect_set_invariants(box, options);
    Box away(Vector::Constant(d, 3.0), Vector::LinSpaced(d, 3.0, 8.0));
    expect_set_invariants(away);
  }
}

TEST(NormBalls, RefuseWhatCannotBeMeant) {
  EXPECT_THROW(L1Ball(3, 0.0), std::runtime_error);
  EXPECT_THROW(L1Ball(0, 1.0), std::runtime_error);
  EXPECT_THROW(L2Ball(3, -1.0), std::runtime_error);
  EXPECT_THROW(LinfBall(3, std::nan("")), std::runtime_error);
  EXPECT_THROW(Box(Vector::Ones(2), Vector::Zero(2)), std::runtime_error);
  EXPECT_THROW(Box(Vector::Ones(2), Vector::Ones(3)), std::runtime_error);
  EXPECT_THROW(WeightedL1Ball(Vector::Zero(2), 1.0), std::runtime_error);
}

TEST(Simplices, HaveTheInvariantsOfASet) {
  for (const Index d : {1, 2, 7, 64}) {
    for (const double total : {1.0, 1e-4, 30.0}) {
      SetCheckOptions options;
      options.sampler = [total](RandomStream& random, VectorRef x) {
        sample_l1(random, x, 1.0);
        x = x.cwiseAbs();
        x *= total / x.sum();
      };
      Simplex simplex(d, total);
      expect_set_invariants(simplex, options);
      options.sampler = [total](RandomStream& random, VectorRef x) {
        sample_l1(random, x, total);
        x = x.cwiseAbs();
      };
      CappedSimplex capped(d, total);
      expect_set_invariants(capped, options);
    }
  }
}

TEST(Simplices, ProjectionMatchesAKnownCase) {
  Simplex set(3);
  Vector p(3);
  set.project(Vector{{0.5, 0.5, -3.0}}, p);
  EXPECT_EQ(p, (Vector{{0.5, 0.5, 0.0}}));
  set.project(Vector{{2.0, 1.5, 0.0}}, p);
  EXPECT_EQ(p, (Vector{{0.75, 0.25, 0.0}}));
}

}  // namespace
}  // namespace slidemesh
