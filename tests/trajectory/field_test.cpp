// The baselines that have a file each: meters by hand on a path of four nodes, the optimum of a small problem, the
// rates that their papers promise, and what they refuse.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "slidemesh/algorithms/registry.h"
#include "slidemesh/base/errors.h"
#include "slidemesh/control/control.h"
#include "slidemesh/graphs/spectrum.h"
#include "slidemesh/session/measures.h"
#include "slidemesh/session/reference_optimum.h"
#include "support/toy_problem.h"

namespace slidemesh {
namespace {

using testing::make_toy;
using testing::Toy;

std::unique_ptr<Method> make(const std::string& name, const Toy& toy, int steps, const Value::Table& keys = {}) {
  const MethodKind* kind = find_method(name);
  if (kind == nullptr) {
    throw UsageError("no method " + name);
  }
  ConfigTable table(keys, 0, "method", "test");
  const MethodFactory factory = kind->parse(table, steps);
  table.finish();
  const Spectrum spectrum = laplacian_spectrum(toy.network->graph());
  return factory({toy.problem, *toy.network, spectrum.lambda_max, 1, std::nullopt, spectrum.lambda_2});
}

/// The toy in an l1 ball that is larger than the iterates care for.
Toy roomy_toy(const char* graph, Index nodes, double mu) {
  return make_toy(make_graph({.kind = graph, .nodes = nodes}), testing::toy_rows(), std::make_shared<Logistic>(),
                  std::make_shared<L1Ball>(5, 50.0), mu);
}

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
  const auto method = make(expected.name, toy, 3, expected.keys);
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
  const auto method = make("sag-fw", toy, 3);
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

struct Reference {
  double optimum, scale;
};

Reference reference_of(const Toy& toy) {
  const ReferenceOptimum reference = reference_optimum(toy.problem, *toy.network);
  EXPECT_TRUE(reference.reached);
  return {reference.value, objective(toy.problem, *toy.network, toy.problem.start) - reference.value};
}

struct Reached {
  double gap, disagreement;
};

Reached after(const std::string& name, const Toy& toy, int steps, const Value::Table& keys = {}) {
  const Reference reference = reference_of(toy);
  const auto method = make(name, toy, steps, keys);
  while (!method->finished()) {
    method->step();
  }
  const Measures measures = measure(toy.problem, *toy.network, method->output());
  return {(*measures.objective_at_average - reference.optimum) / reference.scale, measures.relative_disagreement};
}

struct Optimum {
  const char* name;
  int steps;
  double gap;
  bool roomy;
};

// l1 radius 2, where the constraint is active, but for the method that knows no set.
const Optimum kOptima[] = {
    {"dual-averaging", 4000, 3e-3, false},
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
    const Reached reached = after(c.name, toy, c.steps);
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

// ---------------------------------------------------------------- rates

/// The gap after so many steps over the gap after four times as many, on the path.
double gain(const std::string& name, const Toy& toy, int steps) {
  return after(name, toy, steps).gap / after(name, toy, 4 * steps).gap;
}

TEST(FieldRates, AreThoseOfTheTheorems) {
  const Toy toy = make_toy("path", 6, 0.0);
  EXPECT_GT(gain("dual-averaging", toy, 500), 1.6);  // 1/sqrt(t) would be 2 without the logarithm
  EXPECT_GT(gain("block-defw", toy, 500), 2.5);      // 1/t would be 4
  EXPECT_GT(gain("quantized-defw", toy, 500), 2.5);
  EXPECT_GT(gain("dvrgtfw", toy, 500), 2.5);
  EXPECT_GT(gain("sag-fw", toy, 500), 2.5);
  EXPECT_GT(gain("dcs", toy, 100), 2.5);  // 1/N in rounds
  EXPECT_GT(gain("dcgs", toy, 100), 2.5);
  EXPECT_GT(gain("apm", toy, 100), 2.5);
}

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

TEST(FieldRates, AreLinearWhereTheFunctionIsStronglyConvex) {
  const Toy toy = make_toy("path", 6, 0.1);
  for (const char* name : {"dlm", "dadmm", "dqm", "gt-saga", "opapc"}) {
    const Toy room = roomy_toy("path", 6, 0.1);
    const Toy& here = std::string(name) == "opapc" ? room : toy;
    const int steps = std::string(name) == "gt-saga" ? 120 : std::string(name) == "opapc" ? 12 : 40;
    const double once = std::abs(after(name, here, steps).gap);
    const double twice = std::abs(after(name, here, 2 * steps).gap);
    // The second half gains at least half as many digits, down to rounding.
    EXPECT_LT(twice, std::max(once * std::sqrt(once), 1e-14)) << name;
    EXPECT_GT(once, 1e-12) << name;
  }
}

// Kovalev, Salim and Richtárik's theorem: the error falls by 1 − 1/(C sqrt(κ)) a step, whatever the graph, since the
// Chebyshev polynomial's eigenvalues do not depend on it.
TEST(FieldRates, OfOpapcDoNotDependOnTheGraph) {
  const auto gap = [](const char* graph) { return std::abs(after("opapc", roomy_toy(graph, 6, 0.1), 60).gap); };
  EXPECT_LT(gap("path"), 100.0 * gap("complete"));
  EXPECT_LT(gap("path"), 1e-3);
}

TEST(FieldRates, OfNewtonOverTheTreeAreQuadratic) {
  const Toy toy = make_toy("ring", 6, 0.0);
  EXPECT_GT(after("tree-newton", toy, 1).gap, 1e-6);
  EXPECT_LT(after("tree-newton", toy, 4).gap, 1e-10);
}

// ---------------------------------------------------------------- what they refuse

TEST(FieldRefusals, AreOneLine) {
  const auto refusal = [](const char* name, const Toy& toy, const Value::Table& keys = {}) -> std::string {
    try {
      const auto method = make(name, toy, 200, keys);
      while (!method->finished()) {
        method->step();
      }
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
  for (const Expected& expected : expected_meters()) {
    const std::string text = refusal(expected.name, private_sets, expected.keys);
    EXPECT_NE(text.find(expected.name), std::string::npos) << expected.name << ": " << text;
    EXPECT_EQ(text.find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace slidemesh
