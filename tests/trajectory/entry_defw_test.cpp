// DeFW on the entries of a matrix, with gradients where somebody has an entry: the steps of the form that keeps all of
// them, fewer bytes.

#include "slidemesh/algorithms/entry_defw.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "slidemesh/algorithms/registry.h"
#include "slidemesh/base/config_table.h"
#include "slidemesh/base/errors.h"
#include "slidemesh/data/formats/synthetic.h"
#include "slidemesh/losses/least_squares.h"
#include "slidemesh/losses/matrix_completion.h"
#include "slidemesh/sets/spectral.h"
#include "support/exact_nuclear_ball.h"
#include "support/state_copy.h"
#include "support/toy_problem.h"

namespace slidemesh {
namespace {

constexpr Index kRows = 30;
constexpr Index kColumns = 40;
constexpr Index kNodes = 6;
constexpr Index kEntries = 240;

constexpr double kRadius = 20.0;
/// Of an oracle's value that is exact to 1e-12 the vectors are to 1e-6, and each step magnifies what the last one left.
constexpr double kMagnified = 1e-4;

testing::Toy completion(const std::shared_ptr<const FeasibleSet>& set) {
  SyntheticOptions options;
  options.kind = SyntheticKind::kMatrix;
  options.matrix_rows = kRows;
  options.matrix_columns = kColumns;
  options.rank = 3;
  options.rows = kEntries;
  return testing::make_toy(make_graph({.kind = "ring", .nodes = kNodes}), make_synthetic(options),
                           std::make_shared<MatrixCompletion>(), set, 0.0);
}

testing::Toy completion() { return completion(std::make_shared<NuclearBall>(kRows, kColumns, kRadius)); }

TEST(EntryDefw, TakesTheStepsOfTheDenseForm) {
  for (const std::optional<int>& rounds : {std::optional<int>(1), std::optional<int>()}) {
    testing::Toy toy = completion();
    testing::Toy dense_toy = completion(std::make_shared<testing::ExactNuclearBall>(kRows, kColumns, kRadius));
    DefwOptions options;
    options.mixing_rounds = rounds;
    options.oracle_share = 1e-12;
    const auto method = make_defw(toy.problem, *toy.network, options);
    ASSERT_NE(dynamic_cast<EntryDefw*>(method.get()), nullptr);
    Defw dense(dense_toy.problem, *dense_toy.network, options);
    for (int step = 0; step < 20; ++step) {
      method->step();
      dense.step();
      ASSERT_LE((method->output() - dense.output()).cwiseAbs().maxCoeff(), kMagnified) << "step " << step;
    }
    const MeterTotals totals = toy.network->meters().totals();
    const MeterTotals dense_totals = dense_toy.network->meters().totals();
    EXPECT_EQ(totals.data_oracle_calls, dense_totals.data_oracle_calls);
    EXPECT_EQ(totals.linear_oracle_calls, dense_totals.linear_oracle_calls);
    EXPECT_EQ(totals.communication_rounds, dense_totals.communication_rounds);
    EXPECT_LT(totals.bytes_sent, 0.65 * static_cast<double>(dense_totals.bytes_sent));
  }
}

TEST(EntryDefw, LosesNothingByAnOracleAsExactAsTheStepNeeds) {
  const auto value_after = [](double share) {
    testing::Toy toy = completion();
    DefwOptions options;
    options.oracle_share = share;
    const auto method = make_defw(toy.problem, *toy.network, options);
    for (int step = 0; step < 60; ++step) {
      method->step();
    }
    const Vector mean = method->output().rowwise().mean();
    double value = 0.0;
    for (const auto& objective : toy.problem.objectives) {
      value += objective->value(AccessPurpose::kTrace, mean);
    }
    return value;
  };
  EXPECT_LE(value_after(DefwOptions{}.oracle_share), 1.02 * value_after(1e-9));
}

TEST(EntryDefw, GoesOnFromACheckpointWithTheSameBits) {
  testing::Toy toy = completion();
  testing::Toy other = completion();
  const auto method = make_defw(toy.problem, *toy.network, {});
  const auto resumed = make_defw(other.problem, *other.network, {});
  for (int step = 0; step < 7; ++step) {
    method->step();
  }
  testing::copy_state(*method, *resumed);
  for (int step = 0; step < 10; ++step) {
    method->step();
    resumed->step();
    ASSERT_EQ(method->output(), resumed->output()) << "step " << step;
  }
}

TEST(EntryDefw, GoesOnTheSameWhetherOrNotItsIteratesAreLookedAt) {
  testing::Toy toy = completion();
  testing::Toy other = completion();
  DefwOptions options;
  options.mixing_rounds = 2;
  const auto looked_at = make_defw(toy.problem, *toy.network, options);
  const auto left_alone = make_defw(other.problem, *other.network, options);
  for (int step = 0; step < 10; ++step) {
    looked_at->step();
    left_alone->step();
    EXPECT_TRUE(looked_at->output().allFinite());
  }
  EXPECT_EQ(looked_at->output(), left_alone->output());
}

/// Where models do not fit and the iterates of ipds-vr would take more than they may.
TEST(EntryDefw, IsWhatNewtonSlidingHandsLargeMatricesTo) {
  std::string said;
  const auto takes_defw = [&said](std::int64_t memory) {
    testing::Toy toy = completion();
    const Value::Table keys = {{"curvature_memory", {std::int64_t{0}}}, {"fallback_memory", {memory}}};
    ConfigTable table(keys, 0, "method", "test");
    const MethodFactory factory = find_method("newton-sliding")->parse(table, 10);
    MethodContext context{toy.problem, *toy.network};
    context.tell = [&said](const std::string& line) { said = line; };
    return dynamic_cast<EntryDefw*>(factory.make(context).get()) != nullptr;
  };
  constexpr std::int64_t kNeeded = 37 * 8 * kRows * kColumns * kNodes;
  EXPECT_FALSE(takes_defw(kNeeded));
  EXPECT_EQ(said.rfind("ipds-vr runs instead", 0), 0U) << said;
  EXPECT_TRUE(takes_defw(kNeeded - 1));
  EXPECT_EQ(said.rfind("defw runs instead", 0), 0U) << said;
}

TEST(EntryDefw, IsNotTakenWhereARowMayHaveSeveralFeatures) {
  testing::Toy toy = testing::make_toy(make_graph({.kind = "ring", .nodes = 6}), testing::toy_rows(),
                                       std::make_shared<LeastSquares>(), std::make_shared<NuclearBall>(5, 1, 1.0), 0.0);
  EXPECT_NE(dynamic_cast<Defw*>(make_defw(toy.problem, *toy.network, {}).get()), nullptr);
}

}  // namespace
}  // namespace slidemesh
