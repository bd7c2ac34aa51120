// The rules of ipds-vr, without a solver.

#include "slidemesh/algorithms/vr_rules.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/state_copy.h"

namespace slidemesh {
namespace {

constexpr VrParameters kParameters;

TEST(SubsetSize, IsAShareOfTheRowsButNotTooFew) {
  EXPECT_EQ(subset_size(kParameters, 1000), 200);
  EXPECT_EQ(subset_size(kParameters, 1001), 201);
  EXPECT_EQ(subset_size(kParameters, 40), 16);
  EXPECT_EQ(subset_size(kParameters, 10), 10);
}

TEST(VarianceMemory, IsAShareOfTheRowsButNotTooFew) {
  EXPECT_EQ(variance_memory(kParameters, 2000), 100.0);
  EXPECT_EQ(variance_memory(kParameters, 50), 10.0);
}

TEST(BatchSize, BoundsTheNoiseByItsShareOfTheGap) {
  BatchFacts facts{.rows = 1000, .k = 4.0, .variance = 0.5, .nodes = 10.0, .smoothness = 2.0, .noise = 0.1, .rho = 1.0};
  EXPECT_EQ(batch_size(kParameters, facts), 100);  // k σ² m / (L η ρ)
  facts.rho = 0.5;
  EXPECT_EQ(batch_size(kParameters, facts), 200) << "half the gap, twice the rows";
  facts.variance = 0.0;
  EXPECT_EQ(batch_size(kParameters, facts), 2) << "the smallest batch";
  facts.variance = 10.0;
  EXPECT_EQ(batch_size(kParameters, facts), 1000) << "half of all rows or more: all";
  facts.rho = 0.0;
  facts.variance = 0.0;
  EXPECT_EQ(batch_size(kParameters, facts), 1000) << "0/0 is no reason to draw few";
}

TEST(JudgeStep, FindsEachReasonForAnExactStep) {
  VrStepFacts quiet;
  quiet.k = 20;
  quiet.rho = quiet.rho_base = 1.0;
  quiet.rows = 1000.0;
  quiet.snapshots = 2;
  quiet.rho_of_request = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(judge_step(kParameters, quiet).takes_all);

  VrStepFacts diverged = quiet;
  diverged.rho = 11.0;
  EXPECT_TRUE(judge_step(kParameters, diverged).diverged);
  diverged.k = 3;
  EXPECT_FALSE(judge_step(kParameters, diverged).diverged) << "a phase has its first steps whatever they show";

  VrStepFacts doubtful = quiet;
  doubtful.noise = 2.0;
  doubtful.drawn = 401.0;
  EXPECT_TRUE(judge_step(kParameters, doubtful).takes_all);
  doubtful.snapshots = 1;
  EXPECT_FALSE(judge_step(kParameters, doubtful).takes_all) << "after the first snapshot doubt comes later";

  VrStepFacts requested = quiet;
  requested.requested_gap = 1.5;
  EXPECT_TRUE(judge_step(kParameters, requested).requested);
  requested.was_exact = true;
  EXPECT_FALSE(judge_step(kParameters, requested).requested) << "there is a certificate already";
  requested.was_exact = false;
  requested.rho_of_request = 1.5;
  EXPECT_FALSE(judge_step(kParameters, requested).requested) << "not before the measure has halved";

  VrStepFacts old = quiet;
  old.since_snapshot = 400;
  EXPECT_TRUE(judge_step(kParameters, old).takes_all);
}

TEST(AllRows, AreWorthItWhereABatchIsLargeOrTheSnapshotStale) {
  EXPECT_FALSE(all_rows_are_worth_it(kParameters, 5, 400.0, 0.0, 1000.0, 1000.0));
  EXPECT_TRUE(all_rows_are_worth_it(kParameters, 5, 500.0, 0.0, 1000.0, 1000.0));
  EXPECT_TRUE(all_rows_are_worth_it(kParameters, 5, 100.0, 0.0, 1000.0, 200.0)) << "half of those that are dealt";
  EXPECT_TRUE(all_rows_are_worth_it(kParameters, 5, 21.0, 1000.0, 1000.0, 1000.0));
  EXPECT_FALSE(all_rows_are_worth_it(kParameters, 0, 21.0, 1000.0, 1000.0, 1000.0)) << "not at a phase's begin";
  EXPECT_FALSE(all_rows_are_worth_it(kParameters, 5, 20.0, 1000.0, 1000.0, 1000.0));
}

using Verdict = NoiseControl::Verdict;

TEST(NoiseControl, RejectsWhatMadeThingsWorseAndShortensStepsIfThatHappensAgain) {
  NoiseControl control(kParameters, 0.1, 2.0);
  EXPECT_EQ(control.judge(1.0, false), Verdict::kBest);
  EXPECT_EQ(control.judge(2.9, false), Verdict::kGoOn) << "the measure is not monotone";
  EXPECT_EQ(control.judge(3.1, false), Verdict::kReject);
  const double before = control.noise();
  control.reject();
  EXPECT_EQ(control.noise(), before / 4.0);
  EXPECT_EQ(control.smoothness(), 2.0);
  control.reject();
  EXPECT_EQ(control.smoothness(), 4.0) << "twice in a row";
  EXPECT_EQ(control.judge(0.9, false), Verdict::kBest);
  EXPECT_EQ(control.smoothness(), 2.0) << "and back when it goes well";
  EXPECT_EQ(control.rejections(), 2);
}

TEST(NoiseControl, GivesInAfterSoManyRejections) {
  NoiseControl control(kParameters, 0.1, 2.0);
  EXPECT_EQ(control.judge(1.0, false), Verdict::kBest);
  for (Count i = 0; i < kParameters.most_rejections; ++i) {
    EXPECT_EQ(control.judge(100.0, false), Verdict::kReject);
    control.reject();
  }
  EXPECT_EQ(control.judge(100.0, false), Verdict::kBest);
}

TEST(NoiseControl, SendsNothingBackThatExactGradientsBroughtDown) {
  NoiseControl control(kParameters, 0.1, 2.0);
  EXPECT_EQ(control.judge(1.0, false), Verdict::kBest);
  EXPECT_EQ(control.judge(100.0, true), Verdict::kBest) << "a measure may rise where a phase begins";
  EXPECT_EQ(control.noise(), 0.1) << "which is not the noise's fault";
  EXPECT_EQ(control.best_rho(), 100.0);
  EXPECT_EQ(control.judge(301.0, false), Verdict::kReject) << "from there on as ever";
  EXPECT_EQ(control.judge(std::nan(""), true), Verdict::kReject);
}

TEST(NoiseControl, LowersNoiseThatOnlyKeepsTheMeasureFromFalling) {
  NoiseControl control(kParameters, 0.1, 2.0);
  control.watch_for_stall(1.0);
  control.watch_for_stall(0.95);
  EXPECT_EQ(control.noise(), 0.1);
  control.watch_for_stall(0.9);
  EXPECT_EQ(control.noise(), 0.1 / 4.0);
}

TEST(NoiseControl, BelievesAnObservedSmoothnessThatIsClearlyAbove) {
  NoiseControl control(kParameters, 0.1, 2.0);
  control.observe_smoothness(2.01);
  EXPECT_EQ(control.smoothness(), 2.0);
  control.observe_smoothness(4.0);
  EXPECT_EQ(control.smoothness(), 1.1 * 4.0);
}

TEST(NoiseControl, TakesLongerStepsWhereAPhaseWasLessCurvedThanItsBound) {
  NoiseControl control(kParameters, 0.1, 2.0);
  control.relax_smoothness();
  EXPECT_EQ(control.smoothness(), 2.0) << "nothing was observed";
  control.observe_smoothness(0.5);
  EXPECT_EQ(control.smoothness(), 2.0) << "not before the phase ends";
  control.relax_smoothness();
  EXPECT_EQ(control.smoothness(), 1.1 * 0.5);
  control.observe_smoothness(1.0);
  EXPECT_EQ(control.smoothness(), 1.1) << "at once where it is too small";
  control.observe_smoothness(1.9);
  EXPECT_EQ(control.smoothness(), 2.0) << "not above the bound";
}

TEST(NoiseControl, KeepsShortStepsWhileItIsSentBack) {
  NoiseControl control(kParameters, 0.1, 2.0);
  control.observe_smoothness(0.5);
  control.reject();
  control.relax_smoothness();
  EXPECT_EQ(control.smoothness(), 2.0);
}

TEST(NoiseControl, GoesOnFromACopyOfItsState) {
  NoiseControl one(kParameters, 0.1, 2.0);
  one.judge(1.0, false);
  one.observe_smoothness(4.0);
  one.reject();
  one.reject();
  NoiseControl other(kParameters, 0.1, 2.0);
  testing::copy_state(one, other);
  EXPECT_EQ(other.noise(), one.noise());
  EXPECT_EQ(other.smoothness(), one.smoothness());
  EXPECT_EQ(other.best_rho(), one.best_rho());
  EXPECT_EQ(other.rejections(), one.rejections());
}

}  // namespace
}  // namespace slidemesh
