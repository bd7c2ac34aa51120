#include "slidemesh/sets/combinators.h"

#include <gtest/gtest.h>

#include "slidemesh/sets/norm_balls.h"
#include "slidemesh/sets/smooth_balls.h"
#include "support/set_matchers.h"

namespace slidemesh {
namespace {

TEST(FreeRow, KeepsTheInvariantsOfASet) {
  FreeRowSet vector(std::make_unique<L1Ball>(6, 2.0), 1, 5.0);
  testing::expect_set_invariants(vector);
  FreeRowSet matrix(std::make_unique<L1Ball>(12, 2.0), 3, 0.5);
  testing::expect_set_invariants(matrix);
}

TEST(FreeRow, IsCurvedWhereTheOthersAre) {
  EXPECT_TRUE(FreeRowSet(std::make_unique<L2Ball>(4, 1.0), 1, 5.0).is_curved());
  EXPECT_FALSE(FreeRowSet(std::make_unique<L1Ball>(4, 1.0), 1, 5.0).is_curved());
}

TEST(FreeRow, SaysNothingOfTheLastRow) {
  FreeRowSet set(std::make_unique<L1Ball>(4, 1.0), 2, 100.0);
  ASSERT_EQ(set.dimension(), 6);
  ASSERT_EQ(set.matrix_rows(), 3);
  Vector x(6);
  x << 0.5, 0.0, 90.0, 0.0, -0.5, -90.0;
  EXPECT_TRUE(set.contains(x));
  Vector nearest(6);
  set.project(x, nearest);
  EXPECT_EQ(nearest, x);
  x[0] = 3.0;
  EXPECT_FALSE(set.contains(x));
  set.project(x, nearest);
  EXPECT_EQ(nearest[2], 90.0);
  EXPECT_EQ(nearest[5], -90.0);
}

}  // namespace
}  // namespace slidemesh
