#include "slidemesh/core/row_dealer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "support/state_copy.h"

namespace slidemesh {
namespace {

std::vector<Index> next_rows(RowDealer& dealer, Count batch) {
  std::vector<Index> rows;
  dealer.deal(batch, rows);
  return rows;
}

TEST(RowDealer, DealsEveryRowOnceInAnEpochAndInAnotherOrderInTheNext) {
  RowDealer dealer(7, 3, 10);
  const auto first = next_rows(dealer, 10);
  const auto second = next_rows(dealer, 10);
  EXPECT_THAT(first, ::testing::UnorderedElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_THAT(second, ::testing::UnorderedElementsAreArray(first));
  EXPECT_NE(first, second);
}

TEST(RowDealer, ForeseesWhatItWillDealUpToAReshuffle) {
  RowDealer dealer(7, 3, 10);
  next_rows(dealer, 4);
  std::vector<Index> foreseen;
  dealer.foresee(4, foreseen);
  const std::vector<Index> expected(foreseen.begin(), foreseen.end());
  EXPECT_EQ(next_rows(dealer, 4), expected);
  dealer.foresee(4, foreseen);
  EXPECT_TRUE(foreseen.empty()) << "two rows are left, and what comes behind them is not known";
}

TEST(RowDealer, DealsASubsetThatKeepsItsRowsUntilAllAreDealt) {
  RowDealer dealer(7, 3, 100);
  dealer.deal_subset(20);
  const auto subset = next_rows(dealer, 20);
  EXPECT_THAT(next_rows(dealer, 20), ::testing::UnorderedElementsAreArray(subset));
  EXPECT_EQ(next_rows(dealer, 50).size(), 20U) << "no more than there are";
  dealer.deal_all();
  EXPECT_EQ(next_rows(dealer, 100).size(), 100U);
}

TEST(RowDealer, GoesOnFromACopyOfItsState) {
  RowDealer one(7, 3, 30);
  next_rows(one, 41);
  RowDealer other(7, 3, 30);
  testing::copy_state(one, other);
  EXPECT_EQ(next_rows(other, 25), next_rows(one, 25));
}

TEST(RowDealer, IsAFunctionOfSeedAndNode) {
  RowDealer one(7, 3, 30);
  RowDealer same(7, 3, 30);
  RowDealer other(7, 4, 30);
  const auto rows = next_rows(one, 30);
  EXPECT_EQ(next_rows(same, 30), rows);
  EXPECT_NE(next_rows(other, 30), rows);
}

}  // namespace
}  // namespace slidemesh
