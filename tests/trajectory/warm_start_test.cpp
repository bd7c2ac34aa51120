// An answer with its multipliers is an answer at once; without them the network has to find them again.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "slidemesh/algorithms/defw.h"
#include "slidemesh/algorithms/ipds_restarted.h"
#include "slidemesh/algorithms/ipds_vr.h"
#include "slidemesh/algorithms/newton_sliding.h"
#include "slidemesh/graphs/spectrum.h"
#include "slidemesh/session/run.h"
#include "support/toy_problem.h"

namespace slidemesh::testing {
namespace {

constexpr double kGap = 1e-7;

Toy make_case() {
  return make_toy(make_graph({.kind = "path", .nodes = 6}), toy_rows(1200), std::make_shared<Logistic>(),
                  std::make_shared<L1Ball>(5, 4.0), 0.0);
}

std::unique_ptr<Method> make_method(const std::string& name, Toy& toy) {
  const double lambda_max = laplacian_spectrum(toy.network->graph()).lambda_max;
  if (name == "ipds-vr") {
    IpdsVrOptions options;
    options.laplacian_lambda_max = lambda_max;
    return std::make_unique<IpdsVr>(toy.problem, *toy.network, options);
  }
  if (name == "newton-sliding") {
    NewtonSlidingOptions options;
    options.laplacian_lambda_max = lambda_max;
    return std::make_unique<NewtonSliding>(toy.problem, *toy.network, options);
  }
  IpdsRestartedOptions options;
  options.laplacian_lambda_max = lambda_max;
  return std::make_unique<IpdsRestarted>(toy.problem, *toy.network, options);
}

Record solve(Toy& toy, Method& method, double gap) {
  RunOptions options;
  options.every = 0;
  options.stop.certified_gap = gap;
  options.stop.certified_gap_is_relative = false;
  toy.network->meters() = Meters(toy.network->local_nodes());
  const RunResult result = run(method, toy.problem, *toy.network, options);
  EXPECT_EQ(result.status, Status::kTargetReached);
  return result.last;
}

class WarmStart : public ::testing::TestWithParam<const char*> {};

TEST_P(WarmStart, FromAnAnswerAndItsDualIsDoneAtOnce) {
  Toy toy = make_case();
  const auto first = make_method(GetParam(), toy);
  // The multipliers belong to x̲, and a certificate at x̂ loses in the first order of how far that is from it.
  const Record cold = solve(toy, *first, kGap / 30.0);
  const Stacked s = first->dual()->s;
  toy.problem.start = first->output().rowwise().mean();

  const auto with_dual = make_method(GetParam(), toy);
  ASSERT_TRUE(with_dual->start_with_dual(s));
  const Record warm = solve(toy, *with_dual, kGap);
  const auto without = make_method(GetParam(), toy);
  const Record lukewarm = solve(toy, *without, kGap);

  EXPECT_LE(warm.step, 2);
  EXPECT_LE(warm.meters.data_oracle_calls, 3 * 1200);
  EXPECT_LT(warm.step, lukewarm.step);
  EXPECT_LT(warm.meters.data_oracle_calls, cold.meters.data_oracle_calls);
}

INSTANTIATE_TEST_SUITE_P(Methods, WarmStart, ::testing::Values("ipds-restarted", "ipds-vr", "newton-sliding"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

/// Where the measure of an answer were the scale of rounding, no stage would ever be small enough.
TEST(AnAnswer, ThatRoundingKeepsFromABetterOneEndsTheRun) {
  Toy toy = make_case();
  const auto first = make_method("newton-sliding", toy);
  static_cast<void>(solve(toy, *first, kGap));
  const Stacked s = first->dual()->s;
  toy.problem.start = first->output().rowwise().mean();
  const auto again = make_method("newton-sliding", toy);
  ASSERT_TRUE(again->start_with_dual(s));
  RunOptions options;
  options.every = 0;
  options.stop.certified_gap = 1e-18;
  options.stop.certified_gap_is_relative = false;
  const RunResult result = run(*again, toy.problem, *toy.network, options);
  EXPECT_EQ(result.status, Status::kFinished);
  EXPECT_LT(result.last.step, 1000);
}

TEST(Multipliers, OfAWarmStartSumToZero) {
  Toy toy = make_case();
  const auto method = make_method("ipds-restarted", toy);
  ASSERT_TRUE(method->start_with_dual(Stacked::Random(5, 6)));
  EXPECT_LT(method->dual()->w.rowwise().sum().norm(), 1e-13);
  EXPECT_GT(method->dual()->w.norm(), 0.1);
  EXPECT_EQ(toy.network->meters().communication_rounds, 1);
}

TEST(Multipliers, AreNothingToAMethodWithoutMultipliers) {
  Toy toy = make_case();
  Defw method(toy.problem, *toy.network, {});
  EXPECT_EQ(method.dual(), nullptr);
  EXPECT_FALSE(method.start_with_dual(Stacked::Zero(5, 6)));
}

}  // namespace
}  // namespace slidemesh::testing
