#include "slidemesh/core/objective.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <memory>
#include <numeric>

#include "slidemesh/base/random.h"
#include "slidemesh/control/control.h"
#include "slidemesh/core/data_oracle.h"
#include "slidemesh/core/variance_reduction.h"
#include "slidemesh/graphs/generators.h"
#include "slidemesh/linalg/parallel.h"
#include "slidemesh/losses/logistic.h"
#include "slidemesh/network/in_process.h"
#include "slidemesh/sets/norm_balls.h"
#include "support/tiny_problem.h"

namespace slidemesh {
namespace {

Rows random_rows(Index n, Index d, double density, int classes = 0) {
  RandomStream random(5, Purpose::kTest);
  Rows rows;
  rows.features = d;
  rows.offsets.push_back(0);
  for (Index r = 0; r < n; ++r) {
    for (Index c = 0; c < d; ++c) {
      if (random.unit() < density) {
        rows.values.push_back(random.normal());
        rows.columns.push_back(static_cast<std::int32_t>(c));
      }
    }
    rows.offsets.push_back(static_cast<std::int64_t>(rows.values.size()));
    rows.labels.push_back(classes > 0 ? static_cast<double>(random.index(classes))
                                      : (random.unit() < 0.5 ? -1.0 : 1.0));
  }
  return rows;
}

Rows densified(const Rows& sparse) {
  Rows dense;
  dense.features = sparse.features;
  dense.labels = sparse.labels;
  dense.values.assign(static_cast<std::size_t>(sparse.count() * sparse.features), 0.0);
  for (std::size_t r = 0; r < sparse.labels.size(); ++r) {
    for (auto k = static_cast<std::size_t>(sparse.offsets[r]); k < static_cast<std::size_t>(sparse.offsets[r + 1]);
         ++k) {
      dense.values[r * static_cast<std::size_t>(sparse.features) + static_cast<std::size_t>(sparse.columns[k])] =
          sparse.values[k];
    }
  }
  return dense;
}

Vector random_vector(Index d) {
  RandomStream random(9, Purpose::kTest);
  Vector x(d);
  for (Index i = 0; i < d; ++i) {
    x(i) = random.normal();
  }
  return x;
}

class ObjectiveOf : public ::testing::TestWithParam<const char*> {
 protected:
  [[nodiscard]] static LossSpec loss() { return {.kind = GetParam(), .delta = 0.7, .gamma = 0.5, .classes = 3}; }
  [[nodiscard]] static int classes() { return std::string(GetParam()) == "softmax" ? 3 : 0; }
};

TEST_P(ObjectiveOf, GradientMatchesFiniteDifferences) {
  RowObjective f(std::make_shared<MemorySource>(random_rows(300, 12, 0.5, classes())), make_loss(loss()));
  const Vector x = random_vector(f.dimension());
  Vector g(f.dimension());
  const double value = f.gradient(AccessPurpose::kGradient, x, g);
  EXPECT_NEAR(value, f.value(AccessPurpose::kTrace, x), 1e-14 * std::abs(value));
  constexpr double kStep = 1e-6;
  for (Index i = 0; i < x.size(); ++i) {
    Vector up = x;
    Vector down = x;
    up(i) += kStep;
    down(i) -= kStep;
    const double slope = (f.value(AccessPurpose::kTrace, up) - f.value(AccessPurpose::kTrace, down)) / (2.0 * kStep);
    EXPECT_NEAR(g(i), slope, 1e-7);
  }
}

TEST_P(ObjectiveOf, SparseAndDenseRowsAgree) {
  const Rows sparse = random_rows(700, 40, 0.3, classes());
  RowObjective a(std::make_shared<MemorySource>(sparse), make_loss(loss()));
  RowObjective b(std::make_shared<MemorySource>(densified(sparse)), make_loss(loss()));
  const Vector x = random_vector(a.dimension());
  Vector ga(a.dimension());
  Vector gb(a.dimension());
  EXPECT_NEAR(a.gradient(AccessPurpose::kGradient, x, ga), b.gradient(AccessPurpose::kGradient, x, gb), 1e-12);
  EXPECT_LT((ga - gb).norm(), 1e-12);
  EXPECT_NEAR(a.smoothness(), b.smoothness(), 1e-9 * a.smoothness());
}

TEST_P(ObjectiveOf, SmoothnessBoundsTheGradientsChange) {
  RowObjective f(std::make_shared<MemorySource>(random_rows(200, 10, 0.5, classes())), make_loss(loss()));
  RandomStream random(2, Purpose::kTest);
  Vector gx(f.dimension());
  Vector gy(f.dimension());
  for (int trial = 0; trial < 100; ++trial) {
    Vector x(f.dimension());
    Vector y(f.dimension());
    for (Index i = 0; i < x.size(); ++i) {
      x(i) = random.normal();
      y(i) = x(i) + 0.1 * random.normal();
    }
    f.gradient(AccessPurpose::kGradient, x, gx);
    f.gradient(AccessPurpose::kGradient, y, gy);
    EXPECT_LE((gx - gy).norm(), f.smoothness() * (x - y).norm() * (1.0 + 1e-9));
  }
}

TEST_P(ObjectiveOf, AllRowsOnceAreTheFullGradient) {
  RowObjective f(std::make_shared<MemorySource>(random_rows(500, 8, 0.6, classes())), make_loss(loss()));
  const Vector x = random_vector(f.dimension());
  const Vector snapshot = 0.5 * x;
  Vector full(f.dimension());
  Vector at_snapshot(f.dimension());
  Vector sampled(f.dimension());
  std::vector<double> kept(static_cast<std::size_t>(f.derivative_count()));
  std::vector<Index> all(500);
  std::iota(all.rbegin(), all.rend(), Index{0});
  f.gradient(AccessPurpose::kGradient, x, full);
  f.sampled_gradient(x, all, sampled);
  EXPECT_LT((full - sampled).norm(), 1e-13);
  f.gradient(AccessPurpose::kGradient, snapshot, at_snapshot, kept);
  f.corrected_gradient(x, all, kept, sampled);
  EXPECT_LT((sampled + at_snapshot - full).norm(), 1e-13);
}

INSTANTIATE_TEST_SUITE_P(Losses, ObjectiveOf,
                         ::testing::Values("logistic", "least-squares", "huber", "smoothed-hinge", "softmax"));

TEST(Smoothness, OfManyFeaturesIsBoundedFromAboveWithinAFifthInFewPasses) {
  const Rows sparse = random_rows(150, 400, 0.05);
  RowObjective f(std::make_shared<MemorySource>(sparse), make_loss({.kind = "least-squares"}));
  const Rows dense = densified(sparse);
  const Eigen::Map<const Matrix> transposed(dense.values.data(), 400, 150);
  const Matrix gram = transposed * transposed.transpose() / 150.0;
  const double expected = Eigen::SelfAdjointEigenSolver<Matrix>(gram).eigenvalues()(399);
  EXPECT_GE(f.smoothness(), expected * (1.0 - 1e-12));
  EXPECT_LE(f.smoothness(), 1.25 * expected);
  EXPECT_LE(f.smoothness_calls(), 10 * f.rows()) << "a pass for each application to a block of vectors";
}

class OracleTest : public ::testing::Test {
 protected:
  OracleTest() : network_(make_graph({.kind = "path", .nodes = 4})) {
    problem_ = testing::make_problem(testing::toy_rows(), network_, std::make_unique<L1Ball>(5, 2.0));
  }
  InProcessNetwork network_;
  Problem problem_;
};

TEST_F(OracleTest, ChargesWhatItEvaluates) {
  DataOracle data(problem_, network_.meters(), network_.first_node(), 1);
  const Stacked x = Stacked::Zero(5, 4);
  Stacked v(5, 4);
  data.gradient(x, v);
  EXPECT_EQ(Control(network_).totals().data_oracle_calls, 60);
  EXPECT_EQ(Control(network_).totals().data_oracle_accesses, 4);
  data.sampled_gradient(x, 3, 1, true, v);
  EXPECT_EQ(Control(network_).totals().data_oracle_calls, 72);
  data.sampled_gradient(x, 15, 2, true, v);
  EXPECT_EQ(Control(network_).totals().data_oracle_calls, 132) << "a batch of all rows becomes a full pass";
  data.sampled_gradient(x, 40, 2, true, v);
  EXPECT_EQ(Control(network_).totals().data_oracle_calls, 192) << "and is charged as one";
  data.sampled_gradient(x, 40, 2, false, v);
  EXPECT_EQ(Control(network_).totals().data_oracle_calls, 352) << "unless batches are not capped";
  EXPECT_EQ(Control(network_).totals().data_oracle_accesses, 20);
}

TEST_F(OracleTest, SampledGradientIsUnbiasedAndAFunctionOfItsKey) {
  DataOracle data(problem_, network_.meters(), network_.first_node(), 1);
  const Stacked x = Stacked::Constant(5, 4, 0.3);
  Stacked exact(5, 4);
  Stacked v(5, 4);
  Stacked mean = Stacked::Zero(5, 4);
  data.gradient(x, exact);
  constexpr int kSteps = 4000;
  for (int step = 1; step <= kSteps; ++step) {
    data.sampled_gradient(x, 5, step, true, v);
    mean += v / kSteps;
  }
  EXPECT_LT((mean - exact).norm(), 0.03);
  Stacked again(5, 4);
  data.sampled_gradient(x, 5, kSteps, true, again);
  EXPECT_EQ(v, again);
  DataOracle other(problem_, network_.meters(), network_.first_node(), 2);
  other.sampled_gradient(x, 5, kSteps, true, again);
  EXPECT_NE(v, again);
}

TEST_F(OracleTest, DealsEveryRowOnceBeforeItReshuffles) {
  DataOracle data(problem_, network_.meters(), network_.first_node(), 1);
  const Stacked x = Stacked::Constant(5, 4, 0.3);
  const Stacked start = Stacked::Zero(5, 4);
  Stacked v(5, 4);
  Stacked sum = Stacked::Zero(5, 4);
  Stacked exact(5, 4);
  Vector variance(4);
  VarianceReduction reduction(data, 1);
  reduction.snapshot(start, v);
  VarianceReduction::Snapshot snapshot{start, v};
  for (int step = 0; step < 3; ++step) {
    reduction.corrected_gradient(x, std::vector<Count>(4, 5), snapshot, v, variance);
    sum += v / 3.0;
  }
  data.gradient(x, exact);
  EXPECT_LT((sum - exact).norm(), 1e-13) << "15 rows per node in three batches of five: their mean is exact";
}

TEST(Threads, DoNotChangeTheAnswer) {
  InProcessNetwork network(make_graph({.kind = "ring", .nodes = 8}));
  const Problem problem =
      testing::make_problem(random_rows(16'000, 30, 0.4), network, std::make_unique<L1Ball>(30, 2.0));
  const Stacked x = Stacked::Constant(30, 8, 0.1);
  Stacked one(30, 8);
  Stacked two(30, 8);
  DataOracle data(problem, network.meters(), network.first_node(), 1);
  set_threads(1);
  data.gradient(x, one);
  set_threads(2);
  data.gradient(x, two);
  set_threads(0);
  EXPECT_EQ(one, two);
}

/// A weight multiplies the value and everything that is derived from it, each once.
TEST(RowObjective, IsScaledByItsWeight) {
  const auto table = std::make_shared<const Rows>(random_rows(300, 6, 1.0));
  const auto loss = std::make_shared<const Logistic>();
  const auto source = [&] { return std::make_shared<MemorySource>(table, 0, 300); };
  RowObjective plain(source(), loss);
  RowObjective heavy(source(), loss, {.weight = 2.5});
  const Vector x = Vector::Constant(6, 0.2);
  const Vector at_snapshot = Vector::Constant(6, -0.1);
  const std::vector<Index> rows{3, 5, 5, 299};
  Vector g(6);
  Vector weighted(6);
  std::vector<double> derivatives(300);
  std::vector<double> same_derivatives(300);
  const auto expect_scaled = [&] { EXPECT_LT((weighted - 2.5 * g).norm(), 1e-14); };
  EXPECT_DOUBLE_EQ(heavy.value(AccessPurpose::kTrace, x), 2.5 * plain.value(AccessPurpose::kTrace, x));
  EXPECT_DOUBLE_EQ(heavy.gradient(AccessPurpose::kGradient, at_snapshot, weighted, same_derivatives),
                   2.5 * plain.gradient(AccessPurpose::kGradient, at_snapshot, g, derivatives));
  expect_scaled();
  plain.sampled_gradient(x, rows, g);
  heavy.sampled_gradient(x, rows, weighted);
  expect_scaled();
  const double squares = plain.corrected_gradient(x, rows, derivatives, g);
  EXPECT_DOUBLE_EQ(heavy.corrected_gradient(x, rows, same_derivatives, weighted), 2.5 * 2.5 * squares);
  expect_scaled();
  plain.keep_derivatives(x, rows, derivatives, g);
  heavy.keep_derivatives(x, rows, same_derivatives, weighted);
  expect_scaled();
  EXPECT_DOUBLE_EQ(heavy.smoothness(), 2.5 * plain.smoothness());
}

/// f(x) = |x - c|^2 / 2, with no rows to speak of.
TEST(FunctionObjective, IsOneDataOracleCallPerGradient) {
  InProcessNetwork network(Graph(1, {}));
  Problem problem;
  problem.objectives.push_back(std::make_shared<FunctionObjective>(2, 1.0, [](ConstVectorRef x, VectorRef g) {
    g = x - Vector::Ones(2);
    return g.squaredNorm() / 2.0;
  }));
  DataOracle data(problem, network.meters(), network.first_node(), 1);
  const Stacked x = Stacked::Zero(2, 1);
  Stacked v(2, 1);
  data.gradient(x, v);
  EXPECT_EQ(v, Stacked::Constant(2, 1, -1.0));
  EXPECT_EQ(data.values()(0), 1.0);
  EXPECT_EQ(problem.objectives[0]->value(AccessPurpose::kTrace, x.col(0)), 1.0);
  EXPECT_EQ(network.meters().totals().data_oracle_calls, 1);
  data.sampled_gradient(x, 5, 1, true, v);
  EXPECT_EQ(v, Stacked::Constant(2, 1, -1.0)) << "there is nothing to sample";
  EXPECT_EQ(network.meters().totals().data_oracle_calls, 2);
}

TEST(Smoothness, IsChargedToWhoUsesIt) {
  InProcessNetwork network(make_graph({.kind = "ring", .nodes = 4}));
  const Problem problem = testing::make_problem(testing::toy_rows(), network, std::make_unique<L1Ball>(5, 2.0));
  EXPECT_EQ(network.meters().totals().data_oracle_calls, 0);
  charge_smoothness(problem, network.meters());
  EXPECT_EQ(network.meters().totals().data_oracle_calls, 60) << "one pass made the Gram matrices";
  EXPECT_EQ(network.meters().totals().data_oracle_accesses, 4);
}

/// Remembers what it was told to ask for ahead.
class Foresight final : public LocalObjective {
 public:
  Foresight(Index rows, std::vector<std::vector<Index>>& hints) : rows_(rows), hints_(hints) {}
  [[nodiscard]] Index rows() const override { return rows_; }
  [[nodiscard]] Index dimension() const override { return 2; }
  double value(AccessPurpose, ConstVectorRef) override { return 0.0; }
  double gradient(AccessPurpose, ConstVectorRef, VectorRef g, std::span<double>) override {
    g.setZero();
    return 0.0;
  }
  void sampled_gradient(ConstVectorRef, std::span<const Index> rows, VectorRef g) override {
    drawn_.assign(rows.begin(), rows.end());
    g.setZero();
  }
  void prefetch(std::span<const Index> rows) override { hints_.emplace_back(rows.begin(), rows.end()); }
  [[nodiscard]] bool gains_from_prefetch() const override { return true; }
  [[nodiscard]] double smoothness() override { return 1.0; }
  [[nodiscard]] const std::vector<Index>& drawn() const { return drawn_; }

 private:
  Index rows_;
  std::vector<std::vector<Index>>& hints_;
  std::vector<Index> drawn_;
};

/// Small batches are asked for together, in the order in which steps will draw them; large ones one by one.
TEST(DataOracle, AsksAheadForAFewStepsAtOnce) {
  std::vector<std::vector<Index>> hints;
  const auto objective = std::make_shared<Foresight>(1000, hints);
  Problem problem;
  problem.objectives.push_back(objective);
  InProcessNetwork network(Graph(1, {}));
  DataOracle data(problem, network.meters(), network.first_node(), 3);
  constexpr int kLast = 11;
  const auto batch = [](int step) { return Count{step == 9 ? 40 : 7}; };
  std::vector<std::size_t> sizes;
  std::vector<Index> foreseen;
  std::vector<Index> drawn;
  const Stacked x = Stacked::Zero(2, 1);
  Stacked v(2, 1);
  for (int step = 1; step <= kLast; ++step) {
    data.sampled_gradient(x, batch(step), step, false, v);
    if (step > 1) {
      drawn.insert(drawn.end(), objective->drawn().begin(), objective->drawn().end());
      ASSERT_GE(foreseen.size(), drawn.size()) << step;
    }
    hints.clear();
    data.prefetch(batch, step + 1, kLast, false);
    ASSERT_LE(hints.size(), 1U);
    if (!hints.empty()) {
      sizes.push_back(hints[0].size());
      foreseen.insert(foreseen.end(), hints[0].begin(), hints[0].end());
    }
  }
  EXPECT_EQ(foreseen, drawn);
  EXPECT_EQ(sizes, (std::vector<std::size_t>{28, 21, 40, 14}));  // steps 2 to 5, 6 to 8, 9, and the last two
}

}  // namespace
}  // namespace slidemesh
