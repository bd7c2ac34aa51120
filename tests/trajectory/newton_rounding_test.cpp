// Where rounding is all that is in the way of newton-sliding: raw units, sets far larger than the way to go, starts
// that are optimal.

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "slidemesh/algorithms/newton_sliding.h"
#include "slidemesh/graphs/spectrum.h"
#include "slidemesh/losses/huber.h"
#include "slidemesh/losses/smoothed_hinge.h"
#include "slidemesh/session/run.h"
#include "slidemesh/sets/simplices.h"
#include "support/toy_problem.h"

namespace slidemesh::testing {
namespace {

constexpr int kMostSteps = 4000;

RunResult run_until_certified(Toy& toy, double gap) {
  const Spectrum spectrum = laplacian_spectrum(toy.network->graph());
  NewtonSlidingOptions options;
  options.laplacian_lambda_max = spectrum.lambda_max;
  options.laplacian_lambda_2 = spectrum.lambda_2;
  options.outer_steps = kMostSteps;
  NewtonSliding method(toy.problem, *toy.network, options);
  RunOptions stop;
  stop.every = 0;
  stop.stop.certified_gap = gap;
  return run(method, toy.problem, *toy.network, stop);
}

double passes(const Toy& toy, const RunResult& result) {
  Count rows = 0;
  for (const auto& objective : toy.problem.objectives) {
    rows += objective->rows();
  }
  return static_cast<double>(result.last.meters.data_oracle_calls) / static_cast<double>(rows);
}

/// Columns from 1e-3 to 1e4, turned by `shift` places.
Rows raw_rows(Count count, Index features, int shift) {
  Rows rows = toy_rows(count, features);
  for (std::size_t k = 0; k < rows.values.size(); ++k) {
    const auto column = (k + static_cast<std::size_t>(shift)) % static_cast<std::size_t>(features);
    rows.values[k] *= std::pow(10.0, -3.0 + 7.0 * static_cast<double>(column) / static_cast<double>(features - 1));
  }
  return rows;
}

/// The multipliers of a raw table are large, s = Σ σ C x̂ grows with every round, and w = Lap s sums to zero up to
/// rounding only.
TEST(NewtonRounding, OfMultipliersLeavesTheCertificateInRawUnits) {
  for (int shift = 0; shift < 6; ++shift) {
    for (const double radius : {1.5, 40.0}) {
      SCOPED_TRACE(std::to_string(shift) + ", " + std::to_string(radius));
      Toy toy = make_toy(make_graph({.kind = "path", .nodes = 5}), raw_rows(150, 8, shift),
                         std::make_shared<Huber>(1.0), std::make_shared<LinfBall>(8, radius), 0.0);
      EXPECT_EQ(run_until_certified(toy, 1e-6).status, Status::kTargetReached);
    }
  }
}

/// What makes the sum of the models positive definite is a share of each column's own curvature: one of the largest
/// would hold all others back.
TEST(NewtonRounding, OfTheLargestColumnIsNotWhatOthersGoBy) {
  Rows rows = toy_rows(120, 5);
  for (std::size_t k = 0; k < rows.values.size(); k += 5) {
    rows.values[k] *= 1e9;
  }
  Toy toy = make_toy(make_graph({.kind = "path", .nodes = 4}), std::move(rows), std::make_shared<Logistic>(),
                     std::make_shared<LinfBall>(5, 2.0), 0.0);
  NewtonSlidingOptions options;
  options.outer_steps = 200;
  const auto method = make_newton_sums(toy.problem, *toy.network, options);
  RunOptions stop;
  stop.every = 0;
  stop.stop.certified_gap = 1e-6;
  EXPECT_EQ(run(*method, toy.problem, *toy.network, stop).status, Status::kTargetReached);
}

/// Mixtures of an l1 ball's vertices cancel where the answer is far inside.
TEST(NewtonRounding, OfVerticesLeavesTheAnswerInsideALargePolytope) {
  for (const double radius : {1e3, 1e4, 1e5}) {
    SCOPED_TRACE(radius);
    Toy toy = make_toy(make_graph({.kind = "star", .nodes = 3}), toy_rows(150, 12), std::make_shared<Logistic>(),
                       std::make_shared<L1Ball>(12, radius), 0.1);
    EXPECT_EQ(run_until_certified(toy, 1e-6).status, Status::kTargetReached);
  }
}

/// Far from where they are flat rows have polynomials of the size of the squared radius, which leave rounding behind.
TEST(NewtonRounding, OfPolynomialsThatAreGoneLeavesTheBoundsTrue) {
  for (const double radius : {1e4, 1e5, 1e6}) {
    for (const int turn : {0, 1, 2}) {
      SCOPED_TRACE(std::to_string(radius) + ", " + std::to_string(turn));
      Rows rows = toy_rows(120, 4);
      for (std::size_t r = 0; r < rows.labels.size(); ++r) {
        rows.labels[r] = rows.values[4 * r + static_cast<std::size_t>(turn)] > 0.0 ? 1.0 : -1.0;
      }
      Toy toy = make_toy(make_graph({.kind = "ring", .nodes = 4}), std::move(rows), std::make_shared<Logistic>(),
                         std::make_shared<L2Ball>(4, radius), 0.0);
      const RunResult result = run_until_certified(toy, 1e-4);
      EXPECT_EQ(result.status, Status::kTargetReached);
      ASSERT_TRUE(result.last.lower_bound);
      EXPECT_LE(*result.last.lower_bound, 1e-9) << "F* is 0 but for rounding";
    }
  }
}

/// What can be gained is next to nothing beside F, and a share of that is rounding: it takes few looks at the data to
/// know that.
TEST(NewtonRounding, EndsARunWhoseRequestItHides) {
  for (const double reach : {1e-3, 1e-5, 1e-7}) {
    SCOPED_TRACE(reach);
    Rows rows = toy_rows(120, 3);
    for (double& label : rows.labels) {
      label *= 1e5;
    }
    Toy toy = make_toy(make_graph({.kind = "star", .nodes = 4}), std::move(rows), std::make_shared<Huber>(1.0),
                       std::make_shared<LinfBall>(3, reach), 0.0);
    const RunResult result = run_until_certified(toy, 1e-8);
    EXPECT_LE(passes(toy, result), 20.0);
    EXPECT_LT(result.last.step, kMostSteps);
  }
}

/// All rows of the first stage are flat at the start, which is then the minimum of their models: no round gains
/// anything, and the next rows are due.
TEST(NewtonRounding, EndsAStageThatBeganAtItsOptimum) {
  constexpr Index kFeatures = 10;
  Rows rows = toy_rows(400, kFeatures);
  for (double& one : rows.values) {
    one = std::abs(one) + 5.0;
  }
  for (std::size_t r = 0; r < rows.labels.size(); ++r) {
    rows.labels[r] = r % 100 == 37 ? -1.0 : 1.0;
  }
  Toy toy = make_toy(make_graph({.kind = "ring", .nodes = 4}), std::move(rows), std::make_shared<SmoothedHinge>(1.0),
                     std::make_shared<Simplex>(kFeatures, 56.0), 1e-3);
  const RunResult result = run_until_certified(toy, 1e-6);
  EXPECT_EQ(result.status, Status::kTargetReached);
}

}  // namespace
}  // namespace slidemesh::testing
