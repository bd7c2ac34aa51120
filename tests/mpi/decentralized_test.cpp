// The claim "without a centre", checked where it cannot be argued with: at the MPI calls themselves.

#include <gtest/gtest.h>

#include <set>

#include "mpi_fixture.h"
#include "mpi_spy.h"
#include "slidemesh/control/control.h"
#include "toy_run.h"

namespace slidemesh {
namespace {

/// Ranks that own a neighbour of one of this rank's nodes.
std::set<int> neighbouring_ranks(const Network& network) {
  const MpiSession& session = test::session();
  std::set<int> ranks;
  for (Index i = 0; i < network.local_nodes(); ++i) {
    for (const Index j : network.graph().neighbours(network.global(i))) {
      ranks.insert(rank_of_node(network.nodes(), session.size(), j));
    }
  }
  ranks.erase(session.rank());
  return ranks;
}

void expect_neighbours_only(const spy::Log& log, const Network& network) {
  const std::set<int> allowed = neighbouring_ranks(network);
  EXPECT_TRUE(log.others.empty()) << "a call of MPI_" << (log.others.empty() ? "" : log.others.front());
  for (const auto& [communicator, receivers] : log.sent) {
    for (const auto& [rank, sent] : receivers) {
      EXPECT_TRUE(allowed.contains(rank))
          << "rank " << test::session().rank() << " sent to rank " << rank << " on " << communicator;
    }
  }
}

class DecentralizedTest : public testing::TestWithParam<const char*> {};

TEST_P(DecentralizedTest, StepsSendToNeighboursOnlyAndExactlyWhatTheMetersSay) {
  const Graph graph = test::toy_graph(GetParam());
  const auto network = make_mpi_network(test::session(), graph);
  const Problem problem = test::toy_problem(*network);
  const WireMeters before = Control(*network).local_wire();
  Ipds method(problem, *network, test::toy_options(graph));
  spy::clear();
  while (!method.finished()) {
    method.step();
    // What a method agrees on travels the same way.
    static_cast<void>(network->agree_max(Matrix::Ones(2, network->local_nodes())));
  }
  const spy::Log log = spy::log();
  expect_neighbours_only(log, *network);
  EXPECT_EQ(log.total("slidemesh.control").messages, 0);
  const spy::Sent seen = log.total("slidemesh.neighbours");
  const WireMeters wire = Control(*network).local_wire();
  EXPECT_EQ(wire.messages - before.messages, seen.messages);
  EXPECT_EQ(wire.bytes - before.bytes, seen.bytes);
  EXPECT_EQ(wire.control_messages, before.control_messages);
  if (test::session().size() == network->nodes()) {
    EXPECT_EQ(network->meters().totals().messages, seen.messages);
    EXPECT_EQ(network->meters().totals().bytes_sent, seen.bytes);
  } else {
    EXPECT_GE(network->meters().totals().bytes_sent, seen.bytes);
  }
}

TEST_P(DecentralizedTest, ALocalTraceNeedsNobodyButNeighbours) {
  const Graph graph = test::toy_graph(GetParam());
  const auto network = make_mpi_network(test::session(), graph);
  const Problem problem = test::toy_problem(*network);
  Ipds method(problem, *network, test::toy_options(graph));
  spy::clear();
  int records = 0;
  RunOptions run_options;
  run_options.stop.time_limit_seconds = 1000.0;
  run_options.on_record = [&](const Record& record) {
    ++records;
    EXPECT_EQ(record.meters, network->meters().totals());
  };
  run(method, problem, Control(*network, ControlScope::kThisProcess), run_options);
  EXPECT_EQ(records, 1 + test::toy_options(graph).outer_steps);
  expect_neighbours_only(spy::log(), *network);
  EXPECT_EQ(Control(*network).local_wire().control_messages, spy::log().total("slidemesh.control").messages);
}

TEST_P(DecentralizedTest, GlobalMeasuringIsCountedApart) {
  const Graph graph = test::toy_graph(GetParam());
  const auto network = make_mpi_network(test::session(), graph);
  const Problem problem = test::toy_problem(*network);
  Ipds method(problem, *network, test::toy_options(graph));
  const WireMeters before = Control(*network).local_wire();
  spy::clear();
  run(method, problem, *network, {});
  const WireMeters wire = Control(*network).local_wire();
  EXPECT_EQ(wire.control_messages - before.control_messages, spy::log().total("slidemesh.control").messages);
  EXPECT_EQ(wire.control_bytes - before.control_bytes, spy::log().total("slidemesh.control").bytes);
  EXPECT_EQ(wire.bytes - before.bytes, spy::log().total("slidemesh.neighbours").bytes);
  const WireMeters all = Control(*network).wire();
  EXPECT_GE(all.control_messages, wire.control_messages);
  if (test::session().size() == network->nodes()) {
    EXPECT_EQ(all.bytes - 8 * 2 * (network->nodes() - 1),
              Control(*network).totals().bytes_sent);  // L~ was agreed on before
  }
}

/// Half of the process's columns are at 1.5 and half at 0.5 of their mean, however many other nodes there are.
TEST(LocalTrace, DisagreementIsRelativeToTheProcesssOwnNodes) {
  const auto network = make_mpi_network(test::session(), test::toy_graph("ring", 4 * test::session().size()));
  const Problem problem = test::toy_problem(*network);
  Stacked x(problem.dimension(), network->local_nodes());
  for (Index i = 0; i < x.cols(); ++i) {
    x.col(i).setConstant(i % 2 == 0 ? 0.015 : 0.005);
  }
  const Measures own = measure(problem, Control(*network, ControlScope::kThisProcess), x);
  const Measures all = measure(problem, Control(*network), x);
  EXPECT_NEAR(own.relative_disagreement, 0.5, 1e-12);
  EXPECT_NEAR(all.relative_disagreement, 0.5, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Graphs, DecentralizedTest, testing::Values("ring", "path", "star", "complete", "erdos-renyi"));

}  // namespace
}  // namespace slidemesh
