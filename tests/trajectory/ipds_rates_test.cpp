// Observed rates against the theorem's: on a small least-squares problem the gap of the average falls
// like N^-2 for mu = 0 and linearly for mu > 0; with sampled gradients, its mean over seeds as well,
// because the batches are chosen so.

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "slidemesh/algorithms/ipds.h"
#include "slidemesh/base/random.h"
#include "slidemesh/graphs/generators.h"
#include "slidemesh/graphs/spectrum.h"
#include "slidemesh/network/in_process.h"
#include "slidemesh/session/measures.h"
#include "slidemesh/session/reference_optimum.h"
#include "slidemesh/sets/norm_balls.h"
#include "support/tiny_problem.h"

namespace slidemesh {
namespace {

/// Least squares whose eigenvalues spread over four decades, so that 1/N^2 is not beaten by luck.
Rows spread_rows(Index n, Index d) {
  RandomStream random(4, Purpose::kTest);
  Rows rows;
  rows.features = d;
  for (Index r = 0; r < n; ++r) {
    double label = 0.3 * random.normal();
    for (Index c = 0; c < d; ++c) {
      const double scale = std::pow(10.0, -2.0 * static_cast<double>(c) / static_cast<double>(d - 1));
      rows.values.push_back(scale * random.normal());
      label += rows.values.back() * (c % 2 == 0 ? 3.0 : -3.0);
    }
    rows.labels.push_back(label);
  }
  return rows;
}

class IpdsRates : public ::testing::Test {
 protected:
  static constexpr Index kNodes = 6;
  static constexpr Index kDimension = 20;

  IpdsRates() : graph_(make_graph({.kind = "ring", .nodes = kNodes})), network_(graph_) {
    problem_ = testing::make_problem(spread_rows(300, kDimension), network_, std::make_unique<L1Ball>(kDimension, 30.0),
                                     {.kind = "least-squares"});
    options_.gossip = Gossip::kSqrtLaplacian;
    options_.laplacian_lambda_max = laplacian_spectrum(graph_).lambda_max;
  }

  /// |F(x̄) - F*| + |Lap x|: what the theorem bounds.
  double error_after(int steps, double optimum) {
    options_.outer_steps = steps;
    Ipds ipds(problem_, network_, options_);
    while (!ipds.finished()) {
      ipds.step();
    }
    const Measures m = measure(problem_, network_, ipds.output());
    return std::abs(*m.objective_at_average - optimum) + m.consensus_error;
  }

  Graph graph_;
  InProcessNetwork network_;
  Problem problem_;
  IpdsOptions options_;
};

TEST_F(IpdsRates, ConvexGapFallsLikeTheSquareOfTheSteps) {
  const double optimum = reference_optimum(problem_, network_).value;
  const double early = error_after(25, optimum);
  const double late = error_after(200, optimum);
  const double slope = std::log(late / early) / std::log(200.0 / 25.0);
  EXPECT_LT(slope, -1.8) << early << " after 25 steps, " << late << " after 200";
}

TEST_F(IpdsRates, StronglyConvexGapFallsLinearly) {
  problem_.mu = problem_.smoothness / 16.0;  // tau = 8, so every step should gain a factor 8/9 or better
  const double optimum = reference_optimum(problem_, network_).value;
  double before = error_after(20, optimum);
  for (const int steps : {32, 44, 56}) {
    const double now = error_after(steps, optimum);
    EXPECT_LT(now, before * std::pow(8.0 / 9.0, 12.0)) << "after " << steps << " steps";
    before = now;
  }
}

TEST_F(IpdsRates, SampledGapFallsAsTheBatchesPromise) {
  const double optimum = reference_optimum(problem_, network_).value;
  const auto mean_error = [&](int steps) {
    constexpr int kSeeds = 8;
    double sum = 0.0;
    for (int seed = 1; seed <= kSeeds; ++seed) {
      options_.seed = static_cast<std::uint64_t>(seed);
      options_.c = problem_.smoothness * problem_.smoothness / 20.0;
      options_.cap_batches = false;
      sum += error_after(steps, optimum) / kSeeds;
    }
    return sum;
  };
  const double early = mean_error(12);
  const double late = mean_error(48);
  const double slope = std::log(late / early) / std::log(48.0 / 12.0);
  EXPECT_LT(slope, -1.6) << early << " after 12 steps, " << late << " after 48";
}

}  // namespace
}  // namespace slidemesh
