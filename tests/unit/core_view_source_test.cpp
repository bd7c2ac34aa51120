#include "slidemesh/core/rows.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "slidemesh/base/errors.h"
#include "slidemesh/core/objective.h"
#include "slidemesh/losses/logistic.h"
#include "slidemesh/losses/weighted.h"

namespace slidemesh {
namespace {

constexpr Index kRows = 700;  // more than two groups of kernels
constexpr Index kFeatures = 7;

Rows table(bool sparse) {
  Rows rows;
  rows.features = kFeatures;
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  if (sparse) {
    rows.offsets.push_back(0);
  }
  for (Index r = 0; r < kRows; ++r) {
    rows.labels.push_back(random() % 2 == 0 ? 1.0 : -1.0);
    for (Index j = 0; j < kFeatures; ++j) {
      if (!sparse || random() % 3 == 0) {
        rows.values.push_back(normal(random));
        if (sparse) {
          rows.columns.push_back(static_cast<std::int32_t>(j));
        }
      }
    }
    if (sparse) {
      rows.offsets.push_back(static_cast<std::int64_t>(rows.values.size()));
    }
  }
  return rows;
}

RowBlock block_of(const Rows& rows) {
  return {rows.count(),
          rows.features,
          rows.labels.data(),
          rows.values.data(),
          rows.is_sparse() ? rows.offsets.data() : nullptr,
          rows.columns.data()};
}

Vector gradient_of(std::shared_ptr<RowSource> source) {
  RowObjective objective(std::move(source), std::make_shared<Logistic>());
  Vector g(kFeatures);
  objective.gradient(AccessPurpose::kGradient, Vector::LinSpaced(kFeatures, -1.0, 1.0), g);
  return g;
}

TEST(ViewSource, HasTheBitsOfACopy) {
  for (const bool sparse : {false, true}) {
    const Rows rows = table(sparse);
    std::vector<Index> every_third;
    std::vector<Index> slice;
    for (Index r = 0; r < kRows; ++r) {
      if (r % 3 == 0) {
        every_third.push_back(kRows - 1 - r);
      }
      if (r >= 100 && r < 500) {
        slice.push_back(r);
      }
    }
    EXPECT_EQ(gradient_of(std::make_shared<ViewSource>(block_of(rows), nullptr, every_third)),
              gradient_of(std::make_shared<MemorySource>(select_rows(rows, every_third))));
    EXPECT_EQ(gradient_of(std::make_shared<ViewSource>(block_of(rows), nullptr, 100, 400)),
              gradient_of(std::make_shared<MemorySource>(select_rows(rows, slice))));
  }
}

TEST(ViewSource, FetchesByItsOwnNumbers) {
  const Rows rows = table(false);
  ViewSource source(block_of(rows), nullptr, std::vector<Index>{9, 4, 2});
  const std::vector<Index> wanted{2, 0, 2};
  const RowBlock block = source.fetch(AccessPurpose::kGradient, wanted);
  ASSERT_EQ(block.count, 3);
  EXPECT_EQ(block.storage_row(0), 2);
  EXPECT_EQ(block.storage_row(1), 9);
  EXPECT_EQ(block.storage_row(2), 2);
}

TEST(ViewSource, KeepsItsOwnerAndNoRowBeyondTheStorage) {
  const Rows rows = table(false);
  auto owner = std::make_shared<int>(1);
  const std::weak_ptr<int> watched = owner;
  auto source = std::make_shared<ViewSource>(block_of(rows), std::move(owner), 0, 10);
  EXPECT_FALSE(watched.expired());
  source.reset();
  EXPECT_TRUE(watched.expired());
  EXPECT_THROW(ViewSource(block_of(rows), nullptr, 1, kRows), InternalError);
  EXPECT_THROW(ViewSource(block_of(rows), nullptr, std::vector<Index>{kRows}), InternalError);
}

TEST(WeightedLoss, IsARowRepeated) {
  Rows rows = table(false);
  std::vector<Index> repeated;
  std::vector<double> weights;
  for (Index r = 0; r < kRows; ++r) {
    weights.push_back(static_cast<double>(1 + r % 3));
    repeated.insert(repeated.end(), static_cast<std::size_t>(1 + r % 3), r);
  }
  const Vector expected = gradient_of(std::make_shared<MemorySource>(select_rows(rows, repeated)));
  const auto loss = std::make_shared<WeightedLoss>(std::make_shared<Logistic>(), rows.labels, weights);
  for (Index r = 0; r < kRows; ++r) {
    rows.labels[static_cast<std::size_t>(r)] = static_cast<double>(r);
  }
  RowObjective objective(std::make_shared<MemorySource>(rows), loss);
  Vector g(kFeatures);
  objective.gradient(AccessPurpose::kGradient, Vector::LinSpaced(kFeatures, -1.0, 1.0), g);
  const double mean_weight = static_cast<double>(repeated.size()) / static_cast<double>(kRows);
  EXPECT_LT((g / mean_weight - expected).norm(), 1e-12);
  EXPECT_DOUBLE_EQ(loss->curvature(), 0.75);
  EXPECT_THROW(WeightedLoss(std::make_shared<Logistic>(), {1.0}, {0.0}), UsageError);
  EXPECT_THROW(WeightedLoss(std::make_shared<Logistic>(), {1.0}, {1.0, 1.0}), UsageError);
}

}  // namespace
}  // namespace slidemesh
