#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "slidemesh/sets/combinators.h"
#include "slidemesh/sets/matroids.h"
#include "slidemesh/sets/norm_balls.h"
#include "slidemesh/sets/polytope.h"
#include "slidemesh/sets/simplices.h"
#include "slidemesh/sets/transport.h"
#include "slidemesh/sets/wrappers.h"
#include "support/set_matchers.h"

namespace slidemesh {
namespace {

using testing::expect_set_invariants;
using testing::SetCheckOptions;

constexpr double kOracleOfClp = 1e-7;
constexpr double kNearestPoint = 1e-7;  // Wolfe's method, in doubles

SetCheckOptions by_nearest_point() {
  SetCheckOptions options;
  options.directions = 12;
  options.projections = 8;
  options.projection_tolerance = kNearestPoint;
  return options;
}

Vector random_vector(Index n, std::uint32_t stream) {
  RandomStream random(21, Purpose::kTest, stream);
  Vector g(n);
  for (double& value : g) {
    value = random.normal();
  }
  return g;
}

std::vector<Index> shuffled(RandomStream& random, Index n) {
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  for (Index i = n - 1; i > 0; --i) {
    std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(random.index(i + 1))]);
  }
  return order;
}

/// Points that owe nothing to the set's oracle: mixtures of three extreme points as `vertex` writes them.
SetCheckOptions mixtures_of(const std::function<void(RandomStream&, VectorRef)>& vertex) {
  SetCheckOptions options = by_nearest_point();
  options.sampler = [vertex](RandomStream& random, VectorRef x) {
    const double first = random.unit();
    const double second = random.unit() * (1.0 - first);
    Vector v(x.size());
    x.setZero();
    for (const double weight : {first, second, 1.0 - first - second}) {
      vertex(random, v);
      x += weight * v;
    }
  };
  return options;
}

/// Northwest corners of shuffled rows and columns.
void random_transport(RandomStream& random, const Vector& supply, const Vector& demand, VectorRef v) {
  Vector rows = supply;
  Vector columns = demand;
  v.setZero();
  const auto row_order = shuffled(random, rows.size());
  const auto column_order = shuffled(random, columns.size());
  for (const Index i : row_order) {
    for (const Index j : column_order) {
      const double amount = std::min(rows[i], columns[j]);
      v[j * rows.size() + i] += amount;
      rows[i] -= amount;
      columns[j] -= amount;
    }
  }
}

/// A walk along random arcs; every node of the graph must lead on to the target.
void random_path(RandomStream& random, const std::vector<Arc>& arcs, Index source, Index target, VectorRef v) {
  v.setZero();
  for (Index node = source; node != target;) {
    const Index k = random.index(static_cast<Index>(arcs.size()));
    if (arcs[static_cast<std::size_t>(k)].from == node) {
      v[k] = 1.0;
      node = arcs[static_cast<std::size_t>(k)].to;
    }
  }
}

/// Edges in a random order, each taken where it joins two parts.
void random_tree(RandomStream& random, Index nodes, const std::vector<Arc>& edges, VectorRef v) {
  std::vector<Index> part(static_cast<std::size_t>(nodes));
  std::iota(part.begin(), part.end(), Index{0});
  v.setZero();
  for (const Index k : shuffled(random, static_cast<Index>(edges.size()))) {
    const Index a = part[static_cast<std::size_t>(edges[static_cast<std::size_t>(k)].from)];
    const Index b = part[static_cast<std::size_t>(edges[static_cast<std::size_t>(k)].to)];
    if (a != b) {
      v[k] = 1.0;
      std::replace(part.begin(), part.end(), a, b);
    }
  }
}

TEST(Assignment, AgreesWithAllPermutations) {
  for (const Index n : {1, 2, 3, 4, 6}) {
    for (std::uint32_t stream = 0; stream < 40; ++stream) {
      Vector g = random_vector(n * n, stream);
      if (stream % 2 == 1) {
        g = g.array().round();  // ties
      }
      Birkhoff set(n);
      Vector v(n * n);
      set.linear_minimizer(g, v);
      std::vector<Index> order(static_cast<std::size_t>(n));
      std::iota(order.begin(), order.end(), Index{0});
      double best = std::numeric_limits<double>::infinity();
      do {
        double cost = 0.0;
        for (Index j = 0; j < n; ++j) {
          cost += g[j * n + order[static_cast<std::size_t>(j)]];
        }
        best = std::min(best, cost);
      } while (std::next_permutation(order.begin(), order.end()));
      EXPECT_NEAR(g.dot(v), best, 1e-12);
      EXPECT_EQ(set.violation(v), 0.0);
    }
  }
}

