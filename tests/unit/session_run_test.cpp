#include "slidemesh/session/run.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <vector>

#include "slidemesh/algorithms/ipds.h"
#include "slidemesh/base/errors.h"
#include "slidemesh/base/interruption.h"
#include "slidemesh/core/termination.h"
#include "slidemesh/graphs/generators.h"
#include "slidemesh/graphs/spectrum.h"
#include "slidemesh/network/in_process.h"
#include "slidemesh/session/reference_optimum.h"
#include "slidemesh/sets/norm_balls.h"
#include "support/tiny_problem.h"

namespace slidemesh {
namespace {

TEST(Decide, IsAPureFunctionOfRuleAndStatistics) {
  StopRule rule;
  rule.target_gap = 1e-3;
  rule.time_limit_seconds = 10.0;
  Statistics s;
  EXPECT_EQ(decide(rule, s), Status::kRunning);
  s.relative_gap = 2e-3;
  EXPECT_EQ(decide(rule, s), Status::kRunning);
  s.seconds = 11.0;
  EXPECT_EQ(decide(rule, s), Status::kTimeLimit);
  s.interrupted = true;
  EXPECT_EQ(decide(rule, s), Status::kInterrupted);
  s.finished = true;
  EXPECT_EQ(decide(rule, s), Status::kFinished);
  s.relative_gap = 1e-3;
  EXPECT_EQ(decide(rule, s), Status::kTargetReached) << "reaching the target beats every limit";
}

TEST(Decide, WaitsForTheNodesToAgreeWhereThatIsAskedFor) {
  StopRule rule;
  rule.target_gap = 1e-3;
  rule.target_disagreement = 1e-2;
  Statistics s;
  s.relative_gap = 1e-4;
  EXPECT_EQ(decide(rule, s), Status::kRunning) << "nothing is known of the disagreement";
  s.disagreement = 0.02;
  EXPECT_EQ(decide(rule, s), Status::kRunning);
  s.disagreement = 0.01;
  EXPECT_EQ(decide(rule, s), Status::kTargetReached);
}

TEST(Decide, AsksForAFeasiblePointAsWell) {
  StopRule rule;
  rule.target_gap = rule.certified_gap = 1e-3;
  Statistics s;
  s.relative_gap = s.certified_gap = 1e-4;
  s.certified_gap_scale = 1.0;
  s.infeasible = true;
  EXPECT_EQ(decide(rule, s), Status::kRunning);
  s.infeasible = false;
  EXPECT_EQ(decide(rule, s), Status::kTargetReached);
  s.sets_have_no_common_point = true;
  EXPECT_EQ(decide(rule, s), Status::kEmptyIntersection) << "no answer can be one";
}

TEST(Decide, MeasuresACertifiedGapAgainstItsScale) {
  StopRule rule;
  rule.certified_gap = 1e-2;
  Statistics s;
  s.certified_gap = 0.05;
  s.certified_gap_scale = 10.0;
  EXPECT_EQ(decide(rule, s), Status::kTargetReached);
  rule.certified_gap_is_relative = false;
  EXPECT_EQ(decide(rule, s), Status::kRunning);
}

TEST(CertifiedGapScale, IsWhatCanBeGainedAndNeverLessThanRounding) {
  EXPECT_DOUBLE_EQ(certified_gap_scale(5.0, 2.0), 3.0);
  StopRule rule;
  rule.certified_gap = 1e-4;
  Statistics s;
  s.certified_gap = 0.0;
  s.certified_gap_scale = certified_gap_scale(5.0, 5.0);
  EXPECT_EQ(decide(rule, s), Status::kTargetReached) << "the start is optimal, and that is certified";
  s.certified_gap_scale = certified_gap_scale(5.0, 5.0 - 1e-6);
  s.certified_gap = 1e-6;
  EXPECT_EQ(decide(rule, s), Status::kRunning) << "more than rounding is left";
}

TEST(Decide, ClaimsNoTargetAgainstAReferenceThatDoesNotSuffice) {
  StopRule rule;
  rule.target_gap = 1e-3;
  Statistics s;
  s.relative_gap = 1e-4;
  s.reference_suffices = false;
  EXPECT_EQ(decide(rule, s), Status::kReferenceUncertain);
  s.relative_gap.reset();
  EXPECT_EQ(decide(rule, s), Status::kRunning);
  s.no_scale = true;
  EXPECT_EQ(decide(rule, s), Status::kReferenceUncertain) << "no gap can be relative to nothing";
}

TEST(ReferenceSuffices, IfItsCertifiedRelativeAccuracyIsATenthOfTheTarget) {
  EXPECT_TRUE(reference_suffices(1e-3, 1e-4, 1.0, 2.0));
  EXPECT_FALSE(reference_suffices(1e-3, 1.01e-4, 1.0, 2.0));
  EXPECT_FALSE(reference_suffices(1e-3, 1e-4, 2.0, 2.0)) << "a start at the optimum";
}

TEST(RelativeGap, IsAbsentWithoutAPositiveScale) {
  EXPECT_EQ(relative_gap(1.5, 1.0, 2.0), 0.5);
  EXPECT_EQ(relative_gap(1.5, 1.0, 1.0), std::nullopt);
  EXPECT_EQ(relative_gap(1.5, 1.0, 0.5), std::nullopt);
}

TEST(CertifiedGap, IsZeroForRoundingAndRefusedForMore) {
  EXPECT_EQ(certified_gap(3.0, 2.5, 10.0), 0.5);
  EXPECT_EQ(certified_gap(3.0, 3.0 + 1e-9, 10.0), 0.0);
  try {
    static_cast<void>(certified_gap(3.0, 3.0001, 10.0));
    FAIL() << "a bound above F was taken";
  } catch (const InternalError& error) {
    EXPECT_NE(std::string(error.what()).find("3.0001"), std::string::npos) << error.what();
  }
}

class RunTest : public ::testing::Test {
 protected:
  RunTest() : graph_(make_graph({.kind = "ring", .nodes = 6})), network_(graph_) {
    problem_ = testing::make_problem(testing::toy_rows(), network_, std::make_unique<L1Ball>(5, 2.0));
    options_.outer_steps = 200;
    options_.gossip = Gossip::kSqrtLaplacian;
    options_.laplacian_lambda_max = laplacian_spectrum(graph_).lambda_max;
  }

