// Newton sliding on the 60-row toy against an independent NumPy statement of it, which printed these figures, and what
// it promises: one pass where the loss is quadratic, the same bits from a checkpoint.

#include "slidemesh/algorithms/newton_sliding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "slidemesh/base/errors.h"
#include "slidemesh/base/interruption.h"
#include "slidemesh/control/control.h"
#include "slidemesh/data/formats/synthetic.h"
#include "slidemesh/graphs/spectrum.h"
#include "slidemesh/losses/least_squares.h"
#include "slidemesh/losses/logistic.h"
#include "slidemesh/losses/softmax.h"
#include "slidemesh/session/measures.h"
#include "slidemesh/session/reference_optimum.h"
#include "slidemesh/sets/combinators.h"
#include "slidemesh/sets/norm_balls.h"
#include "slidemesh/sets/smooth_balls.h"
#include "slidemesh/sets/spectral.h"
#include "support/error_text.h"
#include "support/state_copy.h"
#include "support/toy_problem.h"

namespace slidemesh {
namespace {

constexpr double kObjectiveTolerance = 1e-6;

NewtonSlidingOptions options_for(const testing::Toy& toy) {
  NewtonSlidingOptions options;
  const Spectrum spectrum = laplacian_spectrum(toy.network->graph());
  options.laplacian_lambda_max = spectrum.lambda_max;
  options.laplacian_lambda_2 = spectrum.lambda_2;
  return options;
}

Measures measured(testing::Toy& toy, NewtonSliding& method) {
  Control control(*toy.network);
  return measure(toy.problem, control, method.output());
}

TEST(NewtonSlidingGolden, MatchesTheReferenceAfterEveryStage) {
  const std::vector<std::pair<Count, double>> golden = {{48, 2.42735567},  {60, 2.41489314},  {78, 2.41238883},
                                                        {96, 2.40976213},  {114, 2.40935730}, {132, 2.40935487},
                                                        {150, 2.40935419}, {168, 2.40935418}};
  testing::Toy toy = testing::make_toy("ring", 6, 0.0);
  NewtonSlidingOptions options = options_for(toy);
  options.natural_order = true;
  options.curvature = ModelCurvature::kTaylor;
  options.theta =
      1e-11;  // the reference solves every model to 1e-6; those of the first rows are solved to the root of it
  NewtonSliding method(toy.problem, *toy.network, options);
  for (const auto& [calls, value] : golden) {
    const Count stage = method.stages_done();
    while (method.stages_done() == stage) {
      const Count expected = method.next_data_oracle_calls() + toy.network->meters().totals().data_oracle_calls;
      method.step();
      ASSERT_EQ(toy.network->meters().totals().data_oracle_calls, expected) << "a step says ahead what it will ask for";
    }
    EXPECT_EQ(toy.network->meters().totals().data_oracle_calls, calls);
    EXPECT_NEAR(*measured(toy, method).objective_at_average, value, kObjectiveTolerance);
  }
}

/// A node's rows come in parts, and a limit may fall between two of them.
TEST(NewtonSliding, ProvesNothingWhereAnExactPassWasLeftHalfDone) {
  const auto make = [] {
    return testing::make_toy(make_graph({.kind = "path", .nodes = 2}), make_synthetic({.rows = 140'000, .features = 2}),
                             std::make_shared<Logistic>(), std::make_shared<L1Ball>(2, 1.0), 0.0);
  };
  const auto begin = [](testing::Toy& toy) {
    auto method = std::make_unique<NewtonSliding>(toy.problem, *toy.network, options_for(toy));
    method->request_certificate_below(1e-2);
    return method;
  };
  testing::Toy undisturbed = make();
  const auto whole = begin(undisturbed);
  while (!whole->certificate() && whole->steps_done() < 1000) {
    whole->step();
  }
  ASSERT_TRUE(whole->certificate());
  EXPECT_TRUE(whole->certificate()->lower_bound.allFinite());

  testing::Toy toy = make();
  const auto half = begin(toy);
  while (half->steps_done() < whole->steps_done() - 1) {
    half->step();
  }
  const Interruption interruption([] { return true; });
  half->step();
  ASSERT_TRUE(interruption.was_heeded());
  ASSERT_TRUE(half->certificate());
  EXPECT_EQ(half->certificate()->lower_bound.maxCoeff(), -std::numeric_limits<double>::infinity());
}

TEST(NewtonSliding, SeesTheDataOnceWhereTheLossIsQuadratic) {
  testing::Toy toy = testing::make_toy(make_graph({.kind = "path", .nodes = 6}), testing::toy_rows(),
                                       std::make_shared<LeastSquares>(), std::make_shared<L1Ball>(5, 0.5), 0.0);
  NewtonSliding method(toy.problem, *toy.network, options_for(toy));
  while (!method.finished()) {
    method.step();
  }
  EXPECT_EQ(toy.network->meters().totals().data_oracle_calls, 60);
  testing::Toy other = testing::make_toy(make_graph({.kind = "complete", .nodes = 6}), testing::toy_rows(),
                                         std::make_shared<LeastSquares>(), std::make_shared<L1Ball>(5, 0.5), 0.0);
  NewtonSlidingOptions options = options_for(other);
  options.theta = 1e-3;
  NewtonSliding again(other.problem, *other.network, options);
  while (!again.finished()) {
    again.step();
  }
  const Measures here = measured(toy, method);
  const Measures there = measured(other, again);
  EXPECT_NEAR(*here.objective_at_average, *there.objective_at_average, 1e-9);
  EXPECT_LE(here.relative_disagreement, 1e-6);
}

/// The toy's columns times `unit` and moved by `mean`, and a column of ones.
Rows moved_columns(double unit, double mean) {
  const Rows from = testing::toy_rows(600);
  Rows rows;
  rows.features = from.features + 1;
  rows.labels = from.labels;
  for (std::size_t i = 0; i < from.values.size(); ++i) {
    rows.values.push_back(unit * (from.values[i] + mean));
    if ((i + 1) % static_cast<std::size_t>(from.features) == 0) {
      rows.values.push_back(1.0);
    }
  }
  return rows;
}

/// Beside a column of ones a column says the same in any unit and around any mean. Where the constraint is out of reach
/// neither may cost many rounds.
TEST(NewtonSliding, DoesNotCareAboutUnitsAndMeansOfColumns) {
  const auto rounds_for = [](double unit, double mean) {
    constexpr double kOutOfReach = 1e5;
    constexpr double kGap = 1e-6;
    testing::Toy toy =
        testing::make_toy(make_graph({.kind = "path", .nodes = 6}), moved_columns(unit, mean),
                          std::make_shared<LeastSquares>(), std::make_shared<L1Ball>(6, kOutOfReach), 0.0);
    const double optimum = reference_optimum(toy.problem, *toy.network).value;
    NewtonSliding method(toy.problem, *toy.network, options_for(toy));
    const Count before = toy.network->meters().totals().communication_rounds;
    while (!method.finished() && (method.steps_done() == 0 ||
                                  *measured(toy, method).objective_at_average > optimum + kGap * std::abs(optimum))) {
      method.step();
    }
    return toy.network->meters().totals().communication_rounds - before;
  };
  const Count plain = rounds_for(1.0, 0.0);
  EXPECT_LE(rounds_for(1e-2, 0.0), 2 * plain);
  EXPECT_LE(rounds_for(1.0, 10.0), 2 * plain);
  EXPECT_LE(rounds_for(1e-2, 10.0), 2 * plain);
}

/// From where the losses are nearly flat a Newton step goes from one end of the set to the other, until rounding
/// happens to lead it out. The trust region ends that, and so do curvatures over the way that a row came where it
/// turned back.
TEST(NewtonSliding, IsHeldBackWhereItsModelsPromiseTooMuch) {
  constexpr int kMostStages = 200;
  const auto stages_for = [](bool damps, ModelCurvature curvature) {
    constexpr double kRadius = 100.0;
    constexpr double kGap = 1e-6;
    testing::Toy toy = testing::make_toy(make_graph({.kind = "ring", .nodes = 6}), testing::toy_rows(),
                                         std::make_shared<Logistic>(), std::make_shared<L2Ball>(5, kRadius), 0.0);
    const double optimum = reference_optimum(toy.problem, *toy.network).value;
    toy.problem.start = Vector::Constant(5, kRadius / std::sqrt(5.0));
    NewtonSlidingOptions options = options_for(toy);
    options.damps = damps;
    options.curvature = curvature;
    NewtonSliding method(toy.problem, *toy.network, options);
    Count measured_at = 0;
    while (!method.finished() && method.stages_done() < kMostStages && method.steps_done() < 16000) {
      method.step();
      if (method.stages_done() > measured_at) {
        measured_at = method.stages_done();
        if (*measured(toy, method).objective_at_average - optimum <= kGap) {
          return measured_at;
        }
      }
    }
    return Count{kMostStages};
  };
  const Count held_back = stages_for(true, ModelCurvature::kTaylor);
  EXPECT_LT(held_back, kMostStages / 2);
  EXPECT_GT(stages_for(false, ModelCurvature::kTaylor), 2 * held_back);
  EXPECT_LT(stages_for(false, ModelCurvature::kSecant), kMostStages);
  EXPECT_LT(stages_for(true, ModelCurvature::kSecant), kMostStages);
}

/// A few rows that are a thousand times as long as others are flat nearly everywhere, and stages that trust their
/// polynomials lead astray again and again: from the same place to the same place, where nothing damps them.
TEST(NewtonSliding, EndsWhereRowsHaveHeavyTails) {
  constexpr Index kFeatures = 12;
  constexpr Count kRows = 300;
  Rows table = make_synthetic({.rows = kRows, .features = kFeatures, .noise = 3.0, .positive = 0.5});
  for (Count r = 0; r < kRows; ++r) {
    const Count rank = r * 7 % kRows + 1;
    const double length = std::pow(static_cast<double>(kRows) / static_cast<double>(rank), 2.0);
    for (Index j = 0; j < kFeatures; ++j) {
      table.values[static_cast<std::size_t>(kFeatures * r + j)] *= length;
    }
  }
  testing::Toy toy = testing::make_toy(make_graph({.kind = "ring", .nodes = 3}), std::move(table),
                                       std::make_shared<Logistic>(), std::make_shared<L1Ball>(kFeatures, 30.0), 0.0);
  const double optimum = reference_optimum(toy.problem, *toy.network).value;
  NewtonSliding method(toy.problem, *toy.network, options_for(toy));
  while (!method.finished() && method.steps_done() < 2000) {
    method.step();
  }
  EXPECT_NEAR(*measured(toy, method).objective_at_average, optimum, 1e-6 * optimum);
}

/// Where nodes agree, how far the multipliers move is nothing but rounding. Weights that went by it grew without end.
TEST(NewtonSliding, IsNotLedByRoundingOverAHugeSet) {
  testing::Toy toy = testing::make_toy(make_graph({.kind = "complete", .nodes = 10}), testing::toy_rows(),
                                       std::make_shared<Logistic>(), std::make_shared<L1Ball>(5, 1e6), 1e-3);
  const double optimum = reference_optimum(toy.problem, *toy.network).value;
  NewtonSliding method(toy.problem, *toy.network, options_for(toy));
  while (!method.finished() && method.steps_done() < 4000) {
    method.step();
  }
  EXPECT_TRUE(method.finished());
  EXPECT_NEAR(*measured(toy, method).objective_at_average, optimum, 1e-9 * optimum);
}

class CurvedSets : public ::testing::TestWithParam<std::shared_ptr<FeasibleSet>> {};

TEST_P(CurvedSets, AreSolved) {
  testing::Toy toy = testing::make_toy(make_graph({.kind = "ring", .nodes = 6}), testing::toy_rows(),
                                       std::make_shared<Logistic>(), GetParam(), 0.0);
  const double optimum = reference_optimum(toy.problem, *toy.network).value;
  NewtonSliding method(toy.problem, *toy.network, options_for(toy));
  while (!method.finished() && method.steps_done() < 400) {
    method.step();
  }
  const Measures here = measured(toy, method);
  EXPECT_NEAR(*here.objective_at_average, optimum, 1e-8 * optimum);
  EXPECT_LE(here.relative_disagreement, 1e-4);
  EXPECT_LE(here.infeasibility, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(NewtonSliding, CurvedSets,
                         ::testing::Values(std::make_shared<L2Ball>(5, 0.5), std::make_shared<L2Ball>(5, 50.0),
                                           std::make_shared<LpBall>(5, 1.5, 0.5),
                                           std::make_shared<NuclearBall>(5, 1, 0.5)));

/// Rows whose columns are up to seven orders of magnitude apart.
Rows badly_scaled_rows() {
  Rows rows = testing::toy_rows(120, 5);
  for (std::size_t k = 0; k < rows.values.size(); ++k) {
    rows.values[k] *= std::pow(10.0, -3.0 + 1.75 * static_cast<double>(k % 5));
  }
  return rows;
}

class BadlyScaled : public ::testing::TestWithParam<std::shared_ptr<FeasibleSet>> {};

TEST_P(BadlyScaled, ColumnsAreCertifiedOverBallsAndBoxes) {
  testing::Toy toy = testing::make_toy(make_graph({.kind = "ring", .nodes = 4}), badly_scaled_rows(),
                                       std::make_shared<Logistic>(), GetParam(), 0.0);
  NewtonSliding method(toy.problem, *toy.network, options_for(toy));
  double bound = -std::numeric_limits<double>::infinity();
  constexpr double kGap = 1e-6;
  while (!method.finished() && method.steps_done() < 400) {
    method.request_certificate_below(kGap);
    method.step();
    if (const auto certificate = method.certificate()) {
      bound = std::max(bound, certificate->lower_bound.sum());
    }
    if (*measured(toy, method).objective_at_average - bound <= kGap) {
      break;
    }
  }
  EXPECT_LE(*measured(toy, method).objective_at_average - bound, kGap);
  EXPECT_LE(method.steps_done(), 400);
}

INSTANTIATE_TEST_SUITE_P(NewtonSliding, BadlyScaled,
                         ::testing::Values(std::make_shared<L2Ball>(5, 5.0), std::make_shared<LinfBall>(5, 5.0)));

TEST(NewtonSliding, GoesOnFromACheckpointWithTheSameBits) {
  for (const auto& set :
       {std::shared_ptr<FeasibleSet>(std::make_shared<L1Ball>(5, 2.0)),
        std::shared_ptr<FeasibleSet>(std::make_shared<L2Ball>(5, 0.5)),
        std::shared_ptr<FeasibleSet>(std::make_shared<LinfBall>(5, 0.2)),
        std::shared_ptr<FeasibleSet>(std::make_shared<FreeRowSet>(std::make_unique<L2Ball>(4, 0.3), 1, 0.2))}) {
    SCOPED_TRACE(set->name());
    testing::Toy toy = testing::make_toy(make_graph({.kind = "path", .nodes = 6}), testing::toy_rows(),
                                         std::make_shared<Logistic>(), set, 0.01);
    testing::Toy other = testing::make_toy(make_graph({.kind = "path", .nodes = 6}), testing::toy_rows(),
                                           std::make_shared<Logistic>(), set, 0.01);
    NewtonSliding method(toy.problem, *toy.network, options_for(toy));
    NewtonSliding resumed(other.problem, *other.network, options_for(other));
    for (int step = 0; step < 9; ++step) {
      method.step();
    }
    testing::copy_state(method, resumed);
    for (int step = 0; step < 25; ++step) {
      EXPECT_EQ(method.next_data_oracle_calls(), resumed.next_data_oracle_calls());
      method.step();
      resumed.step();
      ASSERT_EQ(method.output(), resumed.output()) << "step " << step;
    }
    EXPECT_GT(method.stages_done(), 2);
  }
}

/// The metric has a vector's square for each output, and the checkpoint how many outputs there are.
TEST(NewtonSliding, GoesOnFromACheckpointOfSeveralOutputsWithTheSameBits) {
  static constexpr Index kClasses = 3;
  const auto make = [] {
    Rows rows = testing::toy_rows(120);
    for (std::size_t r = 0; r < rows.labels.size(); ++r) {
      rows.labels[r] = static_cast<double>(r * r % kClasses);
    }
    for (double& value : rows.values) {
      value += 3.0;
    }
    return testing::make_toy(make_graph({.kind = "path", .nodes = 4}), std::move(rows),
                             std::make_shared<Softmax>(Index{kClasses}), std::make_shared<L1Ball>(5 * kClasses, 2.0),
                             0.0);
  };
  testing::Toy toy = make();
  testing::Toy other = make();
  NewtonSliding method(toy.problem, *toy.network, options_for(toy));
  NewtonSliding resumed(other.problem, *other.network, options_for(other));
  for (int step = 0; step < 9; ++step) {
    method.step();
  }
  testing::copy_state(method, resumed);
  for (int step = 0; step < 25; ++step) {
    method.step();
    resumed.step();
    ASSERT_EQ(method.output(), resumed.output()) << "step " << step;
  }
}

TEST(NewtonSliding, CertifiesFromCurvatureWithOneExactPass) {
  constexpr double kOptimum = 2.40935418238457;  // of the NumPy reference
  constexpr double kGap = 1e-5;
  testing::Toy toy = testing::make_toy("ring", 6, 0.0);
  NewtonSliding method(toy.problem, *toy.network, options_for(toy));
  bool is_certified = false;
  while (!is_certified && !method.finished()) {
    method.request_certificate_below(kGap);
    method.step();
    if (const auto certificate = method.certificate()) {
      const double bound = certificate->lower_bound.sum();
      EXPECT_LE(bound, kOptimum + 1e-12);
      is_certified = *measured(toy, method).objective_at_average - bound <= kGap;
    }
  }
  EXPECT_TRUE(is_certified);
  EXPECT_LE(toy.network->meters().totals().data_oracle_calls, 60 * 5);
}

/// A request that rounding leaves no hope for ends the run where nothing is left to gain, with the best bound there is.
TEST(NewtonSliding, CertifiesWhatItCanBeforeItEnds) {
  testing::Toy toy = testing::make_toy("ring", 6, 0.0);
  NewtonSliding method(toy.problem, *toy.network, options_for(toy));
  method.request_certificate_below(1e-15);
  double bound = -std::numeric_limits<double>::infinity();
  while (!method.finished() && method.steps_done() < 1000) {
    method.step();
    if (const auto certificate = method.certificate()) {
      bound = std::max(bound, certificate->lower_bound.sum());
    }
  }
  EXPECT_TRUE(method.finished());
  EXPECT_NEAR(*measured(toy, method).objective_at_average, bound, 1e-9);
}

/// No smoothness constant is computed first, which would have refused such rows.
TEST(NewtonSliding, RefusesNumbersThatCannotBeSquared) {
  for (const double huge : {1e150, 1e200, 1e300}) {
    SCOPED_TRACE(huge);
    auto table = std::make_shared<Rows>(testing::toy_rows());
    for (Index r = 0; r < table->count(); ++r) {
      table->values[static_cast<std::size_t>(5 * r + 2)] *= huge;
    }
    testing::Toy toy = testing::make_toy("ring", 6, 0.0);
    for (Index i = 0; i < 6; ++i) {
      toy.problem.objectives[static_cast<std::size_t>(i)] = std::make_shared<RowObjective>(
          std::make_shared<MemorySource>(table, 10 * i, 10), std::make_shared<Logistic>());
    }
    NewtonSliding method(toy.problem, *toy.network, options_for(toy));
    const std::string error = testing::error_text<DataError>([&] { method.step(); });
    EXPECT_NE(error.find("node 0: feature 3: expected numbers whose squares"), std::string::npos) << error;
  }
}

TEST(NewtonSliding, TakesColumnsOfVeryDifferentUnits) {
  for (const double unit : {1e-200, 1e-60, 1e6}) {
    SCOPED_TRACE(unit);
    Rows table = testing::toy_rows();
    for (Index r = 0; r < table.count(); ++r) {
      table.values[static_cast<std::size_t>(5 * r + 2)] *= unit;
    }
    testing::Toy toy = testing::make_toy(make_graph({.kind = "ring", .nodes = 6}), std::move(table),
                                         std::make_shared<Logistic>(), std::make_shared<L1Ball>(5, 2.0), 0.0);
    NewtonSlidingOptions options = options_for(toy);
    NewtonSliding method(toy.problem, *toy.network, options);
    constexpr int kEnough = 500;
    while (!method.finished() && method.steps_done() < kEnough) {
      method.step();
    }
    constexpr double kWithout = 2.409355;  // the F* of the other columns, rounded up
    EXPECT_LE(*measured(toy, method).objective_at_average, kWithout);
    EXPECT_LE(measured(toy, method).relative_disagreement, 1e-4);
  }
}

TEST(NewtonSliding, HasNoCertificateUnlessOneIsWanted) {
  testing::Toy toy = testing::make_toy("ring", 6, 0.0);
  NewtonSliding method(toy.problem, *toy.network, options_for(toy));
  while (!method.finished()) {
    method.step();
    EXPECT_FALSE(method.certificate());
  }
}

}  // namespace
}  // namespace slidemesh