TEST(Assignment, AgreesWithTheNetworkSimplexOnLargerProblems) {
  for (const Index n : {20, 75}) {
    for (std::uint32_t stream = 0; stream < 4; ++stream) {
      Vector g = random_vector(n * n, stream);
      if (stream % 2 == 1) {
        g = (2.0 * g).array().round();
      }
      Birkhoff assignment(n);
      Transportation transport(Vector::Ones(n), Vector::Ones(n));
      Vector v(n * n);
      Vector w(n * n);
      assignment.linear_minimizer(g, v);
      transport.linear_minimizer(g, w);
      EXPECT_NEAR(g.dot(v), g.dot(w), 1e-9);
    }
  }
}

TEST(Combinatorial, BirkhoffHasTheInvariantsOfASet) {
  for (const Index n : {1, 2, 5}) {
    Birkhoff set(n);
    expect_set_invariants(set, mixtures_of([n](RandomStream& random, VectorRef v) {
                            random_transport(random, Vector::Ones(n), Vector::Ones(n), v);
                          }));
  }
}

TEST(Combinatorial, TransportationHasTheInvariantsOfASet) {
  const Vector supply{{1.0, 2.5, 0.5}};
  const Vector demand{{2.0, 0.75, 1.0, 0.25}};
  Transportation set(supply, demand);
  expect_set_invariants(
      set, mixtures_of([&](RandomStream& random, VectorRef v) { random_transport(random, supply, demand, v); }));
  Transportation thirds(Vector::Constant(3, 1.0 / 3.0), Vector::Constant(7, 1.0 / 7.0));
  expect_set_invariants(thirds, by_nearest_point());
}

/// A small graph: 0 -> {1, 2} -> {3, 4} -> 5, and a shortcut.
std::vector<Arc> small_graph() { return {{0, 1}, {0, 2}, {1, 3}, {1, 4}, {2, 3}, {2, 4}, {3, 5}, {4, 5}, {0, 5}}; }

TEST(Combinatorial, FlowHasTheInvariantsOfASet) {
  FlowPolytope set(6, small_graph(), 0, 5, Vector::Constant(9, 0.4), 1.0);
  expect_set_invariants(set, by_nearest_point());
  FlowPolytope roomy(6, small_graph(), 0, 5, Vector::Ones(9), 1.0);  // the paths, since it is acyclic
  expect_set_invariants(
      roomy, mixtures_of([](RandomStream& random, VectorRef v) { random_path(random, small_graph(), 0, 5, v); }));
  // With a cycle, which a negative cost makes worth running through.
  FlowPolytope cyclic(3, {{0, 1}, {1, 2}, {1, 0}, {0, 2}}, 0, 2, Vector::Constant(4, 1.5), 1.0);
  expect_set_invariants(cyclic, by_nearest_point());
}

TEST(Combinatorial, DagPathsHaveTheInvariantsOfASet) {
  DagPaths set(6, small_graph(), 0, 5);
  expect_set_invariants(
      set, mixtures_of([](RandomStream& random, VectorRef v) { random_path(random, small_graph(), 0, 5, v); }));
  Vector v(9);
  set.linear_minimizer(Vector{{1.0, 1.0, 1.0, 1.0, 1.0, -5.0, 1.0, 1.0, 1.0}}, v);
  EXPECT_EQ(v, (Vector{{0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0}}));
}

TEST(Combinatorial, SpanningTreesHaveTheInvariantsOfASet) {
  const std::vector<Arc> edges{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}, {3, 4}};
  const auto set = spanning_trees(5, edges);
  expect_set_invariants(*set,
                        mixtures_of([&](RandomStream& random, VectorRef v) { random_tree(random, 5, edges, v); }));
  // A point that meets all degree conditions but puts too much on the triangle 0 1 2.
  EXPECT_FALSE(set->contains(Vector{{1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0}}));
}

TEST(Combinatorial, MatroidBasesHaveTheInvariantsOfASet) {
  MatroidBases partition(
      std::make_unique<PartitionMatroid>(std::vector<Index>{0, 0, 0, 1, 1}, std::vector<Index>{2, 1}));
  expect_set_invariants(partition, by_nearest_point());
  EXPECT_EQ(partition.rank(), 3);
  Matrix vectors(2, 4);
  vectors << 1.0, 2.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0;  // the first two are parallel
  MatroidBases linear(std::make_unique<LinearMatroid>(vectors));
  expect_set_invariants(linear, by_nearest_point());
  Vector v(4);
  linear.linear_minimizer(Vector{{-1.0, -2.0, 0.0, 0.0}}, v);
  EXPECT_EQ(v, (Vector{{0.0, 1.0, 1.0, 0.0}}));
}

