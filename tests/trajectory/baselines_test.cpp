// What each baseline must do, step by step: the golden toy, meters by hand, and the rates that theory
// promises.

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "slidemesh/algorithms/defw.h"
#include "slidemesh/algorithms/dpg.h"
#include "slidemesh/base/errors.h"
#include "slidemesh/control/control.h"
#include "slidemesh/linalg/parallel.h"
#include "support/field.h"

namespace slidemesh {
namespace {

using testing::make_named;
using testing::make_toy;
using testing::measure_output;
using testing::Reference;
using testing::reference_of;
using testing::relative_gap;
using testing::run_to_its_end;
using testing::Toy;

void run_steps(Method& method, int steps) {
  for (int t = 0; t < steps; ++t) {
    method.step();
  }
}

// ---------------------------------------------------------------- the golden toy

struct GoldenDefw {
  double mu, smoothness, objective_stacked, objective_at_average, consensus_error;
};

// An independent, slow NumPy statement of DeFW printed these: 60 rows of the congruential generator on a
// ring of 6 nodes, l1 radius 2, 50 steps, Metropolis weights.
constexpr GoldenDefw kGolden[] = {
    {0.0, 0.1940442651942369, 2.408685014705456, 2.4093593303792042, 0.05890285086602388},
    {0.1, 0.1940442651942369, 3.1228009747032632, 3.136095395141125, 0.6779735730269715},
};
constexpr double kGoldenTolerance = 1e-9;

TEST(Defw, AgreesWithTheReferenceOnTheGoldenToy) {
  for (const GoldenDefw& golden : kGolden) {
    const Toy toy = make_toy("ring", 6, golden.mu);
    EXPECT_NEAR(toy.problem.smoothness, golden.smoothness, 1e-12);
    DefwOptions options;
    options.outer_steps = 50;
    Defw defw(toy.problem, *toy.network, options);
    run_steps(defw, 50);
    EXPECT_TRUE(defw.finished());
    const Measures measures = measure_output(toy, defw);
    EXPECT_NEAR(*measures.objective_stacked, golden.objective_stacked, kGoldenTolerance);
    EXPECT_NEAR(*measures.objective_at_average, golden.objective_at_average, kGoldenTolerance);
    EXPECT_NEAR(measures.consensus_error, golden.consensus_error, kGoldenTolerance);
    const MeterTotals meters = Control(*toy.network).totals();
    EXPECT_EQ(meters.data_oracle_calls, 3000);
    EXPECT_EQ(meters.communication_rounds, 100);
    EXPECT_EQ(meters.linear_oracle_calls, 300);
  }
}

// ---------------------------------------------------------------- meters by hand

// A path of 4 nodes has 3 edges: a round is 6 messages of 5 doubles. 15 rows per node, 60 in all.
constexpr Count kMessages = 6;
constexpr Count kBytes = 6 * 5 * 8;
constexpr int kSteps = 3;

MeterTotals rounds_of(Count rounds) {
  MeterTotals totals;
  totals.communication_rounds = totals.hops = rounds;
  totals.messages = rounds * kMessages;
  totals.bytes_sent = rounds * kBytes;
  return totals;
}

MeterTotals expected(Count data_calls, Count rounds, Count linear_a_node) {
  MeterTotals totals = rounds_of(rounds);
  totals.data_oracle_calls = data_calls;
  totals.data_oracle_accesses = 4 * kSteps;
  totals.linear_oracle_calls = 4 * linear_a_node;
  totals.largest_node_linear_oracle_calls = linear_a_node;
  return totals;
}

template <class Make>
MeterTotals meters_after_three_steps(const Make& make) {
  const Toy toy = make_toy("path", 4, 0.1);
  const std::unique_ptr<Method> method = make(toy);
  Count foretold = 0;
  for (int t = 0; t < kSteps; ++t) {
    foretold += method->next_data_oracle_calls();
    method->step();
  }
  EXPECT_TRUE(method->finished());
  EXPECT_EQ(method->steps_done(), kSteps);
  EXPECT_EQ(method->next_data_oracle_calls(), 0);
  EXPECT_EQ(foretold, Control(*toy.network).totals().data_oracle_calls);
  return Control(*toy.network).totals();
}

MeterTotals defw_meters(DefwOptions options) {
  options.outer_steps = kSteps;
  return meters_after_three_steps(
      [&](const Toy& toy) { return std::make_unique<Defw>(toy.problem, *toy.network, options); });
}

TEST(Meters, DefwByHand) {
  EXPECT_EQ(defw_meters({}), expected(180, 6, 3));  // two rounds per step
  DefwOptions more;
  more.mixing_rounds = 4;
  EXPECT_EQ(defw_meters(more), expected(180, 24, 3));
  DefwOptions growing;
  growing.mixing_rounds.reset();  // ceil(log t + 1) = 1, 2, 3 for t = 1, 2, 3
  EXPECT_EQ(defw_meters(growing), expected(180, 2 * (1 + 2 + 3), 3));
  DefwOptions sampled;
  sampled.batch = 4;
  EXPECT_EQ(defw_meters(sampled), expected(4 * 4 * 3, 6, 3));
  sampled.batch = 15;  // as many as a node has: a full pass
  EXPECT_EQ(defw_meters(sampled), expected(180, 6, 3));
  DefwOptions fresh;
  fresh.tracking = false;
  EXPECT_EQ(defw_meters(fresh), expected(180, 6, 3));
}

TEST(Meters, ProjectionMethodsByHand) {
  const auto meters = [](const char* name) {
    return meters_after_three_steps([&](const Toy& toy) { return make_named(name, toy, kSteps); });
  };
  EXPECT_EQ(meters("dpg"), expected(180, 3, 0));
  EXPECT_EQ(meters("pg-extra"), expected(180, 3, 0));
  EXPECT_EQ(meters("nids"), expected(180, 2, 0));  // its first step says nothing to anyone
}

TEST(Meters, CentralizedMethodsTalkToNoNeighbour) {
  const auto meters = [](const char* name) {
    return meters_after_three_steps([&](const Toy& toy) { return make_named(name, toy, kSteps); });
  };
  MeterTotals fw = rounds_of(0);
  fw.hops = 3 * 2 * 3;  // to the centre and back in each step: the tree from node 0 has three levels
  fw.data_oracle_calls = 180;
  fw.data_oracle_accesses = 12;
  fw.linear_oracle_calls = fw.largest_node_linear_oracle_calls = 3;
  EXPECT_EQ(meters("centralized-fw"), fw);
  // FISTA and sliding ask for the mean of the smoothness constants before; FISTA projects at the centre.
  MeterTotals fista = fw;
  fista.hops = 4 * 2 * 3;
  fista.linear_oracle_calls = fista.largest_node_linear_oracle_calls = 0;
  EXPECT_EQ(meters("centralized-fista"), fista);
  const MeterTotals cgs = meters("centralized-cgs");
  EXPECT_GE(cgs.linear_oracle_calls, 3);  // as many as its three small problems need
  fista.linear_oracle_calls = fista.largest_node_linear_oracle_calls = cgs.linear_oracle_calls;
  EXPECT_EQ(cgs, fista);
}

// ---------------------------------------------------------------- rates

/// (F(x̄) - F*) / (F(x_0) - F*) after so many steps.
double relative_gap_after(const char* name, int steps, const Value::Table& keys = {}) {
  const Toy toy = make_toy("ring", 6, 0.1);
  const auto method = make_named(name, toy, steps, keys);
  run_to_its_end(*method);
  return relative_gap(toy, reference_of(toy), *method);
}

TEST(Rates, PgExtraAndNidsReachTheOptimumLinearly) {
  constexpr double kReached = 1e-8;
  EXPECT_LT(relative_gap_after("pg-extra", 400), kReached);
  EXPECT_LT(relative_gap_after("nids", 400), kReached);
  // Linear: the second forty steps gain at least half as many digits as the first.
  const double forty = relative_gap_after("nids", 40);
  const double eighty = relative_gap_after("nids", 80);
  EXPECT_LT(eighty, forty * std::sqrt(forty));
}

TEST(Rates, PgExtraAndNidsAgreeOnEveryNode) {
  const Toy toy = make_toy("path", 4, 0.1);
  const auto nids = make_named("nids", toy, 3000);
  const auto extra = make_named("pg-extra", toy, 3000);
  run_to_its_end(*nids);
  run_to_its_end(*extra);
  EXPECT_LT(measure_output(toy, *nids).relative_disagreement, 1e-9);
  EXPECT_LT(measure_output(toy, *extra).relative_disagreement, 1e-9);
  EXPECT_LT((nids->output() - extra->output()).cwiseAbs().maxCoeff(), 1e-8);
}

TEST(Rates, DpgStallsWithAConstantStepAndFallsWithADecayingOne) {
  const Value::Table constant = {{"step_rule", Value{std::string("constant")}}};
  const double stalled = relative_gap_after("dpg", 2000, constant);
  const double still_stalled = relative_gap_after("dpg", 8000, constant);
  EXPECT_GT(stalled, 1e-6);
  EXPECT_NEAR(still_stalled, stalled, 1e-3 * stalled);
  const double early = relative_gap_after("dpg", 500);
  const double later = relative_gap_after("dpg", 2000);
  const double latest = relative_gap_after("dpg", 8000);
  EXPECT_LT(later, 0.6 * early);
  EXPECT_LT(latest, 0.6 * later);
  EXPECT_LT(latest, stalled);
}

TEST(Rates, TrackingReachesWhatFreshGradientsCannot) {
  const Toy toy = make_toy("path", 4, 0.1);
  const Reference reference = reference_of(toy);
  const auto gap = [&](bool tracking) {
    DefwOptions options;
    options.tracking = tracking;
    Defw defw(toy.problem, *toy.network, options);
    run_steps(defw, 4000);
    return relative_gap(toy, reference, defw);
  };
  EXPECT_LT(gap(true), 1e-3);
  EXPECT_GT(gap(false), 3.0 * gap(true));
}

TEST(Rates, CentralizedMethodsReachTheOptimumAndCertifyIt) {
  for (const double mu : {0.0, 0.1}) {
    const Toy toy = make_toy("ring", 6, mu);
    const Reference reference = reference_of(toy);
    std::vector<std::pair<std::unique_ptr<Method>, double>> methods;
    methods.emplace_back(make_named("centralized-fw", toy, 3000), 1e-3);
    methods.emplace_back(make_named("centralized-cgs", toy, 200), 1e-3);
    methods.emplace_back(make_named("centralized-fista", toy, 500), 1e-10);
    for (auto& [method, tolerance] : methods) {
      run_to_its_end(*method);
      const double value = *measure_output(toy, *method).objective_at_average;
      EXPECT_LT((value - reference.optimum) / reference.scale, tolerance) << method->name() << " mu " << mu;
      const auto certificate = method->certificate();
      ASSERT_TRUE(certificate.has_value());
      const double bound = certificate->lower_bound.sum();
      EXPECT_LE(bound, reference.optimum + 1e-9) << method->name();
      EXPECT_GT(bound, reference.optimum - 0.05 * reference.scale) << method->name();
    }
  }
}

// ---------------------------------------------------------------- sameness

TEST(Baselines, ThreadsDoNotChangeABit) {
  const auto outputs = [](int threads) {
    set_threads(threads);
    std::vector<Stacked> out;
    const Toy toy = make_toy("barbell", 6, 0.1);
    DefwOptions sampled;
    sampled.batch = 3;
    Defw defw(toy.problem, *toy.network, sampled);
    const auto nids = make_named("nids", toy, 30);
    run_steps(defw, 30);
    run_to_its_end(*nids);
    out.push_back(defw.output());
    out.push_back(nids->output());
    return out;
  };
  const auto one = outputs(1);
  const auto two = outputs(2);
  set_threads(0);
  EXPECT_EQ(one[0], two[0]);
  EXPECT_EQ(one[1], two[1]);
}

TEST(Baselines, RefuseWhatCannotBeMeant) {
  const Toy toy = make_toy("path", 4, 0.1);
  DefwOptions no_rounds;
  no_rounds.mixing_rounds = 0;
  EXPECT_THROW(Defw(toy.problem, *toy.network, no_rounds), UsageError);
  ProjectedOptions backwards;
  backwards.step = -1.0;
  EXPECT_THROW(Dpg(toy.problem, *toy.network, backwards), UsageError);
}

}  // namespace
}  // namespace slidemesh
