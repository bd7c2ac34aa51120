#include "slidemesh/data/preparation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "slidemesh/data/formats/synthetic.h"
#include "slidemesh/data/load/agreements.h"
#include "slidemesh/data/partition.h"
#include "slidemesh/network/in_process.h"
#include "support/error_text.h"
#include "support/row_tables.h"

namespace slidemesh {
namespace {

using testing::collect;
using ::testing::DoubleNear;
using ::testing::Each;
using ::testing::ElementsAre;
using testing::error_text;
using testing::sparse_table;

constexpr double kRounding = 1e-12;

InProcessNetwork path_of_three() {
  const std::vector<Edge> edges = {{0, 1}, {1, 2}};
  return InProcessNetwork(Graph(3, edges));
}

struct Dealt {
  std::shared_ptr<Rows> table;
  std::vector<std::shared_ptr<RowSource>> nodes;
};

Dealt deal(Rows rows) {
  Dealt dealt{std::make_shared<Rows>(std::move(rows)), {}};
  dealt.nodes = node_sources(std::shared_ptr<const Rows>(dealt.table), split_rows(dealt.table->labels, 3), 0, 3);
  return dealt;
}

TEST(Preparation, MaxAbsBringsEveryFeatureToOne) {
  auto network = path_of_three();
  const Dealt dealt = deal(make_synthetic({.rows = 500}));
  const Preparation p = agree_preparation(dealt.nodes, network, {.scaling = Scaling::kMaxAbs});
  Rows rows = *dealt.table;
  prepare_rows(rows, p);
  for (std::size_t j = 0; j < 22; ++j) {
    double largest = 0.0;
    for (std::size_t r = 0; r < 500; ++r) {
      largest = std::max(largest, std::abs(rows.values[r * 22 + j]));
    }
    EXPECT_EQ(largest, 1.0);
  }
}

TEST(Preparation, StandardGivesMeanZeroAndDeviationOne) {
  auto network = path_of_three();
  for (const bool sparse : {false, true}) {
    const Dealt dealt =
        deal(sparse ? sparse_table(400, 40) : make_synthetic({.kind = SyntheticKind::kRegression, .rows = 400}));
    const Preparation p = agree_preparation(dealt.nodes, network, {.scaling = Scaling::kStandard});
    Rows rows = *dealt.table;
    prepare_rows(rows, p);
    EXPECT_FALSE(rows.is_sparse());
    const auto d = static_cast<std::size_t>(rows.features);
    for (std::size_t j = 0; j < d; ++j) {
      double sum = 0.0;
      double squares = 0.0;
      for (std::size_t r = 0; r < 400; ++r) {
        sum += rows.values[r * d + j];
        squares += rows.values[r * d + j] * rows.values[r * d + j];
      }
      EXPECT_THAT(sum / 400, DoubleNear(0.0, kRounding));
      EXPECT_THAT(squares / 400, DoubleNear(1.0, kRounding));
    }
  }
}

TEST(Preparation, ConstantFeaturesStayFinite) {
  auto network = path_of_three();
  Rows rows;
  rows.features = 2;
  rows.labels = {1, -1, 1};
  rows.values = {0.1, 0, 0.1, 0, 0.1, 0};
  const Dealt dealt = deal(rows);
  for (const Scaling scaling : {Scaling::kMaxAbs, Scaling::kStandard}) {
    Rows copy = rows;
    prepare_rows(copy, agree_preparation(dealt.nodes, network, {.scaling = scaling}));
    for (const double v : copy.values) {
      EXPECT_LE(std::abs(v), 1.0);
    }
  }
}

TEST(Preparation, InterceptIsALastFeatureOfOnes) {
  auto network = path_of_three();
  for (const bool sparse : {false, true}) {
    const Dealt dealt = deal(sparse ? sparse_table(50, 40) : make_synthetic({.rows = 50}));
    const Preparation p = agree_preparation(dealt.nodes, network, {.intercept = true});
    EXPECT_EQ(p.messages, 0);
    Rows rows = *dealt.table;
    prepare_rows(rows, p);
    EXPECT_EQ(rows.features, dealt.table->features + 1);
    EXPECT_EQ(rows.is_sparse(), sparse);
    MemorySource source(rows);
    const Rows dense = collect(source);
    for (std::size_t r = 0; r < 50; ++r) {
      EXPECT_EQ(dense.values[(r + 1) * static_cast<std::size_t>(rows.features) - 1], 1.0);
    }
  }
}

TEST(Preparation, OnTheWayOrInMemoryTheBitsAreTheSame) {
  auto network = path_of_three();
  for (const bool sparse : {false, true}) {
    for (const Scaling scaling : {Scaling::kNone, Scaling::kMaxAbs, Scaling::kStandard}) {
      const Dealt dealt = deal(sparse ? sparse_table(4000, 40) : make_synthetic({.rows = 4000}));
      const auto p = std::make_shared<const Preparation>(
          agree_preparation(dealt.nodes, network, {.scaling = scaling, .intercept = true}));
      auto rows = std::make_shared<Rows>(*dealt.table);
      prepare_rows(*rows, *p);
      const auto in_memory = node_sources(std::shared_ptr<const Rows>(rows), split_rows(rows->labels, 3), 0, 3);
      for (std::size_t i = 0; i < 3; ++i) {
        const auto on_the_way = prepared_source(dealt.nodes[i], p);
        EXPECT_EQ(on_the_way->features(), in_memory[i]->features());
        EXPECT_EQ(collect(*on_the_way).values, collect(*in_memory[i]).values);
        const std::vector<Index> numbers = {3, 1, 1};
        EXPECT_EQ(testing::copy_of(on_the_way->fetch(AccessPurpose::kGradient, numbers)).values,
                  testing::copy_of(in_memory[i]->fetch(AccessPurpose::kGradient, numbers)).values);
      }
    }
  }
}

// A path of three has a tree of two edges; agreeing sends a message up and one down each.
TEST(Preparation, WhatNodesShareIsMetered) {
  auto network = path_of_three();
  const Dealt dealt = deal(make_synthetic({.rows = 60}));
  const Preparation max_abs = agree_preparation(dealt.nodes, network, {.scaling = Scaling::kMaxAbs});
  EXPECT_EQ(max_abs.numbers_shared, 22);
  EXPECT_EQ(max_abs.messages, 4);
  EXPECT_EQ(max_abs.bytes_sent, 4 * 8 * 22);
  EXPECT_EQ(network.meters().totals().bytes_sent, max_abs.bytes_sent);
  const Preparation standard = agree_preparation(dealt.nodes, network, {.scaling = Scaling::kStandard});
  EXPECT_EQ(standard.numbers_shared, 45);
  EXPECT_EQ(standard.messages, 8);
  EXPECT_EQ(standard.bytes_sent, 4 * 8 * 45);
}

TEST(Preparation, NamesAreKnown) {
  EXPECT_EQ(parse_scaling("max-abs"), Scaling::kMaxAbs);
  EXPECT_EQ(error_text<UsageError>([] { (void)parse_scaling("minmax"); }),
            "data.scaling: expected none, max-abs or standard, got 'minmax'");
}

}  // namespace
}  // namespace slidemesh
