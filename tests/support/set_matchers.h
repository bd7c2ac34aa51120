#pragma once

// The invariants of a feasible set, as checks that anyone can run on a set of their own:
//
//   MySet set(...);
//   slidemesh::testing::expect_set_invariants(set);
//
// Each names what broke and in which direction of g.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "slidemesh/base/random.h"
#include "slidemesh/core/feasible_set.h"
#include "slidemesh/linalg/kernels.h"

namespace slidemesh::testing {

/// Writes a random point of the set. Where a test has none, random mixtures of oracle points serve.
using PointSampler = std::function<void(RandomStream&, VectorRef)>;

struct SetCheckOptions {
  int directions = 24;      ///< random g, beside the special ones
  int points = 1000;        ///< random feasible points that the oracle's point must not lose to
  int projections = 40;     ///< random points to project
  double tolerance = 1e-9;  ///< relative to |g| (1 + diameter)
  double projection_tolerance = 1e-9;
  /// For sets that know their oracle or projection only to some accuracy, `tolerance` says how well.
  std::uint64_t seed = 1;
  PointSampler sampler;
};

/// The directions that oracles get wrong: zero, ties, one coordinate, huge, tiny, mixed in scale.
inline std::vector<std::pair<std::string, Vector>> oracle_directions(Index d, const SetCheckOptions& options) {
  std::vector<std::pair<std::string, Vector>> all;
  RandomStream random(options.seed, Purpose::kTest, 1);
  const auto normal = [&] {
    Vector g(d);
    for (double& value : g) {
      value = random.normal();
    }
    return g;
  };
  all.emplace_back("zero", Vector::Zero(d));
  all.emplace_back("all equal", Vector::Ones(d));
  all.emplace_back("all equal, negative", -Vector::Ones(d));
  all.emplace_back("first coordinate", Vector::Unit(d, 0));
  all.emplace_back("last coordinate, negative", -Vector::Unit(d, d - 1));
  Vector ties(d);
  for (Index j = 0; j < d; ++j) {
    ties[j] = static_cast<double>(random.index(3) - 1);
  }
  all.emplace_back("ties in {-1, 0, 1}", ties);
  all.emplace_back("huge", 1e300 * normal() / 10.0);
  all.emplace_back("tiny", 1e-300 * normal());
  Vector mixed = normal();
  for (Index j = 0; j < d; ++j) {
    mixed[j] *= std::pow(10.0, static_cast<double>(j % 13) - 6.0);
  }
  all.emplace_back("mixed scales", mixed);
  for (int i = 0; i < options.directions; ++i) {
    all.emplace_back("random " + std::to_string(i), normal());
  }
  return all;
}

/// Random points of the set, one per column.
inline Matrix random_points(FeasibleSet& set, const SetCheckOptions& options, int count) {
  const Index d = set.dimension();
  RandomStream random(options.seed, Purpose::kTest, 2);
  Matrix points(d, count);
  if (options.sampler) {
    for (Index i = 0; i < count; ++i) {
      options.sampler(random, points.col(i));
    }
    return points;
  }
  // Mixtures of oracle points for a pool of directions.
  constexpr Index kPool = 60;
  Matrix pool(d, kPool);
  Vector g(d);
  for (Index i = 0; i < kPool; ++i) {
    for (double& value : g) {
      value = random.normal();
    }
    set.linear_minimizer(g, pool.col(i));
  }
  for (Index i = 0; i < count; ++i) {
    const Index members = 1 + random.index(4);
    Vector mixture = Vector::Zero(d);
    double total = 0.0;
    for (Index k = 0; k < members; ++k) {
      const double weight = -std::log(1.0 - random.unit());
      mixture += weight * pool.col(random.index(kPool));
      total += weight;
    }
    points.col(i) = mixture / total;
  }
  return points;
}

/// <g, x> with g scaled by its largest magnitude, so that huge and tiny directions compare like others.
inline Vector scaled_direction(const Vector& g) {
  const double largest = g.cwiseAbs().maxCoeff();
  return largest > 0.0 ? Vector(g / largest) : g;
}

/// The oracle's point is feasible and loses to none of many random feasible points.
inline void expect_oracle_is_optimal(FeasibleSet& set, const SetCheckOptions& options = {}) {
  const Index d = set.dimension();
  const Matrix points = random_points(set, options, options.points);
  const double slack = options.tolerance * (1.0 + set.diameter()) * std::sqrt(static_cast<double>(d));
  for (const auto& [label, g] : oracle_directions(d, options)) {
    Vector v = Vector::Constant(d, std::numeric_limits<double>::quiet_NaN());
    set.linear_minimizer(g, v);
    ASSERT_TRUE(v.allFinite()) << set.name() << ": oracle point not finite for g: " << label;
    EXPECT_TRUE(set.contains(v)) << set.name() << ": oracle point outside by " << set.violation(v)
                                 << " for g: " << label;
    const Vector unit = scaled_direction(g);
    const double best = unit.dot(v);
    Index beaten_by = -1;
    double gain = slack;
    for (Index i = 0; i < points.cols(); ++i) {
      const double lead = best - unit.dot(points.col(i));
      if (lead > gain) {
        gain = lead;
        beaten_by = i;
      }
    }
    EXPECT_EQ(beaten_by, -1) << set.name() << ": a random point is better by " << gain << " for g: " << label;
  }
}

/// The same answer to the same question from a fresh copy, whatever the address of the operands.
inline void expect_oracle_is_reproducible(const FeasibleSet& set, const SetCheckOptions& options = {}) {
  const Index d = set.dimension();
  const auto first = set.clone();
  const auto second = set.clone();
  Vector shifted_g(d + 3);
  Vector shifted_v(d + 5);
  for (const auto& [label, g] : oracle_directions(d, options)) {
    Vector v(d);
    first->linear_minimizer(g, v);
    shifted_g.segment(1, d) = g;
    second->linear_minimizer(shifted_g.segment(1, d), shifted_v.segment(3, d));
    EXPECT_EQ(v, Vector(shifted_v.segment(3, d))) << set.name() << ": oracle differs between copies for g: " << label;
  }
}

/// Projection: feasible, idempotent, in place as well as not, and <x - p, v - p> <= 0 for every v in X.
inline void expect_projection_is_nearest(FeasibleSet& set, const SetCheckOptions& options = {}) {
  const Index d = set.dimension();
  const Matrix points = random_points(set, options, 200);
  const double size = 1.0 + set.diameter();
  RandomStream random(options.seed, Purpose::kTest, 3);
  for (int i = 0; i < options.projections; ++i) {
    const double spread = set.diameter() * std::pow(10.0, static_cast<double>(i % 5) - 2.0) + 1e-3;
    Vector x(d);
    set.start(x);
    for (double& value : x) {
      value += spread * random.normal();
    }
    Vector p(d);
    set.project(x, p);
    ASSERT_TRUE(p.allFinite()) << set.name();
    EXPECT_TRUE(set.contains(p)) << set.name() << ": projection outside by " << set.violation(p);
    Vector again(d);
    set.project(p, again);
    EXPECT_LE((again - p).norm(), options.projection_tolerance * size) << set.name() << ": projection not idempotent";
    Vector in_place = x;
    set.project(in_place, in_place);
    EXPECT_LE((in_place - p).norm(), options.projection_tolerance * size) << set.name() << ": in place differs";
    const double scale = options.projection_tolerance * size * (size + (x - p).norm());
    Vector v(d);
    set.linear_minimizer(p - x, v);  // the worst v of all
    EXPECT_LE((x - p).dot(v - p), scale) << set.name() << ": variational inequality, oracle's v, spread " << spread;
    for (Index k = 0; k < points.cols(); ++k) {
      EXPECT_LE((x - p).dot(points.col(k) - p), scale) << set.name() << ": variational inequality, spread " << spread;
    }
  }
}

/// Points of the set stay put, start is a point of the set, the diameter bounds what is seen.
inline void expect_set_is_consistent(FeasibleSet& set, const SetCheckOptions& options = {}) {
  const Index d = set.dimension();
  Vector x = Vector::Constant(d, std::numeric_limits<double>::quiet_NaN());
  set.start(x);
  ASSERT_TRUE(x.allFinite()) << set.name() << ": start not finite";
  EXPECT_TRUE(set.contains(x)) << set.name() << ": start outside by " << set.violation(x);
  const Matrix points = random_points(set, options, 100);
  for (Index i = 0; i < points.cols(); ++i) {
    EXPECT_TRUE(set.contains(points.col(i)))
        << set.name() << ": random point outside by " << set.violation(points.col(i));
    const double distance = (points.col(i) - points.col((i + 1) % points.cols())).norm();
    EXPECT_LE(distance, set.diameter() * (1.0 + 1e-12) + 1e-12) << set.name() << ": diameter too small";
  }
  EXPECT_EQ(set.clone()->dimension(), d);
  EXPECT_EQ(set.clone()->name(), set.name());
  EXPECT_EQ(set.matrix_rows() * set.matrix_columns(), d) << set.name();
  // Far outside in a direction in which the set cannot reach: the start moved by thrice the diameter.
  Vector far = x;
  far[0] += 3.0 * set.diameter() + 1.0;
  EXPECT_FALSE(set.contains(far)) << set.name() << ": a far point counts as inside";
}

/// A long walk of Frank-Wolfe steps with every kind of step size stays inside.
inline void expect_iterates_stay_inside(FeasibleSet& set, const SetCheckOptions& options = {}, int steps = 2000) {
  const Index d = set.dimension();
  RandomStream random(options.seed, Purpose::kTest, 4);
  Vector x(d);
  set.start(x);
  Vector g(d);
  Vector v(d);
  double worst = -std::numeric_limits<double>::infinity();
  for (int t = 1; t <= steps; ++t) {
    for (double& value : g) {
      value = random.normal();
    }
    set.linear_minimizer(g, v);
    const double step = t % 3 == 0 ? 2.0 / (t + 2.0) : random.unit();
    x += step * (v - x);
    worst = std::max(worst, set.violation(x));
  }
  EXPECT_LE(worst, kMembershipTolerance * (1.0 + set.diameter())) << set.name() << ": an iterate left the set";
}

inline void expect_set_invariants(FeasibleSet& set, const SetCheckOptions& options = {}) {
  SCOPED_TRACE(std::string(set.name()));
  expect_set_is_consistent(set, options);
  expect_oracle_is_optimal(set, options);
  expect_oracle_is_reproducible(set, options);
  expect_iterates_stay_inside(set, options);
  if (set.projection_kind() != ProjectionKind::kNone) {
    expect_projection_is_nearest(set, options);
  }
}

}  // namespace slidemesh::testing
