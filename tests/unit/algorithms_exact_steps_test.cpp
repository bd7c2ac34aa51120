// The local steps over boxes and balls, on quadratics whose columns are seven orders of magnitude apart.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "slidemesh/algorithms/ball_step.h"
#include "slidemesh/algorithms/box_step.h"
#include "slidemesh/algorithms/local_step.h"
#include "slidemesh/base/random.h"
#include "slidemesh/sets/combinators.h"
#include "slidemesh/sets/norm_balls.h"
#include "support/state_copy.h"

namespace slidemesh {
namespace {

constexpr Index kSize = 12;

/// D A D with A = I + rows of numbers in -1 .. 1 and D from 1e-3 to 1e4, in no order.
Matrix badly_scaled(Index n, std::uint32_t which) {
  RandomStream random(5, Purpose::kTest, which);
  Matrix rows(2 * n, n);
  for (double& one : rows.reshaped()) {
    one = random.uniform(-1.0, 1.0);
  }
  Matrix Q = rows.transpose() * rows / static_cast<double>(n);
  Vector scale(n);
  for (double& one : scale) {
    one = std::pow(10.0, random.uniform(-3.0, 4.0));
  }
  Q = scale.asDiagonal() * Q * scale.asDiagonal();
  return 0.5 * (Q + Q.transpose());
}

Vector random_vector(Index n, double size, std::uint32_t which) {
  RandomStream random(6, Purpose::kTest, which);
  Vector v(n);
  for (double& one : v) {
    one = random.uniform(-size, size);
  }
  return v;
}

std::unique_ptr<FeasibleSet> ball_and_box(Index ball, Index box) {
  std::vector<std::unique_ptr<FeasibleSet>> parts;
  parts.push_back(std::make_unique<LinfBall>(box, 0.2));
  parts.push_back(shifted(std::make_unique<L2Ball>(ball, 0.7), Vector::LinSpaced(ball, -1.0, 1.0)));
  return std::make_unique<ProductSet>(std::move(parts));
}

using Made = std::unique_ptr<FeasibleSet> (*)();
struct Case {
  const char* name;
  Made make;
};

class ExactSteps : public ::testing::TestWithParam<Case> {};

/// The Wolfe gap, measured from outside, against what its terms round to.
void expect_minimum(const DenseQuadratic& model, const Vector& weights, const Vector& b, FeasibleSet& set,
                    const Vector& x) {
  Vector g(x.size());
  Vector v(x.size());
  model.multiply(x, g);
  g += weights.cwiseProduct(x) + b;
  set.linear_minimizer(g, v);
  const Vector terms = model.matrix.cwiseAbs() * x.cwiseAbs() + b.cwiseAbs();
  EXPECT_LE(g.dot(x - v), 1e-14 * terms.dot(x.cwiseAbs() + v.cwiseAbs())) << "the Wolfe gap";
  EXPECT_LE(set.violation(x), 1e-14);
}

TEST_P(ExactSteps, AreExactHoweverColumnsAreScaled) {
  const auto set = GetParam().make();
  const auto step = make_local_step(*set);
  Vector x(kSize);
  set->start(x);
  DenseQuadratic model;
  for (std::uint32_t which = 0; which < 20; ++which) {
    model.matrix = badly_scaled(kSize, which);
    const Vector weights = 1e-3 * model.matrix.diagonal();
    step->set_quadratic(weights);
    for (std::uint32_t round = 0; round < 5; ++round) {
      SCOPED_TRACE(std::to_string(which) + ", " + std::to_string(round));
      const Vector target = random_vector(kSize, round < 2 ? 5.0 : 0.3, 100 * which + round);
      const Vector b = -(model.matrix * target);
      step->solve(model, b, 0.0, x);
      expect_minimum(model, weights, b, *set, x);
    }
  }
}

TEST_P(ExactSteps, GoOnFromACheckpointWithTheSameBits) {
  const auto set = GetParam().make();
  const auto step = make_local_step(*set);
  const auto resumed = make_local_step(*set);
  Vector x(kSize);
  set->start(x);
  DenseQuadratic model;
  model.matrix = badly_scaled(kSize, 3);
  step->set_quadratic(1e-3 * model.matrix.diagonal());
  for (std::uint32_t round = 0; round < 8; ++round) {
    const Vector b = -(model.matrix * random_vector(kSize, 2.0, round));
    if (round >= 4) {
      if (round == 4) {
        testing::copy_state(*step, *resumed);
      }
      Vector y = x;
      resumed->solve(model, b, 0.0, y);
      step->solve(model, b, 0.0, x);
      ASSERT_EQ(x, y);
    } else {
      step->solve(model, b, 0.0, x);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Sets, ExactSteps,
    ::testing::Values(Case{"box", [] { return std::unique_ptr<FeasibleSet>(std::make_unique<LinfBall>(kSize, 0.5)); }},
                      Case{"ball", [] { return std::unique_ptr<FeasibleSet>(std::make_unique<L2Ball>(kSize, 0.5)); }},
                      Case{"ball_around_its_minimum",
                           [] { return std::unique_ptr<FeasibleSet>(std::make_unique<L2Ball>(kSize, 50.0)); }},
                      Case{"ball_beside_a_box", [] { return ball_and_box(9, 3); }},
                      Case{"free_row",
                           [] {
                             return std::unique_ptr<FeasibleSet>(
                                 std::make_unique<FreeRowSet>(std::make_unique<L2Ball>(9, 0.5), 3, 0.3));
                           }}),
    [](const auto& parameter) { return std::string(parameter.param.name); });

/// An answer well inside is a mixture of vertices that cancel to a millionth of their length.
TEST(VerticesThatCancel, LeaveTheAnswerToItsOwnRounding) {
  L1Ball ball(kSize, 1e6);
  const auto step = make_local_step(ball);
  Vector x(kSize);
  ball.start(x);
  DenseQuadratic model;
  model.matrix = badly_scaled(kSize, 0).cwiseSign() + 20.0 * Matrix::Identity(kSize, kSize);
  model.matrix = 0.5 * (model.matrix + model.matrix.transpose()).eval();
  const Vector weights = Vector::Ones(kSize);
  step->set_quadratic(weights);
  for (std::uint32_t round = 0; round < 5; ++round) {
    SCOPED_TRACE(round);
    const Vector b = -(model.matrix * random_vector(kSize, 1.0, round));
    step->solve(model, b, 0.0, x);
    expect_minimum(model, weights, b, ball, x);
  }
}

TEST(ABallBesideABox, IsSaidInNumbers) {
  const FreeRowSet rows(std::make_unique<L2Ball>(4, 0.5), 2, 7.0);
  const auto shape = rows.box_and_ball();
  ASSERT_TRUE(shape);
  EXPECT_EQ(shape->in_ball, (std::vector<Index>{0, 1, 3, 4}));
  EXPECT_EQ(shape->radius, 0.5);
  EXPECT_EQ(shape->lower(2), -7.0);
  EXPECT_EQ(shape->upper(5), 7.0);

  const auto mirrored = std::make_unique<AffineSet>(
      std::make_unique<Box>(Vector::Constant(2, -1.0), Vector::Constant(2, 3.0)), -2.0, Vector::Constant(2, 1.0));
  EXPECT_EQ(mirrored->box_and_ball()->lower, Vector::Constant(2, -5.0));
  EXPECT_EQ(mirrored->box_and_ball()->upper, Vector::Constant(2, 3.0));

  std::vector<std::unique_ptr<FeasibleSet>> two;
  two.push_back(std::make_unique<L2Ball>(2, 1.0));
  two.push_back(std::make_unique<L2Ball>(2, 1.0));
  EXPECT_FALSE(ProductSet(std::move(two)).box_and_ball()) << "two balls";
  EXPECT_FALSE(L1Ball(3, 1.0).box_and_ball());
}

}  // namespace
}  // namespace slidemesh
