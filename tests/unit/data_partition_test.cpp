#include "slidemesh/data/partition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "slidemesh/data/formats/synthetic.h"
#include "support/error_text.h"

namespace slidemesh {
namespace {

using ::testing::ElementsAre;
using testing::error_text;

constexpr SplitRule kEveryRule[] = {SplitRule::kContiguous, SplitRule::kShuffled, SplitRule::kByLabel,
                                    SplitRule::kDirichlet};

std::vector<Index> dealt(const Partition& partition) {
  std::vector<Index> rows;
  for (Index i = 0; i < partition.nodes(); ++i) {
    for (Index r = 0; r < partition.count(i); ++r) {
      rows.push_back(partition.row(i, r));
    }
  }
  return rows;
}

TEST(Partition, EveryRuleDealsEveryRowOnceAndLeavesNoNodeEmpty) {
  std::vector<double> labels(103);
  for (std::size_t r = 0; r < labels.size(); ++r) {
    labels[r] = static_cast<double>(r % 3);
  }
  for (const SplitRule rule : kEveryRule) {
    for (const Index nodes : {1, 7, 50, 103}) {
      for (const double alpha : {1e-3, 0.5, 100.0}) {
        const Partition partition = split_rows(labels, nodes, {.rule = rule, .alpha = alpha});
        std::vector<Index> rows = dealt(partition);
        std::sort(rows.begin(), rows.end());
        std::vector<Index> all(labels.size());
        std::iota(all.begin(), all.end(), Index{0});
        EXPECT_EQ(rows, all) << to_string(rule);
        for (Index i = 0; i < nodes; ++i) {
          EXPECT_GE(partition.count(i), 1) << to_string(rule) << " node " << i;
        }
      }
    }
  }
}

TEST(Partition, SpreadsTheRemainderOverTheFirstNodes) {
  const std::vector<double> labels(11, 0.0);
  EXPECT_THAT(split_rows(labels, 4).offsets, ElementsAre(0, 3, 6, 9, 11));
}

TEST(Partition, ByLabelIsStable) {
  const std::vector<double> labels = {1, -1, 1, -1, -1};
  EXPECT_THAT(dealt(split_rows(labels, 2, {.rule = SplitRule::kByLabel})), ElementsAre(1, 3, 4, 0, 2));
}

TEST(Partition, ShufflesByItsSeedAlone) {
  const std::vector<double> labels(50, 0.0);
  const auto order = [&](std::uint64_t seed) {
    return dealt(split_rows(labels, 5, {.rule = SplitRule::kShuffled, .seed = seed}));
  };
  EXPECT_EQ(order(1), order(1));
  EXPECT_NE(order(1), order(2));
}

/// How unevenly label 1 is spread: the mean distance of a node's share from the whole's.
double unevenness(const std::vector<double>& labels, double alpha) {
  const Partition partition = split_rows(labels, 10, {.rule = SplitRule::kDirichlet, .alpha = alpha});
  double sum = 0.0;
  for (Index i = 0; i < 10; ++i) {
    double ones = 0.0;
    for (Index r = 0; r < partition.count(i); ++r) {
      ones += labels[static_cast<std::size_t>(partition.row(i, r))];
    }
    sum += std::abs(ones / static_cast<double>(partition.count(i)) - 0.5);
  }
  return sum / 10.0;
}

TEST(Partition, SmallerAlphaMakesNodesLessAlike) {
  std::vector<double> labels(2000);
  for (std::size_t r = 0; r < labels.size(); ++r) {
    labels[r] = static_cast<double>(r % 2);
  }
  EXPECT_LT(unevenness(labels, 1000.0), 0.05);
  EXPECT_GT(unevenness(labels, 0.05), 0.3);
}

TEST(Partition, SourcesHoldTheirRows) {
  const auto table = std::make_shared<const Rows>(make_synthetic({.rows = 40, .features = 7}));
  for (const SplitRule rule : kEveryRule) {
    const Partition partition = split_rows(table->labels, 4, {.rule = rule});
    const auto sources = node_sources(table, partition, 1, 2);
    ASSERT_EQ(sources.size(), 2U);
    for (Index i = 1; i <= 2; ++i) {
      auto& source = *sources[static_cast<std::size_t>(i - 1)];
      EXPECT_EQ(source.rows(), partition.count(i));
      source.scan(AccessPurpose::kValue, [&](const RowBlock& block, Index first) {
        for (Index r = 0; r < block.count; ++r) {
          const Index row = partition.row(i, first + r);
          EXPECT_EQ(block.label(r), table->labels[static_cast<std::size_t>(row)]);
          EXPECT_EQ(block.values[block.storage_row(r) * 7 + 3], table->values[static_cast<std::size_t>(row * 7 + 3)]);
        }
      });
    }
  }
}

TEST(Partition, RefusesWhatCannotBeDealt) {
  const std::vector<double> labels(3, 0.0);
  EXPECT_EQ(error_text<UsageError>([&] { (void)split_rows(labels, 4); }),
            "network.nodes: expected no more nodes than rows, got 4 nodes for 3 rows");
  EXPECT_EQ(error_text<UsageError>([&] { (void)split_rows(labels, 0); }),
            "network.nodes: expected at least 1 node, got 0");
  EXPECT_EQ(error_text<UsageError>([&] { (void)split_rows(labels, 2, {.rule = SplitRule::kDirichlet, .alpha = 0.0}); }),
            "data.alpha: expected a number above 0, got 0");
  EXPECT_EQ(error_text<UsageError>([] { (void)parse_split_rule("random"); }),
            "data.split: expected contiguous, shuffled, by-label or dirichlet, got 'random'");
}

}  // namespace
}  // namespace slidemesh
