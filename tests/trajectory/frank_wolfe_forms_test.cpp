// Decentralized Frank-Wolfe and its descendants, and the table of derivatives by a centre, as their papers print them:
// what a method of ours computes must be the same. Least squares in an l1 ball that is active.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "slidemesh/base/random.h"
#include "support/field_forms.h"

namespace slidemesh::testing {
namespace {

constexpr double kRadius = 2.0;
constexpr int kFwSteps = 20;

/// Column by column, a vertex of the ball: all on the first coordinate of the largest slope.
Matrix vertices(const Matrix& g) {
  Matrix v = Matrix::Zero(g.rows(), g.cols());
  for (Index i = 0; i < g.cols(); ++i) {
    Index largest = 0;
    g.col(i).cwiseAbs().maxCoeff(&largest);
    v(largest, i) = g(largest, i) > 0.0 ? -kRadius : kRadius;
  }
  return v;
}

// Wai, Lafond, Scaglione and Moulines 2017, Algorithm 1.
TEST(FrankWolfeForms, Defw) {
  const Field f("path", kMu, kRadius);
  Matrix theta = f.start;
  Matrix tracked = Matrix::Zero(5, 4);
  Matrix last = tracked;
  for (int t = 1; t <= kFwSteps; ++t) {
    const Matrix mixed = theta * f.W;
    const Matrix g = f.gradient(mixed);
    tracked = ((tracked + g - last) * f.W).eval();
    last = g;
    const double gamma = 2.0 / (t + 1.0);
    theta = (1.0 - gamma) * mixed + gamma * vertices(tracked);
  }
  expect_same(f.run("defw", {}, kFwSteps), theta);
}

// Zhang, Zhou, Ge, Zheng and Wu 2022: of the tracked gradient a block is brought up to date; here the same at all
// nodes.
TEST(FrankWolfeForms, BlockDefw) {
  constexpr int kBlocks = 3;
  const Field f("path", kMu, kRadius);
  Matrix theta = f.start;
  Matrix tracked = Matrix::Zero(5, 4);
  Matrix last = tracked;
  for (int t = 1; t <= kFwSteps; ++t) {
    const Matrix mixed = theta * f.W;
    const Matrix g = f.gradient(mixed);
    const auto draw = random_bits(1, Purpose::kRowShuffle, 4, static_cast<std::uint32_t>(t), 0);
    const auto block = bits_to_index(draw, kBlocks);  // of rows 0, 1 and 2, 3 and 4
    for (Index row = 0; row < 5; ++row) {
      if (t == 1 || (row >= 5 * block / kBlocks && row < 5 * (block + 1) / kBlocks)) {
        tracked.row(row) = ((tracked.row(row) + g.row(row) - last.row(row)) * f.W).eval();
        last.row(row) = g.row(row);
      }
    }
    const double gamma = 2.0 / (t + 1.0);
    theta = (1.0 - gamma) * mixed + gamma * vertices(tracked);
  }
  expect_same(f.run("block-defw", {{"blocks", whole(kBlocks)}}, kFwSteps), theta);
}

/// What neighbours know of a variable, in units of range/127; returns the variable mixed with I − Lap/s by it.
Matrix send_and_mix(const Field& f, const Matrix& variable, double range, Matrix& sent) {
  const double unit = range / 127.0;  // eight bits, one of them the sign
  sent += unit * ((variable - sent) / unit).array().round().max(-127.0).min(127.0).matrix();
  return variable - sent * f.lap / f.spectrum.lambda_max;
}

// Xian, Huang and Huang 2021: changes are sent in a few bits; what is cut off or rounded away is sent later.
TEST(FrankWolfeForms, QuantizedDefw) {
  const Field f("path", kMu, kRadius);
  const double diameter = 2.0 * kRadius;
  Matrix theta = f.start;
  Matrix sent_theta = theta;
  Matrix tracked = Matrix::Zero(5, 4);
  Matrix last = tracked;
  Matrix sent_tracked = tracked;
  double largest = 0.0;
  for (int t = 1; t <= kFwSteps; ++t) {
    const double gamma = 2.0 / (t + 1.0);
    const Matrix mixed = send_and_mix(f, theta, 2.0 * gamma * diameter, sent_theta);
    const Matrix g = f.gradient(mixed);
    largest = t == 1 ? g.cwiseAbs().maxCoeff() : largest;
    tracked = send_and_mix(f, tracked + g - last, gamma * (largest + f.L * diameter), sent_tracked);
    last = g;
    theta = (1.0 - gamma) * mixed + gamma * vertices(tracked);
  }
  expect_same(f.run("quantized-defw", {}, kFwSteps), theta);
}

/// DVRGTFW without a full gradient after the first: SARAH's from three rows, y and x mixed as said.
Matrix dvrgtfw(const Field& f, const std::function<Matrix(const Matrix&)>& mix_points,
               const std::function<Matrix(const Matrix&)>& mix_gradients) {
  std::vector<RowDealer> dealers;
  for (Index i = 0; i < 4; ++i) {
    dealers.emplace_back(1, i, 15);
  }
  Matrix x = f.start;
  Matrix x_bar = x;
  Matrix v = Matrix::Zero(5, 4);
  Matrix y = v;
  for (int t = 1; t <= kFwSteps; ++t) {
    const Matrix last_x_bar = std::exchange(x_bar, mix_points(x));
    const Matrix last_v = v;
    if (t == 1) {
      v = f.gradient(x_bar);
    }
    for (Index i = 0; i < 4 && t > 1; ++i) {
      std::vector<Index> rows;
      dealers[static_cast<std::size_t>(i)].deal(3, rows);
      v.col(i) += gradient_of_rows(f, i, x_bar, rows) - gradient_of_rows(f, i, last_x_bar, rows) +
                  kMu * (x_bar.col(i) - last_x_bar.col(i));
    }
    y = mix_gradients(y + v - last_v);
    const double gamma = 2.0 / (t + 1.0);
    x = (1.0 - gamma) * x_bar + gamma * vertices(y);
  }
  return x;
}

TEST(FrankWolfeForms, Dvrgtfw) {
  const Field f("path", kMu, kRadius);
  const Value::Table keys = {{"batch", whole(3)}, {"epoch", whole(1'000'000)}, {"mixing_rounds", whole(2)}};
  const auto twice = [&](const Matrix& z) -> Matrix { return z * f.W * f.W; };
  expect_same(f.run("dvrgtfw", keys, kFwSteps), dvrgtfw(f, twice, twice));
}

// FastMix, of gradients alone: z_{k+1} = (1 + θ) W z_k − θ z_{k−1} with z_{−1} = z_0.
TEST(FrankWolfeForms, DvrgtfwWithFastMix) {
  const Field f("path", kMu, kRadius);
  const Matrix W = Matrix::Identity(4, 4) - f.lap / f.spectrum.lambda_max;
  const double lambda = 1.0 - f.spectrum.lambda_2 / f.spectrum.lambda_max;
  const double root = std::sqrt(1.0 - lambda * lambda);
  const double theta = (1.0 - root) / (1.0 + root);
  const auto fast = [&](const Matrix& z) -> Matrix {
    const Matrix once = (1.0 + theta) * z * W - theta * z;
    return (1.0 + theta) * once * W - theta * z;
  };
  Value::Table keys = {{"batch", whole(3)}, {"epoch", whole(1'000'000)}, {"mixing_rounds", whole(2)}};
  keys["weights"] = Value{std::string("laplacian")};
  expect_same(f.run("dvrgtfw", keys, kFwSteps), dvrgtfw(
                                                    f, [&](const Matrix& z) { return z * W * W; }, fast));
}

// Négiar et al. 2020, Algorithm 1: r from the last derivative of every row, γ_t = 2/(t + 2) from t = 0 on.
TEST(FrankWolfeForms, SagFw) {
  constexpr int kBatch = 4;
  const Field f("path", kMu, kRadius);
  RowTable table(f, 1);
  Matrix x = f.start;
  for (int t = 0; t < kFwSteps; ++t) {
    table.saga(x, kBatch);  // touches them
    const Vector r = table.mean().rowwise().mean() + kMu * x.col(0);
    x += 2.0 / (t + 2.0) * (vertices(r).replicate(1, 4) - x);
  }
  expect_same(f.run("sag-fw", {{"batch", whole(kBatch)}}, kFwSteps), x);
}

// Beck and Teboulle 2009 on F/m, its gradient summed over the tree, with the restart of O'Donoghue and Candès 2015; L
// the mean of the nodes' constants.
TEST(FrankWolfeForms, TreeFista) {
  const Field f("path");
  double L = kMu;
  for (const auto& objective : f.toy.problem.objectives) {
    L += objective->smoothness() / 4.0;
  }
  Vector x = f.start.col(0);
  Vector y = x;
  double t = 1.0;
  for (int k = 0; k < kSteps; ++k) {
    const Vector last = x;
    x = y - f.gradient(y.replicate(1, 4)).rowwise().mean() / L;
    const bool restart = (y - x).dot(x - last) > 0.0;
    const double next = restart ? 1.0 : (1.0 + std::sqrt(1.0 + 4.0 * t * t)) / 2.0;
    y = restart ? x : Vector(x + (t - 1.0) / next * (x - last));
    t = next;
  }
  expect_same(f.run("tree-fista"), x.replicate(1, 4));
  expect_same(f.run("centralized-fista"), x.replicate(1, 4));
}

// ---- the descendants of DeFW are DeFW where what they add is taken away ----

TEST(FrankWolfeForms, DvrgtfwWithFullGradientsIsDefw) {
  const Field f("path", kMu, 2.0);
  const Matrix defw = f.run("defw", {}, 40);
  EXPECT_LT((f.run("dvrgtfw", {{"epoch", whole(1)}}, 40) - defw).norm(), kClose);
  EXPECT_GT((f.run("dvrgtfw", {{"batch", whole(1)}}, 40) - defw).norm(), kClose);
}

TEST(FrankWolfeForms, BlockDefwWithOneBlockIsDefw) {
  const Field f("path", kMu, 2.0);
  EXPECT_LT((f.run("block-defw", {{"blocks", whole(1)}}, 40) - f.run("defw", {}, 40)).norm(), kClose);
}

TEST(FrankWolfeForms, QuantizedDefwWithManyBitsIsDefw) {
  const Field f("path", kMu, 2.0);
  const Matrix defw = f.run("defw", {{"weights", Value{std::string("laplacian")}}}, 40);
  const double coarse = (f.run("quantized-defw", {{"bits", whole(6)}}, 40) - defw).norm();
  const double fine = (f.run("quantized-defw", {{"bits", whole(24)}}, 40) - defw).norm();
  EXPECT_LT(fine, 1e-4);
  EXPECT_LT(fine, 0.1 * coarse);
}

// FastMix takes what it mixes beyond the neighbours' points, at the hub of a star most of all: fine for gradients, and
// not for points of X. Each node of this star has a minimum of its own, far from the others'.
TEST(FrankWolfeForms, DvrgtfwKeepsEveryNodeInTheSet) {
  constexpr Index kNodes = 8;
  const double radius = 1.0;
  Rows rows;
  rows.features = kNodes;
  for (Index i = 0; i < kNodes; ++i) {
    for (Index j = 0; j < kNodes; ++j) {
      rows.values.push_back(i == j ? 1.0 : 0.0);
    }
    rows.labels.push_back(i % 2 == 0 ? 10.0 : -10.0);
  }
  const Toy toy = make_toy(make_graph({.kind = "star", .nodes = kNodes}), std::move(rows),
                           std::make_shared<LeastSquares>(), std::make_shared<L1Ball>(kNodes, radius), 0.0);
  const auto method =
      make_named("dvrgtfw", toy, 20, {{"weights", Value{std::string("laplacian")}}, {"mixing_rounds", whole(2)}});
  while (!method->finished()) {
    method->step();
    EXPECT_LE(method->output().cwiseAbs().colwise().sum().maxCoeff(), radius * (1.0 + 1e-12))
        << "after " << method->steps_done() << " steps";
  }
}

// Several rounds bring nodes closer than one.
TEST(FrankWolfeForms, MoreRoundsOfDvrgtfwMeanLessDisagreement) {
  const Field f("path", kMu, 2.0);
  const auto disagreement = [&](const Value::Table& keys) {
    const Matrix x = f.run("dvrgtfw", keys, 40);
    return (x.colwise() - x.rowwise().mean()).norm();
  };
  const Value laplacian{std::string("laplacian")};
  const double one = disagreement({{"epoch", whole(1)}, {"weights", laplacian}});
  const double four = disagreement({{"epoch", whole(1)}, {"weights", laplacian}, {"mixing_rounds", whole(4)}});
  EXPECT_LT(four, 0.7 * one);
}

}  // namespace
}  // namespace slidemesh::testing
