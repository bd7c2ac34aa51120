// DeFW on the entries of a matrix, with gradients where somebody has an entry: the steps of the form that keeps all of
// them, fewer bytes.

#include "slidemesh/algorithms/entry_defw.h"

#include <gtest/gtest.h>

#include <memory>

#include "slidemesh/base/errors.h"
#include "slidemesh/data/formats/synthetic.h"
#include "slidemesh/linalg/decompositions.h"
#include "slidemesh/losses/least_squares.h"
#include "slidemesh/losses/matrix_completion.h"
#include "slidemesh/sets/set_base.h"
#include "slidemesh/sets/spectral.h"
#include "support/state_copy.h"
#include "support/toy_problem.h"

namespace slidemesh {
namespace {

constexpr Index kRows = 30;
constexpr Index kColumns = 40;
constexpr Index kNodes = 6;
constexpr Index kEntries = 240;

constexpr double kRadius = 20.0;

/// The nuclear ball with an oracle that is exact and slow, and dense vertices.
class ExactBall final : public SetBase<ExactBall> {
 public:
  static constexpr std::string_view kName = "exact-ball";
  ExactBall() : SetBase(kRows * kColumns) {}

  void linear_minimizer(ConstVectorRef g, VectorRef v) override {
    const Eigen::Map<const Matrix> gradient(g.data(), kRows, kColumns);
    const Vector left = symmetric_eigen(gradient * gradient.transpose()).vectors.col(kRows - 1);
    const Vector right = (gradient.transpose() * left).normalized();
    Eigen::Map<Matrix>(v.data(), kRows, kColumns) = -kRadius * left * right.transpose();
  }
  [[nodiscard]] double violation(ConstVectorRef /*x*/) const override { return 0.0; }
  [[nodiscard]] double diameter() const override { return 2.0 * kRadius; }
  void start(VectorRef x) const override { x.setZero(); }
  [[nodiscard]] Index matrix_rows() const override { return kRows; }
};

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
    testing::Toy dense_toy = completion(std::make_shared<ExactBall>());
    DefwOptions options;
    options.mixing_rounds = rounds;
    options.oracle_share = 1e-12;
    const auto method = make_defw(toy.problem, *toy.network, options);
    ASSERT_NE(dynamic_cast<EntryDefw*>(method.get()), nullptr);
    Defw dense(dense_toy.problem, *dense_toy.network, options);
    for (int step = 0; step < 20; ++step) {  // singular vectors magnify what rounding does, from step to step
      method->step();
      dense.step();
      ASSERT_LE((method->output() - dense.output()).cwiseAbs().maxCoeff(), 1e-7) << "step " << step;
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

TEST(EntryDefw, IsNotTakenWhereARowMayHaveSeveralFeatures) {
  testing::Toy toy = testing::make_toy(make_graph({.kind = "ring", .nodes = 6}), testing::toy_rows(),
                                       std::make_shared<LeastSquares>(), std::make_shared<NuclearBall>(5, 1, 1.0), 0.0);
  EXPECT_NE(dynamic_cast<Defw*>(make_defw(toy.problem, *toy.network, {}).get()), nullptr);
}

}  // namespace
}  // namespace slidemesh
