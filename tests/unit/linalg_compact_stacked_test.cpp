#include "slidemesh/linalg/compact_stacked.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "slidemesh/base/random.h"
#include "slidemesh/linalg/kept_columns.h"
#include "slidemesh/linalg/kernels.h"

namespace slidemesh {
namespace {

bool same_bits(const Stacked& a, const Stacked& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * 8) == 0;
}

TEST(CompactStacked, KeepsTheRowsThatAreNotOrdinary) {
  Stacked whole = Stacked::Zero(9, 2);
  whole(3, 0) = 1.5;
  whole(7, 1) = -0.0;  // a bit of its own
  const CompactStacked compact(whole);
  EXPECT_EQ(compact.places(), (std::vector<Index>{3, 7}));
  EXPECT_EQ(compact.numbers().rows(), 3);
  EXPECT_TRUE(same_bits(compact.whole(), whole));
}

TEST(CompactStacked, HasOneNumberForAllOrdinaryRows) {
  Vector column = Vector::Constant(8, 0.125);
  column(5) = 2.0;
  CompactStacked compact(column, 3);
  EXPECT_EQ(compact.places(), (std::vector<Index>{5}));
  EXPECT_EQ(compact.rest(1), 0.125);
  EXPECT_FALSE(compact.rest_is_zero());
  EXPECT_TRUE(same_bits(compact.whole(), column.replicate(1, 3)));
  compact.include(std::vector<Index>{0, 5, 7});
  EXPECT_EQ(compact.places(), (std::vector<Index>{0, 5, 7}));
  EXPECT_TRUE(same_bits(compact.whole(), column.replicate(1, 3)));
  compact.drop_ordinary_rows();
  EXPECT_EQ(compact.places(), (std::vector<Index>{5}));
  EXPECT_TRUE(same_bits(compact.whole(), column.replicate(1, 3)));
}

TEST(CompactStacked, MayKeepAllRowsOrNone) {
  CompactStacked compact(4, 2);
  EXPECT_EQ(compact.kept(), 0);
  EXPECT_TRUE(compact.rest_is_zero());
  compact.include(std::vector<Index>{0, 1, 2, 3});
  compact.numbers().topRows(4).setConstant(3.0);
  EXPECT_TRUE(same_bits(compact.whole(), Stacked::Constant(4, 2, 3.0)));
  compact.drop_ordinary_rows();
  EXPECT_EQ(compact.kept(), 4) << "the rest is zero";
}

TEST(SquaredNorm, OfAFewPlacesHasTheBitsOfTheWholeSum) {
  RandomStream random(1, Purpose::kTest);
  for (Index n = 1; n < 60; ++n) {
    Vector whole = Vector::Zero(n);
    std::vector<Index> places;
    std::vector<double> numbers;
    for (Index j = 0; j < n; ++j) {
      if (random.unit() < 0.4) {
        whole(j) = random.normal();
        places.push_back(j);
        numbers.push_back(whole(j));
      }
    }
    EXPECT_EQ(squared_norm(places, numbers.data()), squared_norm(whole)) << n;
  }
}

TEST(KeptColumns, ComeBackAsTheyWere) {
  Stacked x = Stacked::Zero(40, 3);
  x(3, 0) = 1.0;
  x(20, 0) = -0.0;
  x.col(1).setRandom();
  const KeptColumns kept(x);
  EXPECT_EQ(kept.numbers(), 2 + 40) << "a full column is kept as it is, an empty one not at all";
  Stacked back;
  kept.expand(back);
  EXPECT_TRUE(same_bits(back, x));
}

}  // namespace
}  // namespace slidemesh
