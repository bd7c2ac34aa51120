#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <string>

#include "slidemesh/algorithms/inner/inner_solver.h"
#include "slidemesh/algorithms/inner/tolerance.h"
#include "slidemesh/base/errors.h"
#include "slidemesh/base/random.h"
#include "slidemesh/sets/norm_balls.h"
#include "slidemesh/sets/simplices.h"
#include "slidemesh/sets/smooth_balls.h"
#include "slidemesh/sets/spectral.h"
#include "slidemesh/sets/transport.h"
#include "slidemesh/sets/wrappers.h"
#include "support/state_copy.h"

namespace slidemesh {
namespace {

/// A sequence of inner problems like those of a run: the centre wanders, the strength changes.
struct Wander {
  explicit Wander(Index d, std::uint32_t stream) : random(31, Purpose::kTest, stream), centre(Vector::Zero(d)) {}
  void next(double spread) {
    for (double& value : centre) {
      value += spread * random.normal();
    }
    strength = random.uniform(0.5, 20.0);
  }
  RandomStream random;
  Vector centre;
  double strength = 1.0;
};

double wolfe_gap(FeasibleSet& set, double strength, const Vector& centre, const Vector& u) {
  const Vector g = strength * (u - centre);
  Vector v(u.size());
  set.linear_minimizer(g, v);
  return g.dot(u - v);
}

void expect_solves(const std::string& name, FeasibleSet& set, double tolerance, double spread, int problems) {
  SCOPED_TRACE(name + " on " + std::string(set.name()));
  const auto solver = make_inner_solver(name, set);
  Vector u(set.dimension());
  set.start(u);
  Wander wander(set.dimension(), 1);
  for (int i = 0; i < problems; ++i) {
    wander.next(spread);
    const InnerResult result = solver->solve(wander.strength, wander.centre, tolerance, u);
    EXPECT_LE(result.wolfe_gap, tolerance);
    EXPECT_GE(result.linear_oracle_calls, 1);
    EXPECT_TRUE(set.contains(u)) << "outside by " << set.violation(u);
    constexpr double kSlack = 1e-9;
    EXPECT_LE(wolfe_gap(set, wander.strength, wander.centre, u), tolerance + kSlack);
    if (set.projection_kind() == ProjectionKind::kClosedForm) {
      // |u - projection|^2 <= gap / strength.
      Vector exact(u.size());
      set.project(wander.centre, exact);
      EXPECT_LE((u - exact).squaredNorm(), (tolerance + kSlack) / wander.strength);
    }
  }
}

TEST(InnerSolvers, ReachTheToleranceOnEverySet) {
  for (const char* name : {"bpcg", "lazy", "cgs"}) {
    L1Ball l1(22, 10.0);
    expect_solves(name, l1, 1e-2, 0.5, 60);
    Simplex simplex(15);
    expect_solves(name, simplex, 1e-2, 0.1, 60);
    LinfBall cube(6, 1.0);
    expect_solves(name, cube, 1e-2, 0.5, 40);
    L2Ball round(8, 2.0);
    expect_solves(name, round, 1e-2, 0.5, 40);
    Birkhoff birkhoff(4);
    expect_solves(name, birkhoff, 1e-2, 0.2, 30);
    NuclearBall nuclear(6, 5, 2.0);
    expect_solves(name, nuclear, 1e-2, 0.3, 20);
  }
}

/// By the vertices' one entry and by whole vertices, which a wrapper knows nothing but: calls and bits are the same.
void expect_same_by_entry_and_by_vertex(const FeasibleSet& set) {
  SCOPED_TRACE(std::string(set.name()) + " of dimension " + std::to_string(set.dimension()));
  const CountingSet whole(set.clone());
  ASSERT_TRUE(set.has_single_entry_vertices());
  ASSERT_FALSE(whole.has_single_entry_vertices());
  const auto by_entry = make_inner_solver("cgs", set);
  const auto by_vertex = make_inner_solver("cgs", whole);
  Vector u(set.dimension());
  set.start(u);
  Vector same = u;
  Wander wander(set.dimension(), 2);
  for (int i = 0; i < 60; ++i) {
    wander.next(0.5);
    Vector centre = wander.centre;
    if (i % 2 == 1) {  // several vertices are as good
      centre = centre.array().round();
      set.start(u);
      set.start(same);
    }
    const InnerResult result = by_entry->solve(wander.strength, centre, 1e-2, u);
    const InnerResult expected = by_vertex->solve(wander.strength, centre, 1e-2, same);
    EXPECT_EQ(result.linear_oracle_calls, expected.linear_oracle_calls);
    EXPECT_EQ(result.wolfe_gap, expected.wolfe_gap);
    EXPECT_EQ(std::memcmp(u.data(), same.data(), sizeof(double) * static_cast<std::size_t>(u.size())), 0);
  }
}

TEST(InnerSolvers, CgsGivesTheSameBitsWithoutLookingAtAVertexsZeros) {
  for (const Index d : {1, 2, 5, 8, 22, 65}) {
    expect_same_by_entry_and_by_vertex(L1Ball(d, 3.0));
    expect_same_by_entry_and_by_vertex(WeightedL1Ball(Vector::LinSpaced(d, 0.5, 2.0), 3.0));
    expect_same_by_entry_and_by_vertex(Simplex(d));
    expect_same_by_entry_and_by_vertex(CappedSimplex(d, 2.0));
  }
}

TEST(InnerSolvers, BpcgReachesSmallTolerancesOnPolytopes) {
  L1Ball l1(22, 10.0);
  expect_solves("bpcg", l1, 1e-9, 0.5, 200);
  Birkhoff birkhoff(5);
  expect_solves("bpcg", birkhoff, 1e-9, 0.2, 50);
}

TEST(InnerSolvers, BpcgSparesTheOracle) {
  L1Ball set(22, 10.0);
  const auto calls_of = [&set](const char* name) {
    const auto solver = make_inner_solver(name, set);
    Vector u = Vector::Zero(22);
    Wander wander(22, 2);
    Count calls = 0;
    for (int i = 0; i < 300; ++i) {
      wander.next(0.05);
      calls += solver->solve(wander.strength, wander.centre, 1e-3, u).linear_oracle_calls;
    }
    return calls;
  };
  const Count bpcg = calls_of("bpcg");
  EXPECT_LT(10 * bpcg, calls_of("cgs"));
  EXPECT_LT(bpcg, calls_of("lazy"));
}

TEST(InnerSolvers, BpcgReportsItsActiveSet) {
  L1Ball set(10, 1.0);
  const auto solver = make_inner_solver("bpcg", set);
  Vector u = Vector::Zero(10);
  Vector centre = Vector::Zero(10);
  centre[3] = 5.0;
  const InnerResult vertex = solver->solve(1.0, centre, 1e-9, u);
  EXPECT_EQ(vertex.active_set_size, 1);
  EXPECT_EQ(u, Vector(Vector::Unit(10, 3)));
}

/// On a round ball every answer of the oracle is a new vertex; what is kept of them stays bounded, and the answer
/// right.
TEST(InnerSolvers, BpcgKeepsABoundedActiveSet) {
  constexpr Index kMost = 64;  // of so many numbers in 16 MiB
  constexpr Index kDimension = 40'000;
  constexpr double kTolerance = 1e-2;
  L2Ball set(kDimension, 2.0);
  const auto solver = make_inner_solver("bpcg", set);
  Vector u = Vector::Zero(kDimension);
  Vector centre = Vector::Zero(kDimension);
  Count calls = 0;
  for (Index i = 0; i < 200; ++i) {  // ever new directions, the nearest point inside the ball
    centre.setZero();
    centre(i) = centre(i + 200) = 1.0;
    const InnerResult result = solver->solve(1.0, centre, kTolerance, u);
    calls += result.linear_oracle_calls;
    EXPECT_LE(result.active_set_size, kMost);
    EXPECT_LE(wolfe_gap(set, 1.0, centre, u), kTolerance + 1e-9);
    EXPECT_TRUE(set.contains(u));
  }
  EXPECT_GT(calls, kMost) << "the bound was never met";
}

/// A solver that takes over the state of another goes on exactly as it would have.
TEST(InnerSolvers, GoOnFromASavedState) {
  for (const char* name : {"bpcg", "lazy", "cgs"}) {
    NuclearBall set(30, 26, 2.0);
    const auto first = make_inner_solver(name, set);
    Vector u = Vector::Zero(set.dimension());
    Wander wander(set.dimension(), 3);
    for (int i = 0; i < 5; ++i) {
      wander.next(0.05);
      first->solve(wander.strength, wander.centre, 0.05, u);
    }
    const auto second = make_inner_solver(name, set);
    testing::copy_state(*first, *second);
    Vector w = u;
    for (int i = 0; i < 5; ++i) {
      wander.next(0.05);
      const InnerResult a = first->solve(wander.strength, wander.centre, 0.05, u);
      const InnerResult b = second->solve(wander.strength, wander.centre, 0.05, w);
      EXPECT_EQ(a.linear_oracle_calls, b.linear_oracle_calls) << name;
      EXPECT_EQ(u, w) << name;
    }
  }
}

TEST(InnerSolvers, AutoProjectsWhereThatIsCheap) {
  EXPECT_EQ(make_inner_solver("auto", L1Ball(3, 1.0))->name(), "projection");
  EXPECT_EQ(make_inner_solver("auto", NuclearBall(100, 250, 1.0))->name(), "projection");
  EXPECT_EQ(make_inner_solver("auto", NuclearBall(943, 1682, 1.0))->name(), "bpcg");
  EXPECT_EQ(make_inner_solver("auto", LpBall(3, 3.0, 1.0))->name(), "bpcg");
  EXPECT_THROW(static_cast<void>(make_inner_solver("magic", L1Ball(3, 1.0))), UsageError);
}

TEST(Tolerance, AdaptiveIsAShareOfTheLastStepWithinBounds) {
  const AdaptiveTolerance rule{.share = 0.1, .least = 1e-8, .most = 1e-2};
  EXPECT_DOUBLE_EQ(adaptive_tolerance(rule, 2.0, 1e-4), 1e-5);
  EXPECT_EQ(adaptive_tolerance(rule, 2.0, 1e-30), 1e-8);
  EXPECT_EQ(adaptive_tolerance(rule, 2.0, 0.0), 1e-2);
  EXPECT_EQ(adaptive_tolerance(rule, 2.0, 100.0), 1e-2);
}

}  // namespace
}  // namespace slidemesh
