// ipds-restarted and ipds-vr: what they reach, what they charge, and that wrong estimates do not hurt.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "slidemesh/algorithms/ipds_restarted.h"
#include "slidemesh/algorithms/ipds_vr.h"
#include "slidemesh/algorithms/registry.h"
#include "slidemesh/base/random.h"
#include "slidemesh/control/control.h"
#include "slidemesh/graphs/spectrum.h"
#include "slidemesh/linalg/parallel.h"
#include "slidemesh/session/measures.h"
#include "slidemesh/session/reference_optimum.h"
#include "support/state_copy.h"
#include "support/toy_problem.h"

namespace slidemesh::testing {
namespace {

constexpr double kReached = 1e-6;    // relative gap
constexpr double kRounding = 1e-10;  // of objective values
constexpr Index kRows = 1200;

Toy make_case(const std::string& graph, double mu) {
  return make_toy(make_graph({.kind = graph, .nodes = 6}), toy_rows(kRows), std::make_shared<Logistic>(),
                  std::make_shared<L1Ball>(5, 4.0), mu);
}

IpdsVrOptions vr_options(const Toy& toy) {
  IpdsVrOptions options;
  options.laplacian_lambda_max = laplacian_spectrum(toy.network->graph()).lambda_max;
  return options;
}

IpdsRestartedOptions restarted_options(const Toy& toy) {
  IpdsRestartedOptions options;
  options.laplacian_lambda_max = laplacian_spectrum(toy.network->graph()).lambda_max;
  return options;
}

std::unique_ptr<Method> make_method(const std::string& name, Toy& toy, const std::string& inner = "projection") {
  if (name == "ipds-vr") {
    IpdsVrOptions options = vr_options(toy);
    options.inner = inner;
    return std::make_unique<IpdsVr>(toy.problem, *toy.network, options);
  }
  IpdsRestartedOptions options = restarted_options(toy);
  options.inner = inner;
  return std::make_unique<IpdsRestarted>(toy.problem, *toy.network, options);
}

double relative_gap(Toy& toy, Method& method, double optimum) {
  Vector mean;
  Control(*toy.network).mean(method.output(), mean);
  const double start = objective(toy.problem, *toy.network, toy.problem.start);
  return (objective(toy.problem, *toy.network, mean) - optimum) / (start - optimum);
}

int steps_to(Toy& toy, Method& method, double gap, int most) {
  const double optimum = reference_optimum(toy.problem, *toy.network).value;
  for (int step = 1; step <= most; ++step) {
    method.step();
    if (relative_gap(toy, method, optimum) <= gap) {
      return step;
    }
  }
  return most + 1;
}

struct Variant {
  std::string method;
  std::string graph;
  std::string inner;
  double mu;
};

/// One thread: two on a busy machine wait for each other far longer than these small problems take.
class Variants : public ::testing::TestWithParam<Variant> {
 protected:
  void SetUp() override { set_threads(1); }
  void TearDown() override { set_threads(0); }
};

TEST_P(Variants, ReachTheOptimumWithNothingSet) {
  Toy toy = make_case(GetParam().graph, GetParam().mu);
  const auto method = make_method(GetParam().method, toy, GetParam().inner);
  constexpr int kMost = 2000;
  EXPECT_LE(steps_to(toy, *method, kReached, kMost), kMost);
}

TEST_P(Variants, GiveLowerBoundsThatHold) {
  Toy toy = make_case(GetParam().graph, GetParam().mu);
  const double optimum = reference_optimum(toy.problem, *toy.network).value;
  const auto method = make_method(GetParam().method, toy, GetParam().inner);
  double best = -1e300;
  for (int step = 0; step < 150; ++step) {
    method->step();
    if (const auto certificate = method->certificate()) {
      const double bound = Control(*toy.network).sum(certificate->lower_bound);
      EXPECT_LE(bound, optimum + kRounding) << "step " << step;
      best = std::max(best, bound);
    }
  }
  EXPECT_GT(best, optimum - 0.1 * (objective(toy.problem, *toy.network, toy.problem.start) - optimum));
}

TEST_P(Variants, GoOnFromTheirStateBitForBit) {
  Toy toy = make_case(GetParam().graph, GetParam().mu);
  const auto whole = make_method(GetParam().method, toy);
  for (int step = 0; step < 45; ++step) {
    whole->step();
  }
  const auto resumed = make_method(GetParam().method, toy);
  copy_state(*whole, *resumed);
  for (int step = 0; step < 60; ++step) {
    whole->step();
    resumed->step();
    ASSERT_EQ(whole->output(), resumed->output()) << "step " << step;
    ASSERT_EQ(whole->next_data_oracle_calls(), resumed->next_data_oracle_calls());
  }
}

TEST_P(Variants, DoNotDependOnThreads) {
  Toy toy = make_case(GetParam().graph, GetParam().mu);
  std::vector<Stacked> outputs;
  for (const int team : {1, 2}) {
    set_threads(team);
    const auto method = make_method(GetParam().method, toy);
    for (int step = 0; step < 60; ++step) {
      method->step();
    }
    outputs.push_back(method->output());
  }
  set_threads(0);
  EXPECT_EQ(outputs[0], outputs[1]);
}

TEST_P(Variants, SayWhatTheNextStepWillAskFor) {
  Toy toy = make_case(GetParam().graph, GetParam().mu);
  const auto method = make_method(GetParam().method, toy);
  for (int step = 0; step < 200; ++step) {
    const Count before = Control(*toy.network).totals().data_oracle_calls;
    const Count announced = method->next_data_oracle_calls();
    method->step();
    const Count asked = Control(*toy.network).totals().data_oracle_calls - before;
    EXPECT_LE(asked, announced) << "step " << step;
    EXPECT_LE(announced, 2 * kRows) << "step " << step << ": a step is a snapshot and a batch at most";
  }
}

INSTANTIATE_TEST_SUITE_P(Settings, Variants,
                         ::testing::Values(Variant{"ipds-restarted", "path", "projection", 0.0},
                                           Variant{"ipds-restarted", "ring", "bpcg", 0.1},
                                           Variant{"ipds-vr", "path", "projection", 0.0},
                                           Variant{"ipds-vr", "complete", "projection", 0.1},
                                           Variant{"ipds-vr", "ring", "bpcg", 0.0}),
                         [](const auto& parameter) {
                           std::string name = parameter.param.method + "_" + parameter.param.graph + "_" +
                                              parameter.param.inner + (parameter.param.mu > 0.0 ? "_strongly" : "");
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(IpdsRestarted, IsChargedForEveryRowAndEveryAgreement) {
  Toy toy = make_case("ring", 0.0);
  IpdsRestarted method(toy.problem, *toy.network, restarted_options(toy));
  constexpr int kSteps = 80;
  Count first_steps = 0;  // of phases: they have no gradient before them to observe smoothness with
  Count restarts = -1;
  for (int step = 0; step < kSteps; ++step) {
    first_steps += method.restarts() != restarts ? 1 : 0;
    restarts = method.restarts();
    method.step();
  }
  const MeterTotals spent = Control(*toy.network).totals();
  const Count messages_of_agreement = 2 * (6 - 1);
  EXPECT_EQ(spent.data_oracle_calls, kSteps * kRows);
  EXPECT_EQ(spent.data_oracle_accesses, kSteps * 6);
  EXPECT_EQ(spent.scalar_messages, messages_of_agreement * (1 + kSteps + (kSteps - first_steps)));
  EXPECT_EQ(spent.messages, spent.scalar_messages + spent.communication_rounds * 12);
  EXPECT_EQ(spent.linear_oracle_calls, (kSteps + 1) * 6);
  EXPECT_GT(first_steps, 2) << "restarts happen";
}

TEST(IpdsRestarted, RecoversFromASmoothnessFarTooSmall) {
  Toy toy = make_case("path", 0.0);
  IpdsRestartedOptions options = restarted_options(toy);
  options.smoothness = toy.problem.smoothness / 1000.0;
  IpdsRestarted method(toy.problem, *toy.network, options);
  constexpr int kMost = 3000;
  EXPECT_LE(steps_to(toy, method, kReached, kMost), kMost);
  EXPECT_GT(method.smoothness(), *options.smoothness);
}

TEST(IpdsVr, TouchesFarFewerRowsThanExactGradients) {
  Toy toy = make_case("path", 0.0);
  constexpr int kMost = 3000;
  const auto calls_to = [&](const std::string& name) {
    toy.network->meters() = Meters(toy.network->local_nodes());
    const auto method = make_method(name, toy);
    EXPECT_LE(steps_to(toy, *method, kReached, kMost), kMost) << name;
    return Control(*toy.network).totals().data_oracle_calls;
  };
  EXPECT_LT(3 * calls_to("ipds-vr"), calls_to("ipds-restarted"));
}

/// Wide rows of which most hardly change where a node moves: a few of them say little of how the others vary. One in
/// `every` has any numbers at all.
Rows wide_rows(Index count = 900, Index nonzeros = 6, Index every = 1) {
  constexpr Index kColumns = 300;
  RandomStream random(5, Purpose::kSynthetic, 0);
  Rows table;
  table.features = kColumns;
  table.values.assign(static_cast<std::size_t>(count * kColumns), 0.0);
  for (Index j = 0; j < count; ++j) {
    double score = 0.0;
    for (Index e = 0; e < nonzeros && j % every == 0; ++e) {
      const auto column = static_cast<Index>(random.uniform(0.0, static_cast<double>(kColumns)));
      const double value = random.normal();
      table.values[static_cast<std::size_t>(j * kColumns + column)] = value;
      score += column % 10 == 0 ? 3.0 * value : 0.0;
    }
    table.labels.push_back(score + random.normal() > 0.0 ? 1.0 : -1.0);
  }
  return table;
}

class WideRows : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(WideRows, TakeNearlyTheRoundsOfExactGradients) {
  Toy toy = make_toy(make_graph({.kind = "ring", .nodes = 6}), wide_rows(), std::make_shared<Logistic>(),
                     std::make_shared<L1Ball>(300, 30.0), 0.0);
  constexpr int kMost = 3000;
  const auto totals_of = [&](Method&& method) {
    toy.network->meters() = Meters(toy.network->local_nodes());
    EXPECT_LE(steps_to(toy, method, kReached, kMost), kMost);
    return Control(*toy.network).totals();
  };
  IpdsVrOptions options = vr_options(toy);
  options.seed = GetParam();
  const auto drawn = totals_of(IpdsVr(toy.problem, *toy.network, options));
  const auto exact = totals_of(IpdsRestarted(toy.problem, *toy.network, restarted_options(toy)));
  EXPECT_LT(drawn.data_oracle_calls, exact.data_oracle_calls);
  EXPECT_LT(drawn.communication_rounds, 4 * exact.communication_rounds);
}

/// Where its models have no room, and rounds are as expensive as wide tables make them.
TEST_P(WideRows, TakeFewRoundsByDefault) {
  Toy toy = make_toy(make_graph({.kind = "ring", .nodes = 6}), wide_rows(), std::make_shared<Logistic>(),
                     std::make_shared<L1Ball>(300, 30.0), 0.0);
  constexpr int kMost = 3000;
  const auto rounds_of = [&](Method& method) {
    toy.network->meters() = Meters(toy.network->local_nodes());
    EXPECT_LE(steps_to(toy, method, kReached, kMost), kMost);
    return Control(*toy.network).totals().communication_rounds;
  };
  const auto by_default = [&](const Value::Table& keys) {
    ConfigTable table(keys, 0, "method", "test");
    MethodContext context{toy.problem, *toy.network};
    context.lambda_max = laplacian_spectrum(toy.network->graph()).lambda_max;
    context.seed = GetParam();
    return find_method("newton-sliding")->parse(table, kMost).make(context);
  };
  const auto method = by_default({{"curvature_memory", {std::int64_t{0}}}});
  ASSERT_NE(dynamic_cast<IpdsVr*>(method.get()), nullptr);
  const auto spares_data = by_default({{"curvature_memory", {std::int64_t{0}}}, {"favour", {"data"}}});
  EXPECT_LT(dynamic_cast<IpdsVr*>(method.get())->noise(), dynamic_cast<IpdsVr&>(*spares_data).noise());
  IpdsRestarted exact(toy.problem, *toy.network, restarted_options(toy));
  EXPECT_LT(rounds_of(*method), 2 * rounds_of(exact));
}

/// Phases are long and end in exact steps there, and the measure is larger where the next one begins: sent back for
/// that, the same phase came again, up to six times, with more rows and shorter steps each time.
TEST_P(WideRows, AreNotSentBackForWhatExactGradientsBroughtDown) {
  for (const auto& [radius, noise] : {std::pair{300.0, 0.1}, std::pair{100.0, 0.01}}) {
    Toy toy = make_toy(make_graph({.kind = "ring", .nodes = 6}), wide_rows(600, 10, 5), std::make_shared<Logistic>(),
                       std::make_shared<L1Ball>(300, radius), 0.0);
    constexpr double kGap = 1e-4;
    constexpr int kMost = 3000;
    const auto calls_of = [&](Method&& method) {
      toy.network->meters() = Meters(toy.network->local_nodes());
      EXPECT_LE(steps_to(toy, method, kGap, kMost), kMost);
      return Control(*toy.network).totals().data_oracle_calls;
    };
    IpdsVrOptions options = vr_options(toy);
    options.seed = GetParam();
    options.noise = noise;
    const Count drawn = calls_of(IpdsVr(toy.problem, *toy.network, options));
    EXPECT_LT(drawn, calls_of(IpdsRestarted(toy.problem, *toy.network, restarted_options(toy)))) << "radius " << radius;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, WideRows, ::testing::Values(1, 2, 3));

TEST(IpdsVr, RecoversFromASmoothnessFarTooSmall) {
  Toy toy = make_case("path", 0.0);
  IpdsVrOptions options = vr_options(toy);
  options.smoothness = toy.problem.smoothness / 100.0;
  IpdsVr method(toy.problem, *toy.network, options);
  constexpr int kMost = 6000;
  EXPECT_LE(steps_to(toy, method, kReached, kMost), kMost);
  EXPECT_GT(method.smoothness(), *options.smoothness);
}

class TooMuchNoise : public ::testing::TestWithParam<double> {};

TEST_P(TooMuchNoise, IsNoticedAndUndone) {
  Toy toy = make_case("path", 0.0);
  IpdsVrOptions options = vr_options(toy);
  options.noise = GetParam();
  IpdsVr method(toy.problem, *toy.network, options);
  constexpr int kMost = 6000;
  EXPECT_LE(steps_to(toy, method, kReached, kMost), kMost);
}

INSTANTIATE_TEST_SUITE_P(Shares, TooMuchNoise, ::testing::Values(10.0, 1000.0));

TEST(IpdsVr, FollowsAGivenEpochAndBatch) {
  Toy toy = make_case("ring", 0.0);
  IpdsVrOptions options = vr_options(toy);
  options.epoch = 10;
  options.batch = 7;
  IpdsVr method(toy.problem, *toy.network, options);
  for (int step = 0; step < 30; ++step) {
    method.step();
  }
  EXPECT_EQ(method.snapshots(), 3);
  // Three passes, and seven rows per node at the other 27 steps, where every node has moved.
  EXPECT_EQ(Control(*toy.network).totals().data_oracle_calls, 3 * kRows + 27 * 6 * 7);
}

}  // namespace
}  // namespace slidemesh::testing
