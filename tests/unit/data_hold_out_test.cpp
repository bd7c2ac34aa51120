#include "slidemesh/data/partition.h"

#include <gtest/gtest.h>

#include <set>

namespace slidemesh {
namespace {

std::int64_t key_of(Index row) { return row + 1; }

std::set<Index> rows_of(const Partition& partition) {
  std::set<Index> rows;
  for (Index i = 0; i < partition.nodes(); ++i) {
    for (Index r = 0; r < partition.count(i); ++r) {
      rows.insert(partition.row(i, r));
    }
  }
  return rows;
}

TEST(HoldOut, TakesTheSameRowsHoweverTheyAreDealt) {
  const HoldOut rule{0.0, 0.2, 7};
  const SplitPartition few = hold_out_rows(split_contiguously(1000, 2), rule, key_of);
  std::vector<double> labels(1000, 0.0);
  const SplitPartition many = hold_out_rows(split_rows(labels, 9, {.rule = SplitRule::kShuffled}), rule, key_of);
  EXPECT_EQ(rows_of(few.held_out), rows_of(many.held_out));
  EXPECT_EQ(rows_of(few.kept).size() + rows_of(few.held_out).size(), 1000U);
  EXPECT_NEAR(static_cast<double>(rows_of(few.held_out).size()), 200.0, 60.0);  // 4.7 standard deviations
  EXPECT_EQ(few.kept.nodes(), 2);
  EXPECT_EQ(many.kept.nodes(), 9);
}

TEST(HoldOut, FoldsTakeEveryRowOnce) {
  std::multiset<Index> all;
  for (int fold = 0; fold < 5; ++fold) {
    const auto rows =
        rows_of(hold_out_rows(split_contiguously(300, 3), {fold / 5.0, (fold + 1) / 5.0, 1}, key_of).held_out);
    all.insert(rows.begin(), rows.end());
  }
  EXPECT_EQ(all.size(), 300U);
  EXPECT_EQ(std::set<Index>(all.begin(), all.end()).size(), 300U);
}

TEST(HoldOut, ListsNoNodeThatHasNone) {
  const SplitPartition split = hold_out_rows(split_contiguously(4, 4), {0.0, 0.5, 1}, key_of);
  for (Index i = 0; i < split.held_out.nodes(); ++i) {
    EXPECT_GT(split.held_out.count(i), 0);
  }
  EXPECT_TRUE(HoldOut{}.is_empty());
}

}  // namespace
}  // namespace slidemesh