TEST(Combinatorial, PolytopeHasTheInvariantsOfASet) {
  // |x_1| + |x_2| <= 1 in four rows, x_3 = x_1 + x_2.
  PolytopeRows rows;
  rows.dimension = 3;
  const double infinity = std::numeric_limits<double>::max();
  for (const auto& [a, b] : {std::pair{1.0, 1.0}, {1.0, -1.0}, {-1.0, 1.0}, {-1.0, -1.0}}) {
    rows.columns.insert(rows.columns.end(), {0, 1});
    rows.values.insert(rows.values.end(), {a, b});
    rows.offsets.push_back(rows.values.size());
    rows.lower.push_back(-infinity);
    rows.upper.push_back(1.0);
  }
  rows.columns.insert(rows.columns.end(), {0, 1, 2});
  rows.values.insert(rows.values.end(), {1.0, 1.0, -1.0});
  rows.offsets.push_back(rows.values.size());
  rows.lower.push_back(0.0);
  rows.upper.push_back(0.0);
  Polytope set(rows);
  SetCheckOptions options = by_nearest_point();
  options.tolerance = kOracleOfClp;
  expect_set_invariants(set, options);
  L1Ball ball(2, 1.0);
  Vector v(3);
  Vector w(2);
  set.linear_minimizer(Vector{{3.0, -1.0, 0.0}}, v);
  ball.linear_minimizer(Vector{{3.0, -1.0}}, w);
  EXPECT_LE((v.head(2) - w).norm(), 1e-9);
}

TEST(Combinatorial, HullHasTheInvariantsOfASet) {
  Matrix points(3, 12);
  RandomStream random(8, Purpose::kTest);
  for (double& value : points.reshaped()) {
    value = random.uniform(-2.0, 3.0);
  }
  Hull set(points);
  expect_set_invariants(set, by_nearest_point());
  Hull one(Matrix::Ones(3, 1));
  Vector v(3);
  one.linear_minimizer(Vector::Zero(3), v);
  EXPECT_EQ(v, Vector::Ones(3));
}

TEST(Combinators, ProductHasTheInvariantsOfASet) {
  std::vector<std::unique_ptr<FeasibleSet>> parts;
  parts.push_back(std::make_unique<L1Ball>(4, 2.0));
  parts.push_back(std::make_unique<Simplex>(3));
  parts.push_back(std::make_unique<L2Ball>(1, 0.5));
  ProductSet set(std::move(parts));
  EXPECT_EQ(set.dimension(), 8);
  EXPECT_EQ(set.projection_kind(), ProjectionKind::kClosedForm);
  expect_set_invariants(set);
}

TEST(Wrappers, CountingCountsAcrossCopies) {
  CountingSet set(std::make_unique<L1Ball>(3, 1.0));
  const auto copy = set.clone();
  Vector v(3);
  set.linear_minimizer(Vector::Ones(3), v);
  copy->linear_minimizer(Vector::Ones(3), v);
  copy->project(Vector::Ones(3), v);
  EXPECT_EQ(set.counts().linear_minimizers, 2);
  EXPECT_EQ(set.counts().projections, 1);
}

TEST(Wrappers, CachingAsksOnceForTheSameQuestion) {
  auto counting = std::make_unique<CountingSet>(std::make_unique<Birkhoff>(3));
  const CountingSet& counted = *counting;
  CachingSet set(std::move(counting), 2);
  Vector v(9);
  const Vector g = random_vector(9, 1);
  const Vector h = random_vector(9, 2);
  for (const Vector& question : {g, h, g, h, g}) {
    set.linear_minimizer(question, v);
  }
  EXPECT_EQ(counted.counts().linear_minimizers, 2);
  EXPECT_EQ(set.hits(), 3);
  expect_set_invariants(set, by_nearest_point());
}

TEST(Wrappers, LazyIsContentWithAKeptVertexThatWillDo) {
  auto counting = std::make_unique<CountingSet>(std::make_unique<L1Ball>(3, 1.0));
  const CountingSet& counted = *counting;
  LazySet set(std::move(counting), 10);
  Vector v(3);
  EXPECT_FALSE(set.point_below(Vector{{2.0, 0.0, 0.0}}, -1.0, v));
  EXPECT_TRUE(set.point_below(Vector{{1.5, 0.0, 2.0}}, -1.0, v));
  EXPECT_EQ(v, (Vector{{-1.0, 0.0, 0.0}}));
  EXPECT_FALSE(set.point_below(Vector{{1.5, 0.0, 2.0}}, -1.9, v));
  EXPECT_EQ(v, (Vector{{0.0, 0.0, -1.0}}));
  EXPECT_EQ(counted.counts().linear_minimizers, 2);
}

}  // namespace
}  // namespace slidemesh
