// One config, one seed, one answer: over TLS between parties, each with a mesh and an I/O thread of its own, every
// method gives the bits and meters of the in-process run.

#include <gtest/gtest.h>

#include <map>
#include <thread>

#include "mesh_fixture.h"
#include "slidemesh/algorithms/registry.h"
#include "slidemesh/base/config_table.h"
#include "slidemesh/control/control.h"
#include "slidemesh/graphs/spectrum.h"
#include "slidemesh/linalg/parallel.h"
#include "slidemesh/network/in_process.h"
#include "slidemesh/network/peers/peer_network.h"
#include "support/toy_problem.h"

namespace slidemesh::peers {
namespace {

using testing::PartyGroup;

/// Enough for restarts, snapshots and a second stage to happen.
constexpr int kSteps = 12;

MethodFactory factory_of(const MethodKind& kind, const Value::Table& keys) {
  ConfigTable table(keys, 0, "method", "test");
  return kind.parse(table, kSteps);
}

/// Every method that `slidemesh list methods` names, as it is by default, and I-PDS as the paper has it.
std::map<std::string, MethodFactory> methods() {
  std::map<std::string, MethodFactory> all;
  for (const MethodKind& kind : method_kinds()) {
    all[kind.name] = factory_of(kind, {});
  }
  all["ipds, sampled, cgs"] = factory_of(
      *find_method("ipds"), {{"inner", {"cgs"}}, {"tolerance", {0.05}}, {"gradients", {"sampled"}}, {"c", {0.5}}});
  all["newton-sliding without room for its models"] =
      factory_of(*find_method("newton-sliding"), {{"curvature_memory", {std::int64_t{0}}}});
  all["newton-sliding that shares models"] = factory_of(*find_method("newton-sliding"), {{"share", {"models"}}});
  return all;
}

/// This party's part of logistic regression on 30 rows for each node.
Problem part_of_toy(Network& network, double radius) {
  constexpr Index kEach = 30;
  const auto rows = std::make_shared<const Rows>(testing::toy_rows(kEach * network.nodes()));
  const auto set = std::make_shared<const L1Ball>(rows->features, radius);
  constexpr double kMu = 0.1;  // some methods are for strongly convex problems alone
  std::vector<std::shared_ptr<RowSource>> sources;
  for (Index i = 0; i < network.local_nodes(); ++i) {
    sources.push_back(std::make_shared<MemorySource>(rows, network.global(i) * kEach, kEach));
  }
  return make_problem(row_objectives(sources, std::make_shared<Logistic>()), set, kMu, network);
}

/// What every party knows in the end: all columns, sums over all nodes, and what it cost.
struct Outcome {
  Stacked output;
  double sum = 0.0;
  MeterTotals meters;
};

Outcome run_one(Network& network, const std::string& name, const MethodFactory& make_method) {
  // opapc knows no set: it takes one that holds whatever it comes by.
  const Problem problem = part_of_toy(network, name == "opapc" ? 1000.0 : 2.0);
  network.meters() = Meters(network.local_nodes());
  const auto method = make_method({problem, network, laplacian_spectrum(network.graph()).lambda_max, 1, std::nullopt});
  while (!method->finished()) {
    method->step();
  }
  const Control control(network);
  Outcome outcome;
  control.gather(method->output(), outcome.output);
  outcome.sum = control.sum(method->output().row(0).transpose());
  outcome.meters = control.totals();
  return outcome;
}

void expect_same(const Outcome& expected, const Outcome& got) {
  EXPECT_EQ(expected.output, got.output);
  EXPECT_EQ(expected.sum, got.sum);
  EXPECT_EQ(expected.meters, got.meters);
}

Graph graph_of(const std::string& kind, Index nodes) {
  GraphSpec spec;
  spec.kind = kind;
  spec.nodes = nodes;
  return make_graph(spec);
}

using Case = std::tuple<const char*, Index>;
class PeerSameness : public ::testing::TestWithParam<Case> {};

TEST_P(PeerSameness, EveryMethodGivesTheBitsOfTheInProcessRun) {
  set_threads(1);
  const auto [kind, nodes] = GetParam();
  const Graph graph = graph_of(kind, nodes);
  PartyGroup group(graph);
  const auto all = methods();
  std::vector<std::map<std::string, Outcome>> got(static_cast<std::size_t>(nodes));
  std::vector<std::thread> parties;
  for (Index i = 0; i < nodes; ++i) {
    parties.emplace_back([&, i] {
      try {
        Mesh& mesh = *group.at(i).mesh;
        const auto network = make_peer_network(mesh, mesh.wait_for_view());
        for (const auto& [name, make_method] : all) {
          got[static_cast<std::size_t>(i)][name] = run_one(*network, name, make_method);
        }
        mesh.drain(5.0);
      } catch (const std::exception& error) {
        ADD_FAILURE() << PartyGroup::name(i) << ": " << error.what() << "\n" << group.at(i).log.text();
      }
    });
  }
  for (auto& party : parties) {
    party.join();
  }
  for (const auto& [name, make_method] : all) {
    SCOPED_TRACE(name);
    InProcessNetwork in_process(graph);
    const Outcome expected = run_one(in_process, name, make_method);
    for (const auto& party : got) {
      expect_same(expected, party.at(name));
    }
  }
  set_threads(0);
}

INSTANTIATE_TEST_SUITE_P(Graphs, PeerSameness,
                         ::testing::Combine(::testing::Values("ring", "path", "star", "barbell", "erdos-renyi"),
                                            ::testing::Values(Index{3}, Index{5}, Index{8})));

}  // namespace
}  // namespace slidemesh::peers