  Graph graph_;
  InProcessNetwork network_;
  Problem problem_;
  IpdsOptions options_;
};

TEST_F(RunTest, RecordsStepZeroEveryNthAndTheLast) {
  options_.outer_steps = 25;
  Ipds ipds(problem_, network_, options_);
  std::vector<int> steps;
  RunOptions run_options;
  run_options.every = 10;
  run_options.on_record = [&](const Record& record) { steps.push_back(record.step); };
  const RunResult result = run(ipds, problem_, network_, run_options);
  EXPECT_EQ(steps, (std::vector<int>{0, 10, 20, 25}));
  EXPECT_EQ(result.status, Status::kFinished);
  EXPECT_EQ(result.last.meters.data_oracle_calls, 25 * 60) << "records must not be charged";
}

TEST_F(RunTest, LowerBoundStaysBelowTheOptimumAndClosesOnIt) {
  const double optimum = reference_optimum(problem_, network_).value;
  for (const double mu : {0.0, 0.1}) {
    problem_.mu = mu;
    const double best = mu == 0.0 ? optimum : reference_optimum(problem_, network_).value;
    network_.meters() = Meters(6);
    options_.outer_steps = mu > 0.0 ? 25 : 200;
    Ipds ipds(problem_, network_, options_);
    RunOptions run_options;
    double first_gap = 0.0;
    double last_gap = 0.0;
    run_options.on_record = [&](const Record& record) {
      if (record.lower_bound) {
        EXPECT_LE(*record.lower_bound, best + 1e-12);
        first_gap = first_gap == 0.0 ? *record.certified_gap : first_gap;
        last_gap = *record.certified_gap;
      }
    };
    run(ipds, problem_, network_, run_options);
    EXPECT_LT(last_gap, first_gap / 100.0);
  }
}

/// An objective that keeps count of the rows that are looked at through it.
class WatchedObjective final : public LocalObjective {
 public:
  WatchedObjective(std::shared_ptr<LocalObjective> objective, Count& gradients, Count& certificates)
      : objective_(std::move(objective)), gradients_(gradients), certificates_(certificates) {}
  [[nodiscard]] Index dimension() const override { return objective_->dimension(); }
  [[nodiscard]] Index rows() const override { return objective_->rows(); }
  [[nodiscard]] double smoothness() override { return objective_->smoothness(); }
  [[nodiscard]] double value(AccessPurpose purpose, ConstVectorRef x) override {
    certificates_ += purpose == AccessPurpose::kCertificate ? rows() : 0;
    return objective_->value(purpose, x);
  }
  double gradient(AccessPurpose purpose, ConstVectorRef x, VectorRef g, std::span<double> derivatives) override {
    gradients_ += rows();
    return objective_->gradient(purpose, x, g, derivatives);
  }

