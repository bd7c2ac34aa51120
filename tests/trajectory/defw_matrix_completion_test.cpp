// DeFW on its authors' own small matrix-completion instance.

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "slidemesh/algorithms/defw.h"
#include "slidemesh/control/control.h"
#include "slidemesh/losses/matrix_completion.h"
#include "support/data_dir.h"
#include "support/exact_nuclear_ball.h"
#include "support/toy_problem.h"

namespace slidemesh {
namespace {

constexpr Index kRows = 100;
constexpr Index kColumns = 250;
constexpr double kRadius = 183.6373;

// The sum of squared errors over all 5,000 entries at the network average, divided by 50, after steps
// 1 to 12; computed independently of this project.
constexpr double kExpected[] = {10.70276426, 35.92058158, 14.29270609, 24.76814418, 15.70561481, 21.54719875,
                                16.33276285, 19.9886235,  16.6375381,  19.1812688,  16.83883139, 18.60822352};
constexpr double kTolerance = 1e-6;

std::vector<MatrixEntry> read_entries(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);  // agent,row,col,noiseless,noisy; agents in order, 100 entries each
  std::vector<MatrixEntry> entries;
  while (std::getline(in, line)) {
    long agent = 0;
    long row = 0;
    long column = 0;
    double noiseless = 0.0;
    EXPECT_EQ(std::sscanf(line.c_str(), "%ld,%ld,%ld,%lf", &agent, &row, &column, &noiseless), 4);
    EXPECT_EQ(agent, static_cast<long>(entries.size() / 100));
    entries.push_back({row, column, noiseless});
  }
  return entries;
}

TEST(Defw, FollowsItsAuthorsMatrixCompletionExperiment) {
  const auto observed = testing::data_file("defw_mc_small.obs.csv");
  const auto edges = testing::data_file("defw_graph_N50.edges");
  if (!observed || !edges) {
    GTEST_SKIP() << "defw_mc_small.obs.csv and defw_graph_N50.edges are not at hand; set SLIDEMESH_DATA_DIR";
  }
  const std::vector<MatrixEntry> entries = read_entries(*observed);
  ASSERT_EQ(entries.size(), 5000U);
  const Graph graph = read_edge_list(*edges);
  ASSERT_EQ(graph.nodes(), 50);
  ASSERT_EQ(graph.edges(), 224);
  const testing::Toy toy =
      testing::make_toy(graph, entry_rows(kRows, kColumns, entries), std::make_shared<MatrixCompletion>(),
                        std::make_shared<testing::ExactNuclearBall>(kRows, kColumns, kRadius), 0.0);
  DefwOptions options;
  options.weights = Weights::kMinDegree;
  Defw defw(toy.problem, *toy.network, options);
  for (const double expected : kExpected) {
    defw.step();
    Vector average;
    Control(*toy.network).mean(defw.output(), average);  // mixing leaves the average as it is
    double sum = 0.0;
    for (const MatrixEntry& entry : entries) {
      const double error = average(entry.column * kRows + entry.row) - entry.value;
      sum += error * error;
    }
    EXPECT_NEAR(sum / 50.0, expected, kTolerance) << "step " << defw.steps_done();
  }
}

}  // namespace
}  // namespace slidemesh
