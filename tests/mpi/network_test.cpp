// One set of claims, typed over both networks: whoever carries the messages, the numbers and the meters are these.

#include "slidemesh/network/network.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>

#include "mpi_fixture.h"
#include "slidemesh/base/random.h"
#include "slidemesh/graphs/generators.h"
#include "slidemesh/network/in_process.h"

namespace slidemesh {
namespace {

struct InProcess {
  static std::unique_ptr<Network> make(const Graph& graph) { return std::make_unique<InProcessNetwork>(graph); }
};
struct Mpi {
  static std::unique_ptr<Network> make(const Graph& graph) { return make_mpi_network(test::session(), graph); }
};

constexpr Index kNodes = 10;
constexpr Index kDimension = 7;

/// A number that any process can make for any entry.
double entry(Index row, Index node) {
  const auto bits =
      random_bits(7, Purpose::kRowSampling, static_cast<std::uint32_t>(node), static_cast<std::uint32_t>(row), 0);
  return static_cast<double>(bits >> 11U) * 0x1.0p-53 - 0.5;
}

Stacked all_columns(Index nodes) {
  Stacked x(kDimension, nodes);
  for (Index i = 0; i < nodes; ++i) {
    for (Index r = 0; r < kDimension; ++r) {
      x(r, i) = entry(r, i);
    }
  }
  return x;
}

std::vector<Graph> graphs() {
  std::vector<Graph> list;
  for (const char* kind : {"ring", "path", "star", "complete", "erdos-renyi", "barbell"}) {
    GraphSpec spec;
    spec.kind = kind;
    spec.nodes = kNodes;
    list.push_back(make_graph(spec));
  }
  return list;
}

template <class T>
class NetworkTest : public testing::Test {
 protected:
  /// The columns of this process.
  static Stacked local(const Network& network, const Stacked& all) {
    return all.middleCols(network.first_node(), network.local_nodes());
  }
};
using Networks = testing::Types<InProcess, Mpi>;
TYPED_TEST_SUITE(NetworkTest, Networks);

TYPED_TEST(NetworkTest, LaplacianSubtractsNeighboursInAscendingOrder) {
  for (const Graph& graph : graphs()) {
    const auto network = TypeParam::make(graph);
    const Stacked x = all_columns(kNodes);
    const Stacked mine = this->local(*network, x);
    Stacked y = Stacked::Zero(kDimension, mine.cols());
    Stacked uncharged;
    network->laplacian(mine, y);
    network->control_laplacian(mine, uncharged);
    for (Index i = 0; i < mine.cols(); ++i) {
      Vector expected = static_cast<double>(graph.degree(network->global(i))) * x.col(network->global(i));
      for (const Index j : graph.neighbours(network->global(i))) {
        expected -= x.col(j);
      }
      EXPECT_EQ(y.col(i), expected);
      EXPECT_EQ(uncharged.col(i), expected);
    }
  }
}

TYPED_TEST(NetworkTest, MixWeighsNeighboursInAscendingOrder) {
  for (const Graph& graph : graphs()) {
    MixingWeights w;
    w.diagonal = Vector::Constant(kNodes, 0.3);
    w.edge.resize(kNodes);
    for (Index i = 0; i < kNodes; ++i) {
      for (const Index j : graph.neighbours(i)) {
        w.edge[static_cast<std::size_t>(i)].push_back(0.01 * static_cast<double>(i + j));
      }
    }
    const auto network = TypeParam::make(graph);
    const Stacked x = all_columns(kNodes);
    const Stacked mine = this->local(*network, x);
    Stacked y = Stacked::Zero(kDimension, mine.cols());
    network->mix(w, mine, y);
    for (Index i = 0; i < mine.cols(); ++i) {
      Vector expected = 0.3 * x.col(network->global(i));
      for (const Index j : graph.neighbours(network->global(i))) {
        expected += 0.01 * static_cast<double>(network->global(i) + j) * x.col(j);
      }
      EXPECT_EQ(y.col(i), expected);
    }
  }
}

TYPED_TEST(NetworkTest, ExchangesFollowOneAnotherWithOtherDimensions) {
  for (const Graph& graph : graphs()) {
    const auto network = TypeParam::make(graph);
    for (const Index d : {Index{1}, Index{1000}, Index{3}, Index{20000}}) {
      Stacked x(d, network->local_nodes());
      for (Index i = 0; i < x.cols(); ++i) {
        x.col(i).setConstant(static_cast<double>(network->global(i) * network->global(i)));
      }
      Stacked y = Stacked::Zero(d, x.cols());
      network->laplacian(x, y);
      for (Index i = 0; i < x.cols(); ++i) {
        double expected = static_cast<double>(graph.degree(network->global(i))) * x(0, i);
        for (const Index j : graph.neighbours(network->global(i))) {
          expected -= static_cast<double>(j * j);
        }
        EXPECT_EQ(y.col(i), Vector::Constant(d, expected));
      }
    }
  }
}

TYPED_TEST(NetworkTest, AgreementSumsInTheOrderOfTheTree) {
  for (const Graph& graph : graphs()) {
    const auto network = TypeParam::make(graph);
    const Stacked x = all_columns(kNodes);
    Stacked partial = x;
    const SpanningTree tree = spanning_tree(graph);
    for (auto node = tree.order.rbegin(); node != tree.order.rend(); ++node) {
      for (const Index child : tree.children[static_cast<std::size_t>(*node)]) {
        partial.col(*node) += partial.col(child);
      }
    }
    EXPECT_EQ(network->agree_sum(this->local(*network, x)), partial.col(tree.order.front()));
    EXPECT_EQ(network->agree_max(this->local(*network, x)), Vector(x.rowwise().maxCoeff()));
  }
}

TYPED_TEST(NetworkTest, ControlLooksAtAllNodesInTheirOrder) {
  const auto network = TypeParam::make(graphs().front());
  const Stacked x = all_columns(kNodes);
  const Stacked mine = this->local(*network, x);
  Vector expected_mean = x.col(0);
  double expected_sum = 0.0;
  for (Index i = 0; i < kNodes; ++i) {
    expected_sum += x(0, i);
    if (i > 0) {
      expected_mean += x.col(i);
    }
  }
  expected_mean /= static_cast<double>(kNodes);
  const Vector first_row = mine.row(0);
  EXPECT_EQ(network->control_sum(first_row), expected_sum);
  EXPECT_EQ(network->control_max(first_row), x.row(0).maxCoeff());
  Vector mean;
  network->control_mean(mine, mean);
  EXPECT_EQ(mean, expected_mean);
  Stacked all;
  network->control_gather(mine, all);
  EXPECT_EQ(all, x);
  EXPECT_FALSE(network->control_any(false));
  EXPECT_TRUE(network->control_any(network->owns(kNodes - 1)));
  EXPECT_EQ(network->control_from_root(network->is_root() ? 3.0 : 4.0), 3.0);
}

TYPED_TEST(NetworkTest, MetersCountMessagesBetweenNodesHoweverNodesAreSpread) {
  for (const Graph& graph : graphs()) {
    const auto network = TypeParam::make(graph);
    const Stacked mine = this->local(*network, all_columns(kNodes));
    Stacked y = mine;
    network->laplacian(mine, y);
    network->laplacian(mine, y);
    network->control_laplacian(mine, y);
    static_cast<void>(network->agree_max(mine.topRows(2)));
    for (Index i = 0; i < mine.cols(); ++i) {
      network->meters().at(i).linear_oracle_calls = network->global(i);
    }
    const MeterTotals totals = network->control_totals();
    const Count scalar_messages = 2 * (kNodes - 1);
    const Count vector_messages = 2 * 2 * graph.edges();
    EXPECT_EQ(totals.communication_rounds, 2);
    EXPECT_EQ(totals.messages, vector_messages + scalar_messages);
    EXPECT_EQ(totals.scalar_messages, scalar_messages);
    EXPECT_EQ(totals.bytes_sent, 8 * (vector_messages * kDimension + scalar_messages * 2));
    EXPECT_EQ(totals.linear_oracle_calls, kNodes * (kNodes - 1) / 2);
    EXPECT_EQ(totals.largest_node_linear_oracle_calls, kNodes - 1);
    const auto nodes = network->control_node_meters();
    ASSERT_EQ(nodes.size(), static_cast<std::size_t>(kNodes));
    EXPECT_EQ(nodes.back().linear_oracle_calls, kNodes - 1);
  }
}

}  // namespace
}  // namespace slidemesh