 private:
  std::shared_ptr<LocalObjective> objective_;
  Count& gradients_;
  Count& certificates_;
};

TEST_F(RunTest, CertifiedStopIsChargedForEveryEvaluation) {
  Count gradients = 0;
  Count certificates = 0;
  for (auto& objective : problem_.objectives) {
    objective = std::make_shared<WatchedObjective>(std::move(objective), gradients, certificates);
  }
  Ipds ipds(problem_, network_, options_);
  RunOptions run_options;
  run_options.every = 1000;
  run_options.stop.certified_gap = 1e-2;
  const RunResult result = run(ipds, problem_, network_, run_options);
  EXPECT_EQ(result.status, Status::kTargetReached);
  const Count steps = result.last.step;
  EXPECT_EQ(gradients, 60 * steps);
  EXPECT_GE(certificates, 60);
  EXPECT_EQ(result.last.meters.data_oracle_calls, gradients + certificates);
  EXPECT_EQ(result.last.meters.linear_oracle_calls, 6 * steps) << "one call per node and step for the bound";
}

TEST_F(RunTest, BudgetIsNeverOverspent) {
  Ipds ipds(problem_, network_, options_);
  RunOptions run_options;
  run_options.stop.data_budget = 1000;
  const RunResult result = run(ipds, problem_, network_, run_options);
  EXPECT_EQ(result.status, Status::kBudgetReached);
  EXPECT_EQ(result.last.meters.data_oracle_calls, 960);
  EXPECT_EQ(result.last.step, 16);
}

TEST_F(RunTest, InterruptEndsAfterTheStep) {
  Ipds ipds(problem_, network_, options_);
  RunOptions run_options;
  run_options.interrupted = [&] { return ipds.steps_done() == 7; };
  const RunResult result = run(ipds, problem_, network_, run_options);
  EXPECT_EQ(result.status, Status::kInterrupted);
  EXPECT_EQ(result.last.step, 7);
  EXPECT_FALSE(result.gave_up_step);
}

/// Its third step has a loop that ends only where it is told to, or after far too long.
class SlowMethod final : public Method {
 public:
  explicit SlowMethod(const Problem& problem) : x_(problem.starts()) {}
  [[nodiscard]] std::string_view name() const override { return "slow"; }
  void step() override {
    ++steps_;
    const auto begin = std::chrono::steady_clock::now();
    while (steps_ == 3 && !interruption_is_due() && std::chrono::steady_clock::now() - begin < kFarTooLong) {
    }
  }
  [[nodiscard]] bool finished() const override { return steps_ == 3; }
  [[nodiscard]] int steps_done() const override { return steps_; }
  [[nodiscard]] const Stacked& output() override { return x_; }
  [[nodiscard]] Count next_data_oracle_calls() const override { return 0; }
  void visit_state(StateVisitor& visitor) override { visitor.visit("x", x_); }

  static constexpr std::chrono::seconds kFarTooLong{20};

 private:
  Stacked x_;
  int steps_ = 0;
};

TEST_F(RunTest, LimitsHoldInsideAStepAndLeaveNothingToGoOnFrom) {
  for (const bool by_clock : {true, false}) {
    SlowMethod method(problem_);
    RunOptions run_options;
    std::vector<int> saved;
    run_options.after_step = [&](const RunState& state, Status) { saved.push_back(state.step); };
    if (by_clock) {
      run_options.stop.time_limit_seconds = 0.05;
    } else {
      run_options.interrupted = [&] { return method.steps_done() == 3; };
    }
    const auto begin = std::chrono::steady_clock::now();
    const RunResult result = run(method, problem_, network_, run_options);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, SlowMethod::kFarTooLong / 2);
    EXPECT_EQ(result.status, by_clock ? Status::kTimeLimit : Status::kInterrupted) << "and not finished";
    EXPECT_TRUE(result.gave_up_step);
    EXPECT_EQ(saved, (std::vector<int>{1, 2}));
    EXPECT_TRUE(result.last.measures.objective_at_average);
  }
}

}  // namespace
}  // namespace slidemesh
