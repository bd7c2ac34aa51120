// One config, one seed, one answer: bits and meters of a run do not depend on how many ranks or threads carry it.

#include <gtest/gtest.h>

#include "mpi_fixture.h"
#include "slidemesh/linalg/parallel.h"
#include "slidemesh/network/in_process.h"
#include "toy_run.h"

namespace slidemesh {
namespace {

void expect_same(const test::ToyRun& a, const test::ToyRun& b) {
  EXPECT_EQ(a.output, b.output);
  ASSERT_EQ(a.records.size(), b.records.size());
  for (std::size_t i = 0; i < a.records.size(); ++i) {
    SCOPED_TRACE("record " + std::to_string(i));
    EXPECT_EQ(a.records[i].step, b.records[i].step);
    EXPECT_EQ(a.records[i].meters, b.records[i].meters);
    EXPECT_EQ(a.records[i].lower_bound, b.records[i].lower_bound);
    EXPECT_EQ(a.records[i].certified_gap, b.records[i].certified_gap);
    EXPECT_EQ(a.records[i].inner_wolfe_gap, b.records[i].inner_wolfe_gap);
    EXPECT_EQ(a.records[i].active_set_size, b.records[i].active_set_size);
    EXPECT_EQ(a.records[i].measures.objective_at_average, b.records[i].measures.objective_at_average);
    EXPECT_EQ(a.records[i].measures.objective_stacked, b.records[i].measures.objective_stacked);
    EXPECT_EQ(a.records[i].measures.consensus_error, b.records[i].measures.consensus_error);
    EXPECT_EQ(a.records[i].measures.relative_disagreement, b.records[i].measures.relative_disagreement);
  }
}

class SamenessTest : public testing::TestWithParam<const char*> {};

TEST_P(SamenessTest, IpdsGivesTheBitsOfTheInProcessRun) {
  const Graph graph = test::toy_graph(GetParam());
  for (const Gossip gossip : {Gossip::kLaplacian, Gossip::kSqrtLaplacian}) {
    for (const bool sampled : {false, true}) {
      for (const char* inner : {"projection", "cgs"}) {
        IpdsOptions options = test::toy_options(graph);
        options.gossip = gossip;
        options.inner = inner;
        if (sampled) {
          options.c = 0.5;
        }
        set_threads(1);
        InProcessNetwork in_process(graph);
        const test::ToyRun expected = test::run_toy(in_process, options);
        for (const int threads : {1, 2}) {
          SCOPED_TRACE(std::string(inner) + (sampled ? ", sampled, " : ", exact, ") + std::to_string(threads) +
                       " threads");
          set_threads(threads);
          const auto network = make_mpi_network(test::session(), graph);
          expect_same(test::run_toy(*network, options), expected);
        }
        set_threads(0);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Graphs, SamenessTest, testing::Values("ring", "path", "star", "complete", "erdos-renyi"));

}  // namespace
}  // namespace slidemesh
