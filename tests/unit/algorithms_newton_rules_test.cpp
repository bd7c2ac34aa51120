// The rules of newton-sliding, and its parts alone.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "slidemesh/algorithms/curvature_bound.h"
#include "slidemesh/algorithms/exact_passes.h"
#include "slidemesh/algorithms/local_model.h"
#include "slidemesh/algorithms/local_step.h"
#include "slidemesh/algorithms/stages.h"
#include "slidemesh/base/random.h"
#include "slidemesh/losses/huber.h"
#include "slidemesh/losses/logistic.h"
#include "slidemesh/losses/smoothed_hinge.h"
#include "slidemesh/losses/softmax.h"
#include "slidemesh/sets/norm_balls.h"
#include "slidemesh/sets/simplices.h"
#include "slidemesh/sets/smooth_balls.h"
#include "slidemesh/sets/spectral.h"
#include "support/toy_problem.h"

namespace slidemesh {
namespace {

TEST(Stages, GrowByDoublingAndThenRefreshAShare) {
  EXPECT_EQ(first_stage_rows(22, 10), 8);
  EXPECT_EQ(first_stage_rows(200, 10), 40);
  EXPECT_EQ(stage_rows(0, 100, 8, 0.25), 8);
  EXPECT_EQ(stage_rows(64, 100, 128, 0.25), 36);
  EXPECT_EQ(stage_rows(100, 100, 256, 0.25), 25);
  EXPECT_EQ(stage_rows(3, 3, 256, 0.25), 1);
}

TEST(Stages, AreSolvedRoughlyWhileRowsAreUntouched) {
  EXPECT_EQ(stage_share(0.04, false), 0.04);
  EXPECT_DOUBLE_EQ(stage_share(0.04, true), 0.2);
}

TEST(Stages, DampWhereThePolynomialsWereWrong) {
  const auto next = [](double amount, double error) { return next_damping({amount, 0}, 1.0, error, 1).amount; };
  EXPECT_EQ(next(0.0, 0.1), 0.0);
  EXPECT_EQ(next(0.0, 0.9), 1.0);
  EXPECT_EQ(next(4.0, 0.9), 16.0);
  EXPECT_EQ(next(4.0, 0.5), 4.0);
  EXPECT_EQ(next(4.0, -0.9), 1.0) << "better than predicted is no reason to damp";
}

TEST(Stages, DampUntilEveryRowWasTouchedAgain) {
  EXPECT_EQ(refresh_cycle(0.25), 4);
  Damping damping = next_damping({}, 1.0, 0.9, 4);
  for (int good = 0; good < 3; ++good) {
    damping = next_damping(damping, 1.0, 0.1, 4);
    EXPECT_EQ(damping.amount, 1.0);
  }
  EXPECT_EQ(next_damping(damping, 1.0, 0.5, 4).good_stages, 3) << "neither good nor bad says nothing";
  EXPECT_EQ(next_damping(damping, 1.0, 0.9, 4).good_stages, 0);
  damping = next_damping(damping, 1.0, 0.1, 4);
  EXPECT_EQ(damping.amount, 0.0);
  EXPECT_EQ(next_damping({256.0, 3}, 1.0, 0.1, 4).amount, 1.0);
}

TEST(Stages, KeepSomeDampingOnceTheyHaveLedAstray) {
  const auto next = [](double amount, double error) { return next_damping({amount, 0}, 1.0, error, 1, true).amount; };
  EXPECT_EQ(next(1.0 / 64.0, 0.1), 1.0 / 256.0) << "none would lead astray again";
  EXPECT_EQ(next(1.0 / 256.0, 0.9), 1.0 / 64.0);
  EXPECT_EQ(next(1e-12, 0.1), 0.0);
}

TEST(Stages, AreDampedOnceTheyHaveLedAstrayThoughNothingWas) {
  EXPECT_EQ(next_damping({}, 1.0, 0.9, 1, true).amount, 1.0);
}

TEST(Stages, LeadAstrayWhereLossesDoubleAndMatter) {
  const auto astray = [](double before, double found) {
    return has_gone_astray({.loss_before = before, .loss_found = found, .largest_loss = 1.0});
  };
  EXPECT_FALSE(astray(1.0, 1.9));
  EXPECT_TRUE(astray(1.0, 2.1));
  EXPECT_FALSE(astray(1e-9, 1e-8)) << "separable rows have next to none";
  EXPECT_FALSE(astray(0.0, 1.0)) << "no row was touched again";
}

TEST(Stages, MayNotRaiseLossesOnceTheyHaveLedAstray) {
  const auto astray = [](double before, double found, double damping) {
    return has_gone_astray({.loss_before = before,
                            .loss_found = found,
                            .largest_loss = 1.0,
                            .is_cautious = true,
                            .damping_before = 4.0,
                            .damping = damping});
  };
  EXPECT_TRUE(astray(1.0, 1.1, 16.0));
  EXPECT_FALSE(astray(1.0, 0.9, 16.0));
  EXPECT_FALSE(astray(1.0, 1.1, 4.0)) << "they would be led to the same place again";
  EXPECT_FALSE(astray(1e-9, 1e-8, 16.0)) << "separable rows have next to none";
}

TEST(Stages, BecomeMoreCautious) {
  EXPECT_EQ(cautious_theta(0.05, 0), 0.05);
  EXPECT_DOUBLE_EQ(cautious_theta(0.05, 1), 0.0125);
  EXPECT_EQ(cautious_theta(0.05, 1000), 1e-4);
  EXPECT_EQ(cautious_theta(1e-5, 3), 1e-5) << "what was asked for is not raised";
}

TEST(Stages, BalanceTheWeightWithinAFactor) {
  EXPECT_DOUBLE_EQ(balanced_omega(1.0, 4.0, 1.0, 1.0), std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(balanced_omega(1.0, 1e12, 1.0, 1.0), 4.0);
  EXPECT_DOUBLE_EQ(balanced_omega(0.5, 1.0, 1e-30, 1.0), 0.5) << "rounding says nothing";
  EXPECT_DOUBLE_EQ(balanced_omega(0.5, 0.0, 1.0, 1.0), 0.5);
  EXPECT_DOUBLE_EQ(balanced_omega(0.5, 0.0, 1.0, 1.0, true), 0.125) << "it holds the primal back";
  EXPECT_DOUBLE_EQ(balanced_omega(0.5, 0.0, 1e-30, 1.0, true), 0.5) << "and nothing else moves either";
  EXPECT_DOUBLE_EQ(balanced_omega(0.5, 1.0, 0.0, 1.0, false, true), 2.0) << "it holds the dual back";
}

TEST(Stages, TakeRoundingForNothing) {
  EXPECT_EQ(above_rounding(1e-14, 20.0), 0.0);
  EXPECT_EQ(above_rounding(-1e-14, 20.0), 0.0);
  EXPECT_EQ(above_rounding(1e-12, 20.0), 1e-12);
}

TEST(Stages, DampTheSlowestModeOfTheGraphCritically) {
  // x' = -(x + sqrt(λ) z)/(ω n), z' = ω sqrt(λ) x/n: eigenvalues of it have the largest real part at this ω.
  const auto rate = [](double omega, double lambda, double n) {
    const double damping = 0.5 / (omega * n);
    const double squared_frequency = lambda / (n * n);
    return squared_frequency >= damping * damping ? damping
                                                  : damping - std::sqrt(damping * damping - squared_frequency);
  };
  for (const double lambda : {1e-3, 0.4, 10.0}) {
    const double best = rate(first_omega(lambda), lambda, 2.0);
    EXPECT_GE(best, rate(1.1 * first_omega(lambda), lambda, 2.0));
    EXPECT_GE(best, rate(0.9 * first_omega(lambda), lambda, 2.0));
    EXPECT_GE(rate(first_omega(lambda), 7.0 * lambda, 2.0), best * (1.0 - 1e-12)) << "no other mode is slower";
  }
}

TEST(Stages, BeginAnewWhereMultipliersMovedFarMoreThanTheWeightHasThem) {
  const SlideRestart rule;
  constexpr Count kDelay = 10;
  EXPECT_TRUE(omega_is_too_small(rule, 28, kDelay, 1.0, 17.0, 1.0));
  EXPECT_FALSE(omega_is_too_small(rule, 27, kDelay, 1.0, 17.0, 1.0)) << "what was heard is too young";
  EXPECT_FALSE(omega_is_too_small(rule, 28, kDelay, 1.0, 15.0, 1.0)) << "a restart could not change it by less";
  EXPECT_FALSE(omega_is_too_small(rule, 400, kDelay, 1.0, 0.0, 0.0));
}

TEST(Stages, BeginAnewWhereTheWeightHoldsThePrimalBack) {
  const SlideRestart rule;
  constexpr Count kDelay = 10;
  EXPECT_TRUE(primal_is_held_back(rule, 28, kDelay, 0.81, 0.0, 1.0));
  EXPECT_FALSE(primal_is_held_back(rule, 27, kDelay, 0.81, 0.0, 1.0)) << "what was heard is too young";
  EXPECT_FALSE(primal_is_held_back(rule, 28, kDelay, 0.8, 0.0, 1.0)) << "the measure falls";
  EXPECT_FALSE(primal_is_held_back(rule, 28, kDelay, 0.81, 1e-30, 1.0)) << "the dual moves";
  EXPECT_FALSE(primal_is_held_back(rule, 28, kDelay, 0.81, 0.0, 0.0)) << "nothing moves";
}

/// The first touch of all rows at x, then a second one at y of those given.
LocalModel model_of(RowObjective& objective, ConstVectorRef x, ConstVectorRef y, const std::vector<Index>& again) {
  LocalModel model(objective, 0.1);
  std::vector<Index> all(static_cast<std::size_t>(objective.rows()));
  std::iota(all.begin(), all.end(), Index{0});
  objective.touch(AccessPurpose::kGradient, x, all, [&](const TouchedRows& rows) { model.touch(rows, false); });
  if (!again.empty()) {
    objective.touch(AccessPurpose::kGradient, y, again, [&](const TouchedRows& rows) { model.touch(rows, true); });
  }
  model.finish_touch();
  return model;
}

class LocalModelOf : public ::testing::TestWithParam<std::shared_ptr<const Loss>> {};

/// Polynomials of far away leave rounding behind where the new ones replace them, but not where the model begins anew.
TEST_P(LocalModelOf, RowsTouchedAnewHasNothingOfWhereTheyWere) {
  Rows table = testing::toy_rows();
  const Index outputs = GetParam()->outputs();
  for (std::size_t r = 0; outputs > 1 && r < table.labels.size(); ++r) {
    table.labels[r] = static_cast<double>(r % 3);
  }
  RowObjective objective(std::make_shared<MemorySource>(std::move(table)), GetParam());
  const Vector far = Vector::LinSpaced(objective.dimension(), 1e7, 1e8);
  const Vector near = Vector::Constant(objective.dimension(), 0.1);
  std::vector<Index> all(static_cast<std::size_t>(objective.rows()));
  std::iota(all.begin(), all.end(), Index{0});
  const auto touch = [&](LocalModel& model, const Vector& x, bool again) {
    objective.touch(AccessPurpose::kGradient, x, all,
                    [&](const TouchedRows& rows) { model.touch(rows, again, again); });
    return model.finish_touch();
  };
  LocalModel model(objective, 0.1);
  touch(model, far, false);
  model.begin_anew();
  const Prediction told = touch(model, near, true);
  EXPECT_GT(told.before, told.found) << "what the old polynomials said is still known";
  LocalModel fresh(objective, 0.1, ModelCurvature::kTaylor);
  touch(fresh, near, false);
  EXPECT_EQ(model.touched(), objective.rows());
  const bool has_own_curvature = GetParam()->third_derivative_ratio() < std::numeric_limits<double>::infinity();
  if (has_own_curvature) {
    EXPECT_EQ(model.value(near), fresh.value(near));
    EXPECT_EQ(model.linear(), fresh.linear());
    EXPECT_EQ(model.diagonal(0), fresh.diagonal(0));
    EXPECT_EQ(model.mean_curvature(0), fresh.mean_curvature(0));
  }
}

TEST_P(LocalModelOf, RowsTouchedAgainIsThatOfRowsTouchedThereAtOnce) {
  Rows table = testing::toy_rows();
  const Index outputs = GetParam()->outputs();
  for (std::size_t r = 0; outputs > 1 && r < table.labels.size(); ++r) {
    table.labels[r] = static_cast<double>(r % 3);
  }
  RowObjective objective(std::make_shared<MemorySource>(std::move(table)), GetParam());
  RandomStream random(1, Purpose::kTest);
  Vector x(objective.dimension());
  Vector y(objective.dimension());
  for (Index j = 0; j < x.size(); ++j) {
    x(j) = random.uniform(-1.0, 1.0);
    y(j) = random.uniform(-1.0, 1.0);
  }
  std::vector<Index> all(static_cast<std::size_t>(objective.rows()));
  std::iota(all.begin(), all.end(), Index{0});
  const LocalModel model = model_of(objective, x, y, all);
  Vector expected(x.size());
  const double value = objective.gradient(AccessPurpose::kTrace, y, expected) + 0.05 * y.squaredNorm();
  expected += 0.1 * y;
  Vector found(x.size());
  model.gradient(y, found);
  EXPECT_NEAR(model.value(y), value, 1e-12);
  EXPECT_LE((found - expected).norm(), 1e-12) << "all rows were touched at y last: the model has f's gradient there";
}

TEST(LocalModel, OfWideSparseRowsIsTheDenseOneWithFewerElements) {
  constexpr Index kColumns = 600;
  RandomStream random(2, Purpose::kTest);
  Rows table;
  table.features = kColumns;
  table.offsets.push_back(0);
  for (int r = 0; r < 60; ++r) {
    table.labels.push_back(r % 2 == 0 ? 1.0 : -1.0);
    for (Index j = random.index(20); j < kColumns; j += 1 + random.index(120)) {
      table.columns.push_back(static_cast<std::int32_t>(j));
      table.values.push_back(random.uniform(-1.0, 1.0));
    }
    table.offsets.push_back(static_cast<std::int64_t>(table.values.size()));
  }
  RowObjective objective(std::make_shared<MemorySource>(std::move(table)), std::make_shared<Logistic>());
  ASSERT_EQ(shape_for(objective), ModelShape::kDense) << "unless it is asked for";
  ASSERT_EQ(shape_for(objective, true), ModelShape::kSparse);
  EXPECT_LT(model_bytes(objective, ModelShape::kSparse), 0.1 * model_bytes(objective, ModelShape::kDense));
  LocalModel dense(objective, 0.1, ModelCurvature::kSecant, ModelShape::kDense);
  LocalModel sparse(objective, 0.1, ModelCurvature::kSecant, ModelShape::kSparse);
  std::vector<Index> all(static_cast<std::size_t>(objective.rows()));
  std::iota(all.begin(), all.end(), Index{0});
  Vector x = Vector::Zero(kColumns);
  for (int touch = 0; touch < 3; ++touch) {
    for (LocalModel* model : {&dense, &sparse}) {
      objective.touch(AccessPurpose::kGradient, x, all,
                      [&](const TouchedRows& rows) { model->touch(rows, touch > 0); });
      model->finish_touch();
    }
    for (double& number : x) {
      number += random.uniform(-0.5, 0.5);
    }
    Vector expected(kColumns);
    Vector found(kColumns);
    dense.gradient(x, expected);
    sparse.gradient(x, found);
    EXPECT_LE((found - expected).norm(), 1e-12);
    EXPECT_NEAR(sparse.value(x), dense.value(x), 1e-12);
    const std::vector<Index> rows = {599, 3, 3, 0, 250};
    for (Index j = 0; j < kColumns; j += 7) {
      EXPECT_NEAR(sparse.diagonal(j), dense.diagonal(j), 1e-14);
      EXPECT_NEAR(sparse.tilt(j), dense.tilt(j), 1e-14);
      std::vector<double> a(rows.size());
      std::vector<double> b(rows.size());
      dense.add_elements(0.5, rows, j, a.data());
      sparse.add_elements(0.5, rows, j, b.data());
      for (std::size_t l = 0; l < rows.size(); ++l) {
        EXPECT_NEAR(a[l], b[l], 1e-14);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Losses, LocalModelOf,
                         ::testing::Values(std::make_shared<Logistic>(), std::make_shared<Huber>(0.5),
                                           std::make_shared<SmoothedHinge>(1.0), std::make_shared<Softmax>(3)));

class LocalSteps : public ::testing::TestWithParam<std::shared_ptr<FeasibleSet>> {};

TEST_P(LocalSteps, MinimizeAQuadratic) {
  RowObjective objective(std::make_shared<MemorySource>(testing::toy_rows()), std::make_shared<Logistic>());
  const Vector zero = Vector::Zero(5);
  const LocalModel model = model_of(objective, zero, zero, {});
  FeasibleSet& ball = *GetParam();
  const auto step = make_local_step(ball);
  Vector x = Vector::Zero(5);
  const Vector weights = Vector::Constant(5, 0.01);
  step->set_quadratic(weights);
  for (const double push : {0.3, -0.2, 0.05}) {
    const Vector b = model.linear() + Vector::LinSpaced(5, -push, push);
    const InnerResult result = step->solve(model, b, 1e-13, x);
    Vector g(5);
    Vector v(5);
    model.multiply(x, g);
    g += weights.cwiseProduct(x) + b;
    ball.linear_minimizer(g, v);
    EXPECT_LE(g.dot(x - v), 1e-12) << "the Wolfe gap, measured from outside";
    EXPECT_LE(ball.violation(x), 1e-12);
    EXPECT_LE(result.wolfe_gap, 1e-13);
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, LocalSteps,
                         ::testing::Values(std::make_shared<L1Ball>(5, 0.7), std::make_shared<L2Ball>(5, 0.3),
                                           std::make_shared<L2Ball>(5, 100.0), std::make_shared<LpBall>(5, 3.0, 0.3),
                                           std::make_shared<Simplex>(5, 0.5), std::make_shared<NuclearBall>(5, 1, 0.4)),
                         [](const auto& set) {
                           std::string name(set.param->name());
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name + "_" + std::to_string(set.index);
                         });

constexpr Count kStagesBefore = 12;

TEST(ExactPasses, AreWorthWhileWhereTheStageIsSolvedToAShareOfTheRequest) {
  const ExactPasses none;
  EXPECT_TRUE(none.is_worth_while({.rho = 0.25, .change = 1.0, .request = 1.0}, kStagesBefore));
  EXPECT_FALSE(none.is_worth_while({.rho = 0.26, .change = 1.0, .request = 1.0}, kStagesBefore));
  EXPECT_FALSE(none.is_worth_while({.rho = 0.1, .change = 1.1, .request = 1.0}, kStagesBefore));
  EXPECT_FALSE(none.is_worth_while({.rho = 0.1, .change = 0.0, .request = -1.0}, kStagesBefore)) << "nothing asked for";
}

TEST(ExactPasses, AreMadeAgainWhereTheMeasureHasHalvedOrStagesHaveDoubled) {
  ExactPasses passes;
  passes.make(0.2, kStagesBefore);
  const auto again = [&](double rho, Count stages) {
    return passes.is_worth_while({.rho = rho, .change = 0.0, .request = 1.0}, stages);
  };
  EXPECT_FALSE(again(0.11, kStagesBefore + 1));
  EXPECT_TRUE(again(0.1, kStagesBefore + 1));
  EXPECT_FALSE(again(0.2, 2 * kStagesBefore - 1));
  EXPECT_TRUE(again(0.2, 2 * kStagesBefore));
}

TEST(ExactPasses, MayTellMoreOncePerStage) {
  ExactPasses passes;
  EXPECT_TRUE(passes.may_tell_more(kStagesBefore));
  passes.make(0.2, kStagesBefore);
  EXPECT_FALSE(passes.may_tell_more(kStagesBefore));
  EXPECT_TRUE(passes.may_tell_more(kStagesBefore + 1));
}

TEST(ExactPasses, ShowNoMoreWhereTheCertificateHasFailedByRounding) {
  ExactPasses passes;
  EXPECT_FALSE(passes.may_show_more(1e-3, 1.0, false)) << "next to nothing";
  EXPECT_TRUE(ExactPasses().may_show_more(0.2, 1.0, false)) << "the first";
  EXPECT_TRUE(ExactPasses().may_show_more(2.0, 1.0, false));

  ExactPasses again;
  again.make(0.2, kStagesBefore);
  EXPECT_TRUE(again.may_show_more(0.1, 1.0, false)) << "half of what it was";
  EXPECT_FALSE(again.may_show_more(0.06, 1.0, false));
  EXPECT_TRUE(again.may_show_more(0.6, 1.0, false)) << "the measure itself is in the way";
  EXPECT_FALSE(again.may_show_more(0.6, 1.0, true)) << "and will stay there, where it is rounding";

  ExactPasses falling;
  EXPECT_TRUE(falling.may_show_more(64.0, 1.0, true));
  falling.make(0.2, kStagesBefore);
  EXPECT_TRUE(falling.may_show_more(16.0, 1.0, true))
      << "a quarter of where the last pass was, whatever its model said";
}

TEST(ExactPasses, AreInVainWhereNothingFallsAndTheCertificateFails) {
  ExactPasses next_to_nothing;
  EXPECT_FALSE(next_to_nothing.was_in_vain(1e-4, 1.0, 1.0)) << "the first";
  EXPECT_FALSE(next_to_nothing.was_in_vain(1e-4, 0.4, 1.0)) << "the residual has halved";
  EXPECT_TRUE(next_to_nothing.was_in_vain(0.0, 0.4, 1.0));

  ExactPasses share;
  EXPECT_FALSE(share.was_in_vain(0.3, 1.0, 1.0)) << "the measure is in the way";
  EXPECT_FALSE(share.was_in_vain(0.2, 1.0, 1.0));
  EXPECT_FALSE(share.was_in_vain(0.2, 1.0, 1.0));
  EXPECT_FALSE(share.was_in_vain(0.09, 1.0, 1.0)) << "the measure has halved";
  EXPECT_FALSE(share.was_in_vain(0.09, 1.0, 1.0));
  EXPECT_FALSE(share.was_in_vain(0.09, 1.0, 1.0));
  EXPECT_TRUE(share.was_in_vain(0.09, 1.0, 1.0));
}

class UpperBoundOf : public ::testing::TestWithParam<std::shared_ptr<const Loss>> {};

TEST_P(UpperBoundOf, ValuesNearbyHoldsAndIsTight) {
  Rows table = testing::toy_rows();
  const Index outputs = GetParam()->outputs();
  for (std::size_t r = 0; outputs > 1 && r < table.labels.size(); ++r) {
    table.labels[r] = static_cast<double>(r % 3);
  }
  RowObjective objective(std::make_shared<MemorySource>(std::move(table)), GetParam());
  RandomStream random(7, Purpose::kTest);
  for (const double distance : {1e-6, 1e-3, 0.1, 1.0, 30.0}) {
    SCOPED_TRACE(distance);
    Vector x(objective.dimension());
    Vector y(objective.dimension());
    for (Index j = 0; j < x.size(); ++j) {
      x(j) = random.uniform(-1.0, 1.0);
      y(j) = x(j) + distance * random.uniform(-1.0, 1.0);
    }
    const LocalModel model = model_of(objective, x, x, {});
    const double value = objective.value(AccessPurpose::kTrace, y) + 0.05 * y.squaredNorm();
    const double bound = upper_bound_from_model(model, x, y);
    EXPECT_GE(bound, value - 1e-12);
    EXPECT_LE(bound - value, 10.0 * (x - y).squaredNorm()) << "of second order";
  }
}

INSTANTIATE_TEST_SUITE_P(Losses, UpperBoundOf,
                         ::testing::Values(std::make_shared<Logistic>(), std::make_shared<Huber>(0.5),
                                           std::make_shared<SmoothedHinge>(1.0), std::make_shared<Softmax>(3)));

/// f' of an objective of one number.
double slope_at(RowObjective& objective, double x) {
  Vector g(1);
  objective.gradient(AccessPurpose::kTrace, Vector::Constant(1, x), g);
  return g(0);
}

TEST(LocalModel, OfRowsThatMovedHasTheMeanCurvatureOfTheWayAheadUnlessItIsToBeExact) {
  RowObjective objective(std::make_shared<MemorySource>(testing::toy_rows(1, 1)), std::make_shared<Logistic>());
  const std::vector<Index> row{0};
  const auto diagonal_after = [&](double move, bool exact) {
    LocalModel model(objective, 0.0);
    const auto touch = [&](double x, bool again) {
      objective.touch(AccessPurpose::kGradient, Vector::Constant(1, x), row,
                      [&](const TouchedRows& rows) { model.touch(rows, again, again && exact); });
    };
    touch(1.0 - move, false);
    touch(1.0, true);
    model.finish_touch();
    return model.diagonal(0);
  };
  const auto slope = [&](double x) { return slope_at(objective, x); };
  constexpr double kStep = 1e-5;
  const double here = (slope(1.0 + kStep) - slope(1.0 - kStep)) / (2.0 * kStep);
  EXPECT_NEAR(diagonal_after(3.0, false), (slope(4.0) - slope(1.0)) / 3.0, 1e-12);
  EXPECT_NEAR(diagonal_after(-3.0, false), (slope(1.0) - slope(-2.0)) / 3.0, 1e-12);
  EXPECT_NEAR(diagonal_after(3.0, true), here, 1e-7);
  EXPECT_NEAR(diagonal_after(1e-9, false), here, 1e-7);
}

TEST(LocalModel, OfARowThatTurnedBackHasTheMeanCurvatureOfTheWayThatItCame) {
  RowObjective objective(std::make_shared<MemorySource>(testing::toy_rows(1, 1)), std::make_shared<Logistic>());
  const std::vector<Index> row{0};
  LocalModel model(objective, 0.0);
  const auto diagonal_after = [&](double x, bool again) {
    objective.touch(AccessPurpose::kGradient, Vector::Constant(1, x), row,
                    [&](const TouchedRows& rows) { model.touch(rows, again); });
    model.finish_touch();
    return model.diagonal(0);
  };
  const auto slope = [&](double x) { return slope_at(objective, x); };
  diagonal_after(0.0, false);
  EXPECT_NEAR(diagonal_after(3.0, true), (slope(6.0) - slope(3.0)) / 3.0, 1e-12) << "ahead";
  EXPECT_NEAR(diagonal_after(-1.0, true), (slope(3.0) - slope(-1.0)) / 4.0, 1e-12) << "turned: where it came from";
  EXPECT_NEAR(diagonal_after(-2.0, true), (slope(-2.0) - slope(-3.0)) / 1.0, 1e-12) << "goes on: ahead again";
}

TEST(CurvatureBound, IsBelowTheMinimumAndAboveTheTangents) {
  RowObjective objective(std::make_shared<MemorySource>(testing::toy_rows()), std::make_shared<Logistic>());
  RandomStream random(3, Purpose::kTest);
  L1Ball ball(5, 2.0);
  for (int trial = 0; trial < 20; ++trial) {
    Vector x(5);
    Vector w(5);
    for (Index j = 0; j < 5; ++j) {
      x(j) = random.uniform(-0.4, 0.4);
      w(j) = random.uniform(-0.1, 0.1);
    }
    const LocalModel model = model_of(objective, x, x, {});
    const double bound = lower_bound_from_model(model, ball, x, w);
    Vector g(5);
    Vector v(5);
    model.gradient(x, g);
    g += w;
    ball.linear_minimizer(g, v);
    EXPECT_GE(bound, model.value(x) + w.dot(x) - g.dot(x - v) - 1e-12);
    for (int point = 0; point < 200; ++point) {
      Vector y(5);
      for (Index j = 0; j < 5; ++j) {
        y(j) = random.uniform(-2.0, 2.0);
      }
      ball.project(y, y);
      const double there = objective.value(AccessPurpose::kTrace, y) + 0.05 * y.squaredNorm() + w.dot(y);
      ASSERT_LE(bound, there + 1e-12);
    }
  }
}

TEST(CurvatureBound, ShareOfCurvatureFallsWithTheDistance) {
  EXPECT_DOUBLE_EQ(least_curvature_share(0.0), 1.0);
  EXPECT_NEAR(least_curvature_share(1e-4), 1.0 - 1e-4 / 3.0, 1e-7);
  EXPECT_NEAR(least_curvature_share(20.0), 2.0 * 19.0 / 400.0, 1e-9);
}

}  // namespace
}  // namespace slidemesh
