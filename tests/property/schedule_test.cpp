// The paper's list of inequalities on the step sizes ("cond_Qest"), over random settings, and its
// Table 2 counts of drawn rows.

#include <gtest/gtest.h>

#include <cmath>

#include "slidemesh/algorithms/schedule.h"
#include "slidemesh/base/errors.h"
#include "slidemesh/base/random.h"

namespace slidemesh {
namespace {

constexpr double kRounding = 1e-9;  // relative

/// a <= b up to rounding.
::testing::AssertionResult at_most(double a, double b) {
  if (a <= b + kRounding * (std::abs(a) + std::abs(b))) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure() << a << " > " << b;
}

ScheduleParameters random_parameters(RandomStream& random) {
  ScheduleParameters p;
  p.outer_steps = 2 + static_cast<int>(random.index(60));
  p.smoothness = std::exp(random.uniform(-5.0, 5.0));
  p.mu = random.index(3) == 0 ? 0.0 : p.smoothness * std::exp(random.uniform(-8.0, 0.0));
  p.operator_norm = std::exp(random.uniform(-2.0, 4.0));
  p.r = std::exp(random.uniform(-2.0, 2.0));
  p.profile = random.index(2) == 0 ? Profile::kPaper : Profile::kDeterministic;
  return p;
}

void expect_inequalities(const ScheduleParameters& p) {
  const Schedule schedule(p);
  const double norm2 = p.operator_norm * p.operator_norm;
  for (int k = 1; k <= p.outer_steps; ++k) {
    const Step s = schedule.at(k);
    for (const Count t : {Count{2}, s.inner_steps}) {
      if (t >= 2 && t <= s.inner_steps) {
        EXPECT_TRUE(at_most(norm2, s.eta(t - 1) * s.q)) << "|A|^2 <= eta_k^{t-1} q_k, k " << k;
        EXPECT_TRUE(at_most(s.eta(t), p.mu + s.eta(t - 1) + s.p)) << "eta_k^t <= mu + eta_k^{t-1} + p_k, k " << k;
      }
    }
    if (k == p.outer_steps) {
      EXPECT_TRUE(at_most(p.smoothness, s.p * (s.tau + 1.0)));
      EXPECT_TRUE(at_most(norm2, s.eta(s.inner_steps) * s.q));
    }
    if (k == 1) {
      EXPECT_EQ(s.tau, 0.0);
      continue;
    }
    const Step b = schedule.at(k - 1);
    const auto T = static_cast<double>(s.inner_steps);
    const auto T_before = static_cast<double>(b.inner_steps);
    EXPECT_TRUE(at_most(s.beta * s.tau, b.beta * (b.tau + 1.0))) << "k " << k;
    EXPECT_NEAR(b.beta / s.beta, s.lambda, kRounding) << "k " << k;
    EXPECT_TRUE(at_most(p.smoothness * s.lambda, b.p * s.tau)) << "k " << k;
    EXPECT_TRUE(at_most(s.first_alpha * norm2, b.eta(b.inner_steps) * s.q)) << "k " << k;
    EXPECT_NEAR(s.beta * s.first_alpha / T, b.beta / T_before, kRounding * s.beta) << "k " << k;
    EXPECT_TRUE(at_most(s.beta * s.q / T, b.beta * b.q / T_before)) << "k " << k;
    EXPECT_TRUE(at_most(s.beta / T * s.eta(1) + s.beta * s.p, b.beta / T_before * (p.mu + b.eta(b.inner_steps) + b.p)))
        << "what telescopes from one outer step to the next, k " << k;
  }
}

TEST(Schedule, MeetsTheTheoremsInequalities) {
  RandomStream random(1, Purpose::kTest);
  for (int trial = 0; trial < 3000; ++trial) {
    expect_inequalities(random_parameters(random));
    if (HasFailure()) {
      FAIL() << "trial " << trial;
    }
  }
}

Count drawn_rows(double smoothness, double mu) {
  ScheduleParameters p;
  p.outer_steps = 100;
  p.smoothness = smoothness;
  p.mu = mu;
  p.c = smoothness * smoothness / 400.0;
  const Schedule schedule(p);
  Count sum = 0;
  for (int k = 1; k <= p.outer_steps; ++k) {
    sum += schedule.at(k).batch;
  }
  return sum;
}

TEST(Schedule, CountsTheRowsOfThePapersTable2) {
  EXPECT_EQ(drawn_rows(20.5736, 0.0), 21'200);
  EXPECT_EQ(drawn_rows(1.0, 0.0), 21'200);
  EXPECT_EQ(drawn_rows(20.5736, 0.5), 78'740);
}

TEST(Schedule, ConvexBatchesAreSixteenthsOfSquares) {
  ScheduleParameters p;
  p.c = 1.0 / 400.0;
  const Schedule schedule(p);
  for (int k = 1; k <= 100; ++k) {
    EXPECT_EQ(schedule.at(k).batch, (k * k + 15) / 16);
  }
}

TEST(Schedule, AutomaticRadiusMakesKInnerSteps) {
  ScheduleParameters p;
  p.smoothness = 0.3;
  p.operator_norm = 7.1;
  const Schedule schedule(p);
  for (int k = 1; k <= 100; ++k) {
    EXPECT_EQ(schedule.at(k).inner_steps, k);
  }
}

TEST(Schedule, RefusesStepsThatNeverEnd) {
  ScheduleParameters p;
  p.mu = 1.0;
  p.outer_steps = 100'000;
  EXPECT_THROW(Schedule{p}, UsageError);
}

}  // namespace
}  // namespace slidemesh
