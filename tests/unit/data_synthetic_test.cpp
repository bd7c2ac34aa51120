#include "slidemesh/data/formats/synthetic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "support/error_text.h"

namespace slidemesh {
namespace {

using testing::error_text;

std::uint64_t digest(const Rows& rows) {
  std::uint64_t hash = 0;
  const auto mix = [&](std::uint64_t word) { hash = (hash ^ word) * 0x9E3779B97F4A7C15U + (hash >> 29U); };
  for (const double v : rows.labels) {
    mix(std::bit_cast<std::uint64_t>(v));
  }
  for (const double v : rows.values) {
    mix(std::bit_cast<std::uint64_t>(v));
  }
  for (const std::int32_t c : rows.columns) {
    mix(static_cast<std::uint64_t>(c));
  }
  return hash;
}

double mean_label(const Rows& rows, Index first, Index count) {
  double sum = 0.0;
  for (Index r = first; r < first + count; ++r) {
    sum += rows.labels[static_cast<std::size_t>(r)];
  }
  return sum / static_cast<double>(count);
}

TEST(Synthetic, DefaultHasTheShapeOfIjcnn1) {
  const Rows rows = make_synthetic({});
  EXPECT_EQ(rows.count(), 20000);
  EXPECT_EQ(rows.features, 22);
  EXPECT_EQ(std::count(rows.labels.begin(), rows.labels.end(), 1.0), 1940);
  for (const double v : rows.values) {
    ASSERT_TRUE(std::isfinite(v));
    ASSERT_LT(std::abs(v), 5.0);
  }
}

TEST(Synthetic, RowsAreWindowsOfOneSignal) {
  const Rows rows = make_synthetic({.rows = 100});
  for (std::size_t r = 0; r + 1 < 100; ++r) {
    for (std::size_t j = 12; j + 1 < 22; ++j) {
      ASSERT_EQ(rows.values[r * 22 + j + 1], rows.values[(r + 1) * 22 + j]);
    }
  }
}

TEST(Synthetic, ContiguousPartsDifferMoreWithHeterogeneity) {
  const auto spread = [](double heterogeneity) {
    const Rows rows = make_synthetic({.heterogeneity = heterogeneity});
    double low = 1.0;
    double high = -1.0;
    for (Index i = 0; i < 10; ++i) {
      const double mean = mean_label(rows, i * 2000, 2000);
      low = std::min(low, mean);
      high = std::max(high, mean);
    }
    return high - low;
  };
  EXPECT_LT(spread(0.0), 0.1);
  EXPECT_GT(spread(1.0), 0.2);
}

// These are promises: a published figure on generated data must stay reproducible.
TEST(Synthetic, BitsNeverChange) {
  EXPECT_EQ(digest(make_synthetic({.rows = 500})), 11406598924725536427U);
  EXPECT_EQ(digest(make_synthetic({.kind = SyntheticKind::kRegression, .rows = 500})), 10860062488797470479U);
  EXPECT_EQ(digest(make_synthetic({.kind = SyntheticKind::kMulticlass, .rows = 500})), 4619562025624750437U);
  EXPECT_EQ(digest(make_synthetic({.kind = SyntheticKind::kMatrix, .rows = 500})), 11268155412066917437U);
}

TEST(Synthetic, SeedsGiveOtherTables) {
  EXPECT_NE(digest(make_synthetic({.rows = 500, .seed = 1})), digest(make_synthetic({.rows = 500, .seed = 2})));
}

TEST(Synthetic, MulticlassHasEveryClass) {
  const Rows rows = make_synthetic({.kind = SyntheticKind::kMulticlass, .rows = 300, .classes = 7});
  EXPECT_EQ(std::set<double>(rows.labels.begin(), rows.labels.end()), (std::set<double>{0, 1, 2, 3, 4, 5, 6}));
}

TEST(Synthetic, MatrixEntriesAreDistinctAndOneHot) {
  const Rows rows =
      make_synthetic({.kind = SyntheticKind::kMatrix, .rows = 600, .matrix_rows = 30, .matrix_columns = 20});
  EXPECT_EQ(rows.features, 600);
  EXPECT_EQ(std::set<std::int32_t>(rows.columns.begin(), rows.columns.end()).size(), 600U);
  EXPECT_EQ(std::count(rows.values.begin(), rows.values.end(), 1.0), 600);
}

TEST(Synthetic, EveryKindHasASizeOfItsOwn) {
  EXPECT_EQ(make_synthetic({.kind = SyntheticKind::kMatrix}).count(), 800);
  EXPECT_EQ(make_synthetic({.kind = SyntheticKind::kRegression}).count(), 20000);
}

TEST(Synthetic, TakesFewFeatures) {
  for (Index features = 1; features < 9; ++features) {
    EXPECT_EQ(make_synthetic({.rows = 20, .features = features}).features, features);
  }
}

TEST(Synthetic, RefusesWhatCannotBeMade) {
  EXPECT_EQ(error_text<UsageError>([] { (void)make_synthetic({.rows = 1}); }),
            "data.rows: expected at least 2 rows, got 1");
  EXPECT_EQ(error_text<UsageError>([] { (void)make_synthetic({.features = 0}); }),
            "data.features: expected at least 1 and rows x features under 2^33, got 0");
  EXPECT_EQ(error_text<UsageError>([] { (void)make_synthetic({.noise = -1.0}); }),
            "data.noise: expected a number of at least 0, got -1");
  EXPECT_EQ(error_text<UsageError>([] { (void)make_synthetic({.positive = 1.0}); }),
            "data.positive: expected a share between 0 and 1, got 1");
  EXPECT_EQ(error_text<UsageError>([] { (void)make_synthetic({.kind = SyntheticKind::kMatrix, .rows = 2001}); }),
            "data.rows: expected no more than the matrix has entries, got 2001");
  EXPECT_EQ(error_text<UsageError>([] { (void)parse_synthetic_kind("images"); }),
            "data.kind: expected classification, regression, multiclass or matrix, got 'images'");
}

}  // namespace
}  // namespace slidemesh
