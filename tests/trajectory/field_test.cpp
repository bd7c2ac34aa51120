// The baselines that have a file each: meters by hand on a path of four nodes, the optimum of a small problem, and what
// they refuse. Rates: field_rates_test.cpp.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "slidemesh/base/errors.h"
#include "slidemesh/control/control.h"
#include "support/field.h"

namespace slidemesh {
namespace {

using testing::make_named;
using testing::make_toy;
using testing::measure_output;
using testing::Reference;
using testing::reference_of;
using testing::relative_gap;
using testing::roomy_toy;
using testing::run_to_its_end;
using testing::Toy;

// ---------------------------------------------------------------- meters by hand

// A path of 4 nodes has 3 edges: a round is 6 messages of 5 doubles; an agreement is 6 messages too, and 6 hops, since
// the tree from node 0 has three levels. 15 rows per node, 60 in all. Three steps.
struct Expected {
  const char* name;
  Value::Table keys;
  Count calls, accesses, rounds, agreements, bytes;
  Count linear_per_node;  ///< -1: as many as the local problems need, at least one per step
};

constexpr Count kRound = 6 * 5 * 8;
constexpr Count kNumber = 6 * 8;  ///< a round, or an agreement, of one number

Value::Table share_models() { return {{"share", Value{std::string("models")}}}; }

std::vector<Expected> expected_meters() {
  const auto one_batch = [] { return Value::Table{{"batch", Value{std::int64_t{1}}}}; };
  return {
      {"dual-averaging", {}, 180, 12, 3, 0, 3 * kRound, 0},
      {"apm", {}, 180, 12, 3, 0, 3 * kRound, 0},
      {"dlm", {}, 180, 12, 3, 0, 3 * kRound, 0},
      {"dadmm", {}, 5 * 180, 5 * 12, 3, 0, 3 * kRound, 0},  // five passes for each local problem
      {"dqm", {}, 180, 12, 3, 0, 3 * kRound, -1},
      {"opapc", {}, 180, 12, 6, 0, 6 * kRound, 0},  // χ = (2 + √2)/(2 − √2) = 5.8: two rounds per step
      {"dcs", {}, 5 * 180, 5 * 12, 6, 0, 6 * kRound, 0},
      {"sdcs", {}, 50 * 12, 50 * 12, 6, 0, 6 * kRound, 0},  // fifty times a row per node
      {"dcgs", {}, 5 * 180, 5 * 12, 6, 0, 6 * kRound, -1},
      // The first step mixes iterates alone, and agrees on the largest row.
      {"gt-saga", one_batch(), 60 + 4 + 4, 12, 5, 1, 5 * kRound + kNumber, 0},
      // The first step tracks all five numbers, the others one.
      {"block-defw", {{"blocks", Value{std::int64_t{5}}}}, 180, 12, 6, 0, 4 * kRound + 2 * kNumber, 3},
      // Eight bits, and sums over two neighbours: ten bits per digit, five of them in a double.
      {"quantized-defw", {}, 180, 12, 6, 1, 6 * kNumber + kNumber, 3},
      // All rows, then one per node at two points, twice.
      {"dvrgtfw", one_batch(), 60 + 8 + 8, 4 + 8 + 8, 6, 0, 6 * kRound, 3},
      // The value, 5 numbers of the gradient, 15 of the curvature.
      {"tree-newton", {}, 180, 12, 0, 3, 3 * 21 * kNumber, -1},
      // The same and three numbers about the stage; 8 rows per node, the other 7, then the 4 that are oldest.
      {"newton-sliding", share_models(), 4 * (8 + 7 + 4), 12, 0, 3, 3 * 24 * kNumber, -1},
      // One agreement on the smoothness constant, then the gradients.
      {"tree-fista", {}, 180, 12, 0, 4, 3 * 5 * kNumber + kNumber, 0},
  };
}

class FieldMeters : public ::testing::TestWithParam<Expected> {};

TEST_P(FieldMeters, AreThoseCountedByHand) {
  const Expected& expected = GetParam();
  const Toy toy = roomy_toy("path", 4, 0.1);
  const auto method = make_named(expected.name, toy, 3, expected.keys);
  Count foretold = 0;
  for (int t = 0; t < 3; ++t) {
    EXPECT_FALSE(method->finished());
    foretold += method->next_data_oracle_calls();
    method->step();
  }
  EXPECT_TRUE(method->finished());
  EXPECT_EQ(method->steps_done(), 3);
  EXPECT_EQ(method->next_data_oracle_calls(), 0);
  EXPECT_EQ(method->name(), expected.name);
  const MeterTotals meters = Control(*toy.network).totals();
  EXPECT_EQ(foretold, meters.data_oracle_calls);
  MeterTotals by_hand;
  by_hand.data_oracle_calls = expected.calls;
  by_hand.data_oracle_accesses = expected.accesses;
  by_hand.communication_rounds = expected.rounds;
  by_hand.hops = expected.rounds + 6 * expected.agreements;
  by_hand.messages = 6 * (expected.rounds + expected.agreements);
  by_hand.scalar_messages = 6 * expected.agreements;
  by_hand.bytes_sent = expected.bytes;
  by_hand.linear_oracle_calls = 4 * expected.linear_per_node;
  by_hand.largest_node_linear_oracle_calls = expected.linear_per_node;
  if (expected.linear_per_node < 0) {
    EXPECT_GE(meters.largest_node_linear_oracle_calls, 3);
    by_hand.linear_oracle_calls = meters.linear_oracle_calls;
    by_hand.largest_node_linear_oracle_calls = meters.largest_node_linear_oracle_calls;
  }
  EXPECT_EQ(meters, by_hand);
}

INSTANTIATE_TEST_SUITE_P(Field, FieldMeters, ::testing::ValuesIn(expected_meters()), [](const auto& parameter) {
  std::string name = parameter.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(FieldMeters, OfTheCentralizedOneAreItsCentres) {
  const Toy toy = roomy_toy("path", 4, 0.1);
  const auto method = make_named("sag-fw", toy, 3);
  for (int t = 0; t < 3; ++t) {
    method->step();
  }
  const MeterTotals meters = Control(*toy.network).totals();
  EXPECT_EQ(meters.data_oracle_calls, 12);  // a hundredth of 15 rows is one
  EXPECT_EQ(meters.communication_rounds, 0);
  EXPECT_EQ(meters.hops, 3 * 6);
  EXPECT_EQ(meters.linear_oracle_calls, 3);
}

// ---------------------------------------------------------------- the optimum

struct Reached {
  double gap, disagreement;
};

Reached after(const std::string& name, const Toy& toy, int steps, const Value::Table& keys = {}) {
  const Reference reference = reference_of(toy);
  const auto method = make_named(name, toy, steps, keys);
  run_to_its_end(*method);
  return {relative_gap(toy, reference, *method), measure_output(toy, *method).relative_disagreement};
}

struct Optimum {
  const char* name;
  int steps;
  double gap;
  bool roomy;
  bool unit_step = false;  ///< step = 1/L
};

// l1 radius 2, where the constraint is active, but for the method that knows no set.
const Optimum kOptima[] = {
    {"dual-averaging", 4000, 3e-3, false, true},  // with longer steps F falls sooner, and nodes agree later
    {"apm", 2000, 1e-5, false},
    {"dlm", 600, 1e-8, false},
    {"dadmm", 300, 1e-8, false},
    {"dqm", 300, 1e-8, false},
    {"opapc", 400, 1e-8, true},
    {"dcs", 1000, 1e-3, false},
    {"sdcs", 1000, 1e-2, false},
    {"dcgs", 1000, 1e-3, false},
    {"gt-saga", 4000, 1e-6, false},
    {"block-defw", 3000, 1e-3, false},
    {"quantized-defw", 3000, 1e-4, false},
    {"dvrgtfw", 3000, 1e-4, false},
    {"tree-newton", 8, 1e-9, false},
    {"tree-fista", 300, 1e-9, false},
    {"sag-fw", 3000, 1e-4, false},
};

class FieldOptimum : public ::testing::TestWithParam<Optimum> {};

TEST_P(FieldOptimum, IsReached) {
  const Optimum& c = GetParam();
  for (const char* graph : {"ring", "path"}) {
    const Toy toy = c.roomy ? roomy_toy(graph, 6, 0.1) : make_toy(graph, 6, 0.1);
    const Value unit{1.0 / (toy.problem.smoothness + toy.problem.mu)};
    const Reached reached = after(c.name, toy, c.steps, c.unit_step ? Value::Table{{"step", unit}} : Value::Table{});
    RecordProperty(graph, std::to_string(reached.gap));
    EXPECT_LT(std::abs(reached.gap), c.gap) << graph;
    EXPECT_LT(reached.disagreement, std::sqrt(c.gap)) << graph;
  }
}

INSTANTIATE_TEST_SUITE_P(Field, FieldOptimum, ::testing::ValuesIn(kOptima), [](const auto& parameter) {
  std::string name = parameter.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(NewtonSums, ReachTheOptimumOnEveryGraphInAFewPasses) {
  for (const char* graph : {"path", "star", "complete"}) {
    for (const double mu : {0.0, 0.1}) {
      const Toy toy = make_toy(graph, 6, mu);
      const Reached reached = after("newton-sliding", toy, 16, share_models());
      EXPECT_LT(reached.gap, 1e-9) << graph;
      EXPECT_LT(reached.disagreement, 1e-15);  // one point at all nodes, and a mean that is rounded
      EXPECT_EQ(Control(*toy.network).totals().communication_rounds, 0);
    }
  }
}

// ---------------------------------------------------------------- what they refuse

TEST(FieldRefusals, AreOneLine) {
  const auto refusal = [](const char* name, const Toy& toy, const Value::Table& keys = {}) -> std::string {
    try {
      run_to_its_end(*make_named(name, toy, 200, keys));
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal("opapc", make_toy("path", 4, 0.0)),
            "opapc: expected a strongly convex problem, mu > 0, got mu = 0");
  const Toy tight = make_toy(make_graph({.kind = "path", .nodes = 4}), testing::toy_rows(),
                             std::make_shared<Logistic>(), std::make_shared<L1Ball>(5, 0.5), 0.01);
  EXPECT_NE(refusal("opapc", tight).find("outside the l1-ball after step"), std::string::npos);
  Toy private_sets = make_toy("path", 4, 0.1);
  private_sets.problem.sets_differ = true;
  const std::string text = refusal("newton-sliding", private_sets, share_models());  // others: private_sets_test.cpp
  EXPECT_NE(text.find("\"newton-sliding with share = models\", which needs one set for all"), std::string::npos)
      << text;
}

}  // namespace
}  // namespace slidemesh
