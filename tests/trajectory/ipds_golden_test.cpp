// The 60-row toy against an independent NumPy statement of the algorithm, which printed these figures.

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "slidemesh/algorithms/ipds.h"
#include "slidemesh/control/control.h"
#include "slidemesh/graphs/generators.h"
#include "slidemesh/graphs/spectrum.h"
#include "slidemesh/network/in_process.h"
#include "slidemesh/session/measures.h"
#include "slidemesh/session/reference_optimum.h"
#include "slidemesh/session/run.h"
#include "slidemesh/sets/norm_balls.h"
#include "support/tiny_problem.h"

namespace slidemesh {
namespace {

constexpr double kObjectiveTolerance = 1e-9;
constexpr double kOracleCountTolerance = 1e-3;  // relative; rounding decides the odd call of CGS

struct Golden {
  double mu;
  Gossip gossip;
  std::string inner;
  double stacked;
  double at_average;
  double consensus;
  Count rounds;
  Count linear_oracle_calls;
};

class IpdsGolden : public ::testing::TestWithParam<Golden> {};

TEST_P(IpdsGolden, MatchesTheReference) {
  const Golden& golden = GetParam();
  const Graph ring = make_graph({.kind = "ring", .nodes = 6});
  InProcessNetwork network(ring);
  const Problem problem =
      testing::make_problem(testing::toy_rows(), network, std::make_unique<L1Ball>(5, 2.0), {}, golden.mu);
  EXPECT_NEAR(problem.smoothness, 0.1940442651942369, 1e-12);

  IpdsOptions options;
  options.outer_steps = 20;
  options.R = 0.05;
  options.gossip = golden.gossip;
  options.inner = golden.inner;
  options.tolerance = 1e-4;
  options.laplacian_lambda_max = laplacian_spectrum(ring).lambda_max;
  Ipds ipds(problem, network, options);
  while (!ipds.finished()) {
    ipds.step();
  }
  const Measures measures = measure(problem, network, ipds.output());
  EXPECT_NEAR(*measures.objective_stacked, golden.stacked, kObjectiveTolerance);
  EXPECT_NEAR(*measures.objective_at_average, golden.at_average, kObjectiveTolerance);
  EXPECT_NEAR(measures.consensus_error, golden.consensus, kObjectiveTolerance);

  const MeterTotals meters = Control(network).totals();
  EXPECT_EQ(meters.data_oracle_calls, 1200);
  EXPECT_EQ(meters.data_oracle_accesses, 120);
  EXPECT_EQ(meters.communication_rounds, golden.rounds);
  EXPECT_EQ(meters.messages, golden.rounds * 12);
  EXPECT_EQ(meters.bytes_sent, golden.rounds * 12 * 5 * 8);
  EXPECT_NEAR(static_cast<double>(meters.linear_oracle_calls), static_cast<double>(golden.linear_oracle_calls),
              kOracleCountTolerance * static_cast<double>(golden.linear_oracle_calls));
}

INSTANTIATE_TEST_SUITE_P(Toy, IpdsGolden,
                         ::testing::Values(Golden{0.0, Gossip::kLaplacian, "projection", 2.4258200741421487,
                                                  2.433381929209299, 0.033545319911973286, 460, 0},
                                           Golden{0.0, Gossip::kLaplacian, "cgs", 2.426133445798055, 2.4336225182228963,
                                                  0.03291047493421913, 460, 428612},
                                           Golden{0.0, Gossip::kSqrtLaplacian, "projection", 2.423096550519977,
                                                  2.4323281755164627, 0.04429618917386309, 120, 0},
                                           Golden{0.0, Gossip::kSqrtLaplacian, "cgs", 2.423339755124868,
                                                  2.4325302269829563, 0.04370130155044337, 120, 219566},
                                           Golden{0.1, Gossip::kLaplacian, "projection", 3.1346710016256374,
                                                  3.1355951795142154, 0.0035414066981499215, 782, 0},
                                           Golden{0.1, Gossip::kLaplacian, "cgs", 3.134676024544138, 3.1356007523948213,
                                                  0.0035416025760573763, 782, 438022},
                                           Golden{0.1, Gossip::kSqrtLaplacian, "projection", 3.1344273197468704,
                                                  3.13559506071305, 0.005130775380226789, 201, 0},
                                           Golden{0.1, Gossip::kSqrtLaplacian, "cgs", 3.1344283914182727,
                                                  3.1355970503233257, 0.005133430236551139, 201, 188493}));

TEST(ReferenceOptimum, OfTheToy) {
  const Graph ring = make_graph({.kind = "ring", .nodes = 6});
  for (const auto& [mu, optimum] : {std::pair{0.0, 2.40935418238457}, std::pair{0.1, 3.135594598873197}}) {
    InProcessNetwork network(ring);
    const Problem problem =
        testing::make_problem(testing::toy_rows(), network, std::make_unique<L1Ball>(5, 2.0), {}, mu);
    const ReferenceOptimum found = reference_optimum(problem, network);
    EXPECT_TRUE(found.reached);
    EXPECT_NEAR(found.value, optimum, 1e-10);
    EXPECT_LE(found.lower_bound, found.value);
    EXPECT_EQ(Control(network).totals(), MeterTotals{}) << "measuring must not be charged";
  }
}

}  // namespace
}  // namespace slidemesh
