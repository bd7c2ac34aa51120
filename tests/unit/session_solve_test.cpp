#include "slidemesh/session/solve.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "slidemesh/base/errors.h"
#include "slidemesh/data/formats/libsvm.h"
#include "slidemesh/graphs/generators.h"
#include "slidemesh/losses/registry.h"
#include "slidemesh/network/in_process.h"
#include "slidemesh/session/measures.h"
#include "slidemesh/session/reference_optimum.h"
#include "slidemesh/sets/norm_balls.h"
#include "slidemesh/sets/simplices.h"
#include "support/error_text.h"
#include "support/tiny_problem.h"

namespace slidemesh {
namespace {

class Solve : public ::testing::Test {
 protected:
  Solve() : graph_(make_graph({.kind = "ring", .nodes = 4})) {
    const Rows rows = testing::toy_rows();
    std::vector<Rows> tables;
    for (Index node = 0; node < 4; ++node) {
      std::vector<Index> own;
      for (Index r = 15 * node; r < 15 * (node + 1); ++r) {
        own.push_back(r);
      }
      tables.push_back(select_rows(rows, own));
    }
    problem_ = make_problem(row_objectives(std::move(tables), make_loss({})), std::make_shared<L1Ball>(5, 2.0));
  }

  Graph graph_;
  Problem problem_;
};

TEST_F(Solve, ReachesTheOptimumWithEachMethodThatCertifies) {
  InProcessNetwork network(graph_);
  const double optimum = reference_optimum(problem_, network).value;
  for (const char* method : {"", "newton-sliding", "ipds-vr", "ipds-restarted", "centralized-fista"}) {
    SolveOptions options{.method = method};
    options.stop.certified_gap = 1e-4;
    const Solution solution = solve(problem_, graph_, options);
    EXPECT_EQ(solution.status, Status::kTargetReached) << method;
    EXPECT_LE(*solution.last.measures.objective_at_average - optimum, 1e-4 * 4.0) << method;
    EXPECT_EQ(solution.x.size(), 5);
    EXPECT_EQ(solution.columns.cols(), 4);
  }
}

TEST_F(Solve, FillsInWhatAForgottenValueWouldBreak) {
  EXPECT_GT(problem_.smoothness, 0.0);
  EXPECT_TRUE(problem_.set(0).contains(problem_.start));
  EXPECT_GT(solve(problem_, graph_, {.method = "ipds", .outer_steps = 3}).last.meters.communication_rounds, 0)
      << "lambda_max by the degree bound";
}

/// Multipliers that nearly cancel sum to zero up to rounding alone, which must not be taken for a bound.
TEST(Certificates, HoldWhereMultipliersAreHuge) {
  constexpr int kNodes = 4;
  std::vector<Rows> tables;
  for (int node = 0; node < kNodes; ++node) {
    std::string text;
    for (int r = 10 * node; r < 10 * (node + 1); ++r) {
      text += fmt::format("{} 1:{} 2:{} 3:{}\n", r % 2 == 0 ? 1 : -1, 0.1 * (r % 5), 1600000000 + 977 * (r % 7),
                          0.3 * (r % 3) - 0.2);
    }
    tables.push_back(parse_libsvm(text, "a time stamp"));
  }
  const Problem problem =
      make_problem(row_objectives(std::move(tables), make_loss({})), std::make_shared<Simplex>(3, 0.7), 1.0);
  const Graph graph = make_graph({.kind = "complete", .nodes = kNodes});
  InProcessNetwork network(graph);
  const double feasible = objective(problem, network, Vector::Unit(3, 2) * 0.7);
  for (const char* gossip : {"laplacian", "sqrt-laplacian"}) {
    const Solution solution =
        solve(problem, graph, {.method = "ipds", .keys = {{"gossip", Value{gossip}}}, .outer_steps = 96});
    ASSERT_TRUE(solution.last.lower_bound);
    EXPECT_LE(*solution.last.lower_bound, feasible) << gossip;
  }
}

TEST_F(Solve, RefusesWhatItDoesNotKnow) {
  const auto error = [&](const SolveOptions& options) {
    return testing::error_text<UsageError>([&] { static_cast<void>(solve(problem_, graph_, options)); });
  };
  EXPECT_NE(error({.method = "ipds-vrr"}).find("did you mean ipds-vr?"), std::string::npos);
  EXPECT_NE(error({.method = "ipds", .keys = {{"inne", Value{"cgs"}}}}).find("did you mean \"inner\"?"),
            std::string::npos);
  SolveOptions no_reference;
  no_reference.stop.target_gap = 1e-3;
  EXPECT_NE(error(no_reference).find("reference_optimum"), std::string::npos);
}

}  // namespace
}  // namespace slidemesh
