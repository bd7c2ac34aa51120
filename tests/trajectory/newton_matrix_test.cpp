// Newton sliding on matrix completion over a nuclear ball: a decomposition per node and round, and one pass.

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <utility>

#include "slidemesh/algorithms/local_step.h"
#include "slidemesh/algorithms/newton_sliding.h"
#include "slidemesh/base/errors.h"
#include "slidemesh/control/control.h"
#include "slidemesh/core/wrapped_set.h"
#include "slidemesh/data/formats/synthetic.h"
#include "slidemesh/graphs/spectrum.h"
#include "slidemesh/linalg/kernels.h"
#include "slidemesh/losses/matrix_completion.h"
#include "slidemesh/session/measures.h"
#include "slidemesh/session/reference_optimum.h"
#include "slidemesh/sets/spectral.h"
#include "support/error_text.h"
#include "support/state_copy.h"
#include "support/toy_problem.h"

namespace slidemesh {
namespace {

constexpr Index kRows = 12;
constexpr Index kColumns = 9;
constexpr double kRadius = 4.0;  // less than the nuclear norm of what was observed: the ball's surface is reached

/// A nuclear ball that counts its decompositions, with those of its copies.
class CountingBall final : public WrappedSet {
 public:
  explicit CountingBall(std::shared_ptr<Count> projections)
      : WrappedSet(std::make_unique<NuclearBall>(kRows, kColumns, kRadius)), projections_(std::move(projections)) {}

  [[nodiscard]] std::unique_ptr<FeasibleSet> clone() const override { return std::make_unique<CountingBall>(*this); }
  void project(ConstVectorRef x, VectorRef nearest) override {
    ++*projections_;
    base().project(x, nearest);
  }

 private:
  std::shared_ptr<Count> projections_;
};

Rows entries() {
  SyntheticOptions options;
  options.kind = SyntheticKind::kMatrix;
  options.matrix_rows = kRows;
  options.matrix_columns = kColumns;
  options.rank = 2;
  options.rows = 60;
  return make_synthetic(options);
}

testing::Toy completion(std::shared_ptr<const FeasibleSet> set) {
  return testing::make_toy(make_graph({.kind = "ring", .nodes = 6}), entries(), std::make_shared<MatrixCompletion>(),
                           std::move(set), 0.0);
}

NewtonSlidingOptions options_for(const testing::Toy& toy) {
  const Spectrum spectrum = laplacian_spectrum(toy.network->graph());
  NewtonSlidingOptions options;
  options.laplacian_lambda_max = spectrum.lambda_max;
  options.laplacian_lambda_2 = spectrum.lambda_2;
  return options;
}

TEST(NewtonSlidingOnMatrices, TakesOnePassAndOneProjectionPerNodeAndRound) {
  const auto projections = std::make_shared<Count>(0);
  testing::Toy toy = completion(std::make_shared<CountingBall>(projections));
  const ReferenceOptimum optimum = reference_optimum(toy.problem, *toy.network);
  *projections = 0;
  NewtonSliding method(toy.problem, *toy.network, options_for(toy));
  while (!method.finished() && method.steps_done() < 400) {
    method.step();
  }
  Control control(*toy.network);
  const Measures here = measure(toy.problem, control, method.output());
  const MeterTotals totals = toy.network->meters().totals();
  EXPECT_EQ(totals.data_oracle_calls, 60);
  EXPECT_EQ(*projections, 6 * totals.communication_rounds);
  EXPECT_NEAR(*here.objective_at_average, optimum.value, 1e-8 * optimum.value);
  EXPECT_LE(here.relative_disagreement, 1e-4);
  EXPECT_LE(here.infeasibility, 1e-9);
}

TEST(NewtonSlidingOnMatrices, GoesOnFromACheckpointWithTheSameBits) {
  const auto ball = std::make_shared<NuclearBall>(kRows, kColumns, kRadius);
  testing::Toy toy = completion(ball);
  testing::Toy other = completion(ball);
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

/// H = 1 at every third entry and 0 elsewhere.
class EveryThird final : public Quadratic {
 public:
  void multiply(ConstVectorRef v, VectorRef out) const override {
    for (Index j = 0; j < v.size(); ++j) {
      out(j) = diagonal(j) * v(j);
    }
  }
  void add_elements(double s, std::span<const Index> rows, Index j, double* out) const override {
    for (std::size_t l = 0; l < rows.size(); ++l) {
      out[l] += rows[l] == j ? s * diagonal(j) : 0.0;
    }
  }
  [[nodiscard]] double diagonal(Index j) const override { return j % 3 == 0 ? 1.0 : 0.0; }
};

TEST(SplitStep, ComesToTheMinimumIfItIsAskedOftenEnough) {
  NuclearBall ball(kRows, kColumns, 2.0);
  const EveryThird model;
  const auto step = make_round_step(ball, true);
  const Index d = kRows * kColumns;
  const Vector weights = Vector::LinSpaced(d, 0.05, 0.1);
  step->set_quadratic(weights);
  Vector x = Vector::Zero(d);
  Vector b(d);
  for (Index j = 0; j < d; ++j) {
    b(j) = std::sin(static_cast<double>(j * j));
  }
  InnerResult result;
  for (int k = 0; k < 2000; ++k) {
    result = step->solve(model, b, 0.0, x);
  }
  Vector g(d);
  Vector v(d);
  model.multiply(x, g);
  g += weights.cwiseProduct(x) + b;
  ball.linear_minimizer(g, v);
  EXPECT_LE(dot(g, x) - dot(g, v), 1e-9) << "the Wolfe gap, measured from outside";
  EXPECT_LE(result.wolfe_gap, 1e-9);
  EXPECT_LE(ball.violation(x), 1e-9);
}

TEST(SplitStep, RefusesACheckpointOfAnotherSize) {
  const auto small = make_round_step(NuclearBall(2, 3, 1.0), true);
  const auto large = make_round_step(NuclearBall(4, 3, 1.0), true);
  EXPECT_THROW(testing::copy_state(*small, *large), DataError);
}

}  // namespace
}  // namespace slidemesh
