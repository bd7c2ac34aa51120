// Sets that find their vertices from the numbers of a gradient that are not zero answer as they do to all of it.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "slidemesh/base/errors.h"
#include "slidemesh/base/random.h"
#include "slidemesh/core/metered_set.h"
#include "slidemesh/core/meters.h"
#include "slidemesh/sets/combinators.h"
#include "slidemesh/sets/norm_balls.h"
#include "slidemesh/sets/simplices.h"
#include "slidemesh/sets/sparse_balls.h"

namespace slidemesh {
namespace {

constexpr Index kDimension = 13;

std::vector<std::unique_ptr<FeasibleSet>> sets() {
  std::vector<std::unique_ptr<FeasibleSet>> all;
  Vector weights(kDimension);
  for (Index j = 0; j < kDimension; ++j) {
    weights(j) = 1.0 + static_cast<double>(j % 3);
  }
  all.push_back(std::make_unique<L1Ball>(kDimension, 2.0));
  all.push_back(std::make_unique<WeightedL1Ball>(weights, 2.0));
  all.push_back(std::make_unique<Simplex>(kDimension, 2.0));
  all.push_back(std::make_unique<CappedSimplex>(kDimension, 2.0));
  all.push_back(std::make_unique<Hypersimplex>(kDimension, 1));
  all.push_back(std::make_unique<Hypersimplex>(kDimension, 6));
  all.push_back(std::make_unique<KSparsePolytope>(kDimension, 1, 2.0));
  all.push_back(std::make_unique<KSparsePolytope>(kDimension, 5, 2.0));
  all.push_back(std::make_unique<FreeRowSet>(std::make_unique<L1Ball>(kDimension - 1, 2.0), 1, 9.0));
  all.push_back(std::make_unique<FreeRowSet>(std::make_unique<Simplex>(kDimension - 1, 2.0), 1, 9.0));
  return all;
}

/// Few different numbers, so that many are equal; zeros that are given and zeros that are not.
SparseVector some_gradient(RandomStream& random, double density) {
  SparseVector g;
  for (Index j = 0; j < kDimension; ++j) {
    if (random.unit() < density) {
      g.append(j, static_cast<double>(random.index(5)) - 2.0);
    }
  }
  return g;
}

TEST(SparseVertices, AreThoseOfTheWholeGradient) {
  RandomStream random(1, Purpose::kTest);
  for (const auto& set : sets()) {
    ASSERT_TRUE(set->has_sparse_vertices()) << set->name();
    for (int draw = 0; draw < 2000; ++draw) {
      SparseVector g = some_gradient(random, static_cast<double>(draw % 11) / 10.0);
      if (draw % 3 == 0) {  // all of one sign
        for (double& number : g.numbers) {
          number = draw % 2 == 0 ? std::abs(number) : -std::abs(number);
        }
      }
      Vector whole = Vector::Zero(kDimension);
      for (std::size_t k = 0; k < g.places.size(); ++k) {
        whole(g.places[k]) = g.numbers[k];
      }
      Vector expected(kDimension);
      set->linear_minimizer(whole, expected);
      SparseVector found;
      found.append(3, 99.0);  // what was there before is gone
      set->sparse_minimizer({g.places, g.numbers}, found);
      Vector vertex = Vector::Zero(kDimension);
      for (std::size_t k = 0; k < found.places.size(); ++k) {
        ASSERT_TRUE(k == 0 || found.places[k] > found.places[k - 1]) << set->name();
        vertex(found.places[k]) = found.numbers[k];
      }
      ASSERT_EQ(vertex, expected) << set->name() << ", g = " << whole.transpose();
    }
  }
}

TEST(SparseVertices, AreCharged) {
  Meters meters(1);
  MeteredSet set(L1Ball(kDimension, 1.0), meters, 0);
  SparseVector vertex;
  ASSERT_TRUE(set.has_sparse_vertices());
  set.sparse_minimizer({}, vertex);
  EXPECT_EQ(meters.at(0).linear_oracle_calls, 1);
}

TEST(SparseVertices, AreNotAskedOfSetsThatHaveNone) {
  L2Ball ball(kDimension, 1.0);
  SparseVector vertex;
  EXPECT_FALSE(ball.has_sparse_vertices());
  EXPECT_THROW(ball.sparse_minimizer({}, vertex), InternalError);
  EXPECT_FALSE(Hypersimplex(kDimension, 7).has_sparse_vertices()) << "half of the coordinates are not few";
}

}  // namespace
}  // namespace slidemesh
