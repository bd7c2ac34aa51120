#pragma once

// One set of claims that hold for every network: whoever carries the messages, the numbers and the meters are these. A
// test of a transport runs each of them on every process over each of `claim_graphs()`.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "slidemesh/base/random.h"
#include "slidemesh/control/control.h"
#include "slidemesh/graphs/generators.h"
#include "slidemesh/network/network.h"
#include "slidemesh/network/riding_sums.h"
#include "support/state_copy.h"

namespace slidemesh::testing {

/// `check` is called by every process with its network, newly made; it may run in several threads of one.
struct NetworkClaim {
  const char* name;
  void (*check)(Network& network);
};

namespace claims {

inline constexpr Index kNodes = 10;
inline constexpr Index kDimension = 7;

/// A number that any process can make for any entry.
inline double entry(Index row, Index node) {
  const auto bits =
      random_bits(7, Purpose::kRowSampling, static_cast<std::uint32_t>(node), static_cast<std::uint32_t>(row), 0);
  return static_cast<double>(bits >> 11U) * 0x1.0p-53 - 0.5;
}

inline Stacked all_columns(Index nodes) {
  Stacked x(kDimension, nodes);
  for (Index i = 0; i < nodes; ++i) {
    for (Index r = 0; r < kDimension; ++r) {
      x(r, i) = entry(r, i);
    }
  }
  return x;
}

inline std::vector<Graph> graphs() {
  std::vector<Graph> list;
  for (const char* kind : {"ring", "path", "star", "complete", "erdos-renyi", "barbell"}) {
    GraphSpec spec;
    spec.kind = kind;
    spec.nodes = kNodes;
    list.push_back(make_graph(spec));
  }
  return list;
}

/// The columns of this process.
inline Stacked local(const Network& network, const Stacked& all) {
  return all.middleCols(network.first_node(), network.local_nodes());
}

/// What a riding sum must come to: up the tree from a centre, children ascending.
inline Vector expected_sum(const Graph& graph, const Matrix& values) {
  const SpanningTree tree = spanning_tree(graph, graph_centre(graph));
  Matrix partial = values;
  for (auto node = tree.order.rbegin(); node != tree.order.rend(); ++node) {
    for (const Index child : tree.children[static_cast<std::size_t>(*node)]) {
      partial.col(*node) += partial.col(child);
    }
  }
  return partial.col(tree.order.front());
}

inline void laplacian_subtracts_neighbours_in_ascending_order(Network& network) {
  const Graph& graph = network.graph();
  const Stacked x = all_columns(kNodes);
  const Stacked mine = local(network, x);
  Stacked y = Stacked::Zero(kDimension, mine.cols());
  Stacked uncharged;
  network.laplacian(mine, y);
  Control(network).laplacian(mine, uncharged);
  for (Index i = 0; i < mine.cols(); ++i) {
    Vector expected = static_cast<double>(graph.degree(network.global(i))) * x.col(network.global(i));
    for (const Index j : graph.neighbours(network.global(i))) {
      expected -= x.col(j);
    }
    EXPECT_EQ(y.col(i), expected);
    EXPECT_EQ(uncharged.col(i), expected);
  }
}

inline void mix_weighs_neighbours_in_ascending_order(Network& network) {
  const Graph& graph = network.graph();
  MixingWeights w;
  w.diagonal = Vector::Constant(kNodes, 0.3);
  w.edge.resize(kNodes);
  for (Index i = 0; i < kNodes; ++i) {
    for (const Index j : graph.neighbours(i)) {
      w.edge[static_cast<std::size_t>(i)].push_back(0.01 * static_cast<double>(i + j));
    }
  }
  const Stacked x = all_columns(kNodes);
  const Stacked mine = local(network, x);
  Stacked y = Stacked::Zero(kDimension, mine.cols());
  network.mix(w, mine, y);
  for (Index i = 0; i < mine.cols(); ++i) {
    Vector expected = 0.3 * x.col(network.global(i));
    for (const Index j : graph.neighbours(network.global(i))) {
      expected += 0.01 * static_cast<double>(network.global(i) + j) * x.col(j);
    }
    EXPECT_EQ(y.col(i), expected);
  }
}

inline void exchanges_follow_one_another_with_other_dimensions(Network& network) {
  const Graph& graph = network.graph();
  for (const Index d : {Index{1}, Index{1000}, Index{3}, Index{20000}}) {
    Stacked x(d, network.local_nodes());
    for (Index i = 0; i < x.cols(); ++i) {
      x.col(i).setConstant(static_cast<double>(network.global(i) * network.global(i)));
    }
    Stacked y = Stacked::Zero(d, x.cols());
    network.laplacian(x, y);
    for (Index i = 0; i < x.cols(); ++i) {
      double expected = static_cast<double>(graph.degree(network.global(i))) * x(0, i);
      for (const Index j : graph.neighbours(network.global(i))) {
        expected -= static_cast<double>(j * j);
      }
      EXPECT_EQ(y.col(i), Vector::Constant(d, expected));
    }
  }
}

/// The columns' sum in the order of the spanning tree.
inline Vector sum_over_tree(const Graph& graph, Stacked partial) {
  const SpanningTree tree = spanning_tree(graph);
  for (auto node = tree.order.rbegin(); node != tree.order.rend(); ++node) {
    for (const Index child : tree.children[static_cast<std::size_t>(*node)]) {
      partial.col(*node) += partial.col(child);
    }
  }
  return partial.col(tree.order.front());
}

inline void agreement_sums_in_the_order_of_the_tree(Network& network) {
  const Graph& graph = network.graph();
  const Stacked x = all_columns(kNodes);
  EXPECT_EQ(network.agree_sum(local(network, x)), sum_over_tree(graph, x));
  EXPECT_EQ(network.agree_max(local(network, x)), Vector(x.rowwise().maxCoeff()));
}

inline void control_looks_at_all_nodes_in_their_order(Network& network) {
  const Stacked x = all_columns(kNodes);
  const Stacked mine = local(network, x);
  double expected_sum = 0.0;
  for (Index i = 0; i < kNodes; ++i) {
    expected_sum += x(0, i);
  }
  const Vector first_row = mine.row(0);
  EXPECT_EQ(Control(network).sum(first_row), expected_sum);
  EXPECT_EQ(Control(network).max(first_row), x.row(0).maxCoeff());
  Vector mean;
  Control(network).mean(mine, mean);
  EXPECT_EQ(mean, sum_over_tree(network.graph(), x) / static_cast<double>(kNodes)) << "x̄ has one order everywhere";
  Stacked all;
  Control(network).gather(mine, all);
  EXPECT_EQ(all, x);
  EXPECT_FALSE(Control(network).any(false));
  EXPECT_TRUE(Control(network).any(network.owns(kNodes - 1)));
  EXPECT_EQ(Control(network).from_root(Control(network).is_root() ? 3.0 : 4.0), 3.0);
}

inline void text_comes_from_the_root_as_it_is_there_whatever_the_scope(Network& network) {
  for (const ControlScope scope : {ControlScope::kAllNodes, ControlScope::kThisProcess}) {
    const Control control(network, scope);
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{5}, std::size_t{100'000}}) {
      const std::string text(size, '\xE9');
      EXPECT_EQ(control.from_root(control.is_root() ? text : std::string("another")), text);
    }
    EXPECT_TRUE(control.any(network.owns(kNodes / 2)));
    EXPECT_FALSE(control.any(false));
    const Vector mine = Eigen::Vector3d(network.owns(0) ? 2.5 : 0.0, network.owns(kNodes - 1) ? 1.0 : 0.0, 0.0);
    EXPECT_EQ(control.maxima_of(mine), Vector(Eigen::Vector3d(2.5, 1.0, 0.0)));
  }
}

inline void a_centre_looks_at_all_nodes_whatever_the_scope(Network& network) {
  const Stacked x = all_columns(kNodes);
  const Stacked mine = local(network, x);
  Vector expected = x.col(0);
  for (Index i = 1; i < kNodes; ++i) {
    expected += x.col(i);
  }
  expected /= static_cast<double>(kNodes);
  Vector mean;
  network.mean_at_centre(mine, mean);
  EXPECT_EQ(mean, expected);
  EXPECT_EQ(Control(network).totals().messages, 0);
  EXPECT_EQ(network.meters().hops, 2 * spanning_tree(network.graph()).depth);
}

inline void meters_count_messages_between_nodes_however_nodes_are_spread(Network& network) {
  const Graph& graph = network.graph();
  const Stacked mine = local(network, all_columns(kNodes));
  Stacked y = mine;
  network.laplacian(mine, y);
  network.laplacian(mine, y);
  Control(network).laplacian(mine, y);
  static_cast<void>(network.agree_max(mine.topRows(2)));
  for (Index i = 0; i < mine.cols(); ++i) {
    network.meters().at(i).linear_oracle_calls = network.global(i);
  }
  const MeterTotals totals = Control(network).totals();
  const Count scalar_messages = 2 * (kNodes - 1);
  const Count vector_messages = 2 * 2 * graph.edges();
  EXPECT_EQ(totals.communication_rounds, 2);
  EXPECT_EQ(totals.hops, 2 + 2 * spanning_tree(graph).depth);
  EXPECT_EQ(totals.messages, vector_messages + scalar_messages);
  EXPECT_EQ(totals.scalar_messages, scalar_messages);
  EXPECT_EQ(totals.bytes_sent, 8 * (vector_messages * kDimension + scalar_messages * 2));
  EXPECT_EQ(totals.linear_oracle_calls, kNodes * (kNodes - 1) / 2);
  EXPECT_EQ(totals.largest_node_linear_oracle_calls, kNodes - 1);
  const auto nodes = Control(network).node_meters();
  ASSERT_EQ(nodes.size(), static_cast<std::size_t>(kNodes));
  EXPECT_EQ(nodes.back().linear_oracle_calls, kNodes - 1);
}

inline void sums_ride_on_rounds_and_are_ready_together_after_twice_the_depth(Network& network) {
  const Graph& graph = network.graph();
  RidingSums sums(network);
  const Stacked x = all_columns(kNodes);
  const Stacked mine = local(network, x);
  Stacked y = mine;
  Stacked plain = mine;
  network.laplacian(mine, plain);
  network.meters() = Meters(network.local_nodes());
  // One posted before each of the first rounds, the k-th with k numbers; and one more with the first.
  sums.post(mine.topRows(2));
  int taken = 0;
  for (Index round = 1; round <= sums.delay() + 3; ++round) {
    if (round <= 3) {
      sums.post(mine.topRows(round));
    }
    network.laplacian(mine, y);
    EXPECT_EQ(y, plain);
    for (; sums.ready(); ++taken) {
      const Index rows = taken == 0 ? 2 : taken;
      EXPECT_EQ(round, sums.delay() + std::max(0, taken - 1));
      EXPECT_EQ(sums.take(), expected_sum(graph, x.topRows(rows)));
    }
  }
  EXPECT_EQ(taken, 4);
  EXPECT_EQ(sums.under_way(), 0);
  const MeterTotals totals = Control(network).totals();
  const Count rounds = sums.delay() + 3;
  EXPECT_EQ(totals.hops, rounds);
  EXPECT_EQ(totals.messages, rounds * 2 * graph.edges());
  EXPECT_EQ(totals.bytes_sent, 8 * (rounds * 2 * graph.edges() * kDimension + 2 * (kNodes - 1) * (2 + 1 + 2 + 3)));
  if (network.local_nodes() == 1) {
    const WireMeters wire = Control(network).local_wire();
    EXPECT_EQ(wire.messages, network.meters().totals().messages + graph.degree(network.first_node()));
  }
}

inline void flushing_pays_a_hop_for_each_edge_that_is_left(Network& network) {
  const Graph& graph = network.graph();
  RidingSums sums(network);
  const Stacked x = all_columns(kNodes);
  const Stacked mine = local(network, x);
  Stacked y = mine;
  sums.post(mine.topRows(2));
  network.laplacian(mine, y);
  sums.post(mine.topRows(1));
  sums.flush();
  EXPECT_EQ(sums.take(), expected_sum(graph, x.topRows(2)));
  EXPECT_EQ(sums.take(), expected_sum(graph, x.topRows(1)));
  const MeterTotals totals = Control(network).totals();
  EXPECT_EQ(totals.hops, 1 + sums.delay());
  EXPECT_EQ(totals.messages, 2 * graph.edges() + totals.scalar_messages);
  EXPECT_EQ(totals.bytes_sent, 8 * (2 * graph.edges() * kDimension + 2 * (kNodes - 1) * (2 + 1)));
}

inline void what_is_under_way_can_be_kept_and_gone_on_with(Network& network) {
  const Graph& graph = network.graph();
  const Stacked x = all_columns(kNodes);
  const Stacked mine = local(network, x);
  Stacked y = mine;
  RidingSums before(network);
  before.post(mine.topRows(2));
  network.laplacian(mine, y);
  before.post(mine.topRows(3));
  RidingSums after(network);
  copy_state(before, after);
  for (Index round = 0; round < after.delay(); ++round) {
    EXPECT_EQ(after.ready(), before.ready());
    network.laplacian(mine, y);
  }
  EXPECT_EQ(after.take(), expected_sum(graph, x.topRows(2)));
  EXPECT_EQ(after.take(), expected_sum(graph, x.topRows(3)));
}

/// Each number as float32 has it.
inline Stacked rounded(const Stacked& x) { return x.cast<float>().cast<double>(); }

inline void float32_rounds_take_the_same_numbers_at_both_ends(Network& network) {
  network.set_wire(Wire::kFloat32);
  const Graph& graph = network.graph();
  const Stacked x = all_columns(kNodes);
  const Stacked r = rounded(x);
  const Stacked mine = local(network, x);
  Stacked y = mine;
  Stacked measured;
  RidingSums sums(network);  // they travel on the same messages, unrounded
  sums.post(mine.topRows(3));
  for (Index round = 0; round < std::max<Index>(1, sums.delay()); ++round) {
    network.laplacian(mine, y);
  }
  Control(network).laplacian(mine, measured);
  for (Index i = 0; i < mine.cols(); ++i) {
    const auto degree = static_cast<double>(graph.degree(network.global(i)));
    Vector expected = degree * r.col(network.global(i));
    Vector exact = degree * x.col(network.global(i));
    for (const Index j : graph.neighbours(network.global(i))) {
      expected -= r.col(j);
      exact -= x.col(j);
    }
    EXPECT_EQ(y.col(i), expected);
    EXPECT_EQ(measured.col(i), exact) << "measuring is not rounded";
  }
  EXPECT_EQ(sums.take(), expected_sum(graph, x.topRows(3)));
  EXPECT_EQ(network.agree_sum(mine), sum_over_tree(graph, x));
}

inline void float32_mixing_keeps_what_a_node_has_beyond_its_rounded_number(Network& network) {
  network.set_wire(Wire::kFloat32);
  const Graph& graph = network.graph();
  MixingWeights w;
  w.diagonal = Vector(kNodes);
  w.edge.resize(kNodes);
  for (Index i = 0; i < kNodes; ++i) {
    w.diagonal(i) = 1.0 - 0.05 * static_cast<double>(graph.degree(i));
    w.edge[static_cast<std::size_t>(i)].assign(static_cast<std::size_t>(graph.degree(i)), 0.05);
  }
  const Stacked x = all_columns(kNodes);
  const Stacked r = rounded(x);
  const Stacked mine = local(network, x);
  Stacked y = mine;
  network.mix(w, mine, y);
  for (Index i = 0; i < mine.cols(); ++i) {
    const Index node = network.global(i);
    Vector expected = w.diagonal(node) * r.col(node);
    for (const Index j : graph.neighbours(node)) {
      expected += 0.05 * r.col(j);
    }
    expected += x.col(node) - r.col(node);
    EXPECT_EQ(y.col(i), expected);
  }
  constexpr double kSumRounding = 1e-14;  // of sums of ten numbers below 1
  EXPECT_LE((network.agree_sum(y) - network.agree_sum(mine)).cwiseAbs().maxCoeff(), kSumRounding);
}

/// Seven floats take the place of four doubles.
inline void float32_rounds_are_charged_as_they_travel(Network& network) {
  network.set_wire(Wire::kFloat32);
  const Count edges = network.graph().edges();
  const Stacked mine = local(network, all_columns(kNodes));
  Stacked y = mine;
  network.laplacian(mine, y);
  const Stacked fewer = mine.topRows(6);
  y.resize(6, mine.cols());
  network.laplacian(fewer, y);
  const MeterTotals totals = Control(network).totals();
  EXPECT_EQ(totals.messages, 2 * 2 * edges);
  EXPECT_EQ(totals.bytes_sent, 2 * edges * (32 + 24));
  if (network.local_nodes() == 1) {
    const WireMeters wire = Control(network).local_wire();
    EXPECT_EQ(wire.bytes, network.meters().totals().bytes_sent);
  }
}

/// One column has all of its numbers, one none, the others some. A zero that has a sign is kept.
inline Stacked sparse_columns() {
  Stacked x = all_columns(kNodes);
  for (Index i = 1; i < kNodes; ++i) {
    for (Index r = 0; r < x.rows(); ++r) {
      x(r, i) = i == 1 || (r + i) % 4 != 0 ? 0.0 : x(r, i);
    }
  }
  x(2, 2) = -0.0;
  return x;
}

inline void sparse_rounds_have_the_bits_of_doubles(Network& network) {
  const Stacked x = sparse_columns();
  const Stacked mine = local(network, x);
  Stacked exact = mine;
  network.laplacian(mine, exact);
  network.set_wire(Wire::kSparse);
  Stacked y = mine;
  RidingSums sums(network);
  sums.post(mine.topRows(3));
  for (Index round = 0; round < std::max<Index>(1, sums.delay()); ++round) {
    network.laplacian(mine, y);
    const Index bytes = y.size() * static_cast<Index>(sizeof(double));
    EXPECT_EQ(std::memcmp(y.data(), exact.data(), static_cast<std::size_t>(bytes)), 0);
  }
  EXPECT_EQ(sums.take(), expected_sum(network.graph(), x.topRows(3)));
}

inline void sparse_rounds_are_charged_as_they_travel(Network& network) {
  network.set_wire(Wire::kSparse);
  const Graph& graph = network.graph();
  const Stacked x = sparse_columns();
  const Stacked mine = local(network, x);
  Stacked y = mine;
  network.laplacian(mine, y);
  Count expected = 0;
  for (Index i = 0; i < kNodes; ++i) {
    Count stored = 0;
    for (Index r = 0; r < kDimension; ++r) {
      stored += x(r, i) != 0.0 || std::signbit(x(r, i)) ? 1 : 0;
    }
    const Count with_places = 8 * stored + (4 * stored + 7) / 8 * 8;
    expected += graph.degree(i) * (8 + std::min<Count>(with_places, 8 * kDimension));
  }
  EXPECT_EQ(Control(network).totals().messages, 2 * graph.edges());
  EXPECT_EQ(Control(network).totals().bytes_sent, expected);
  EXPECT_LT(expected, 8 * 2 * graph.edges() * kDimension);
  if (network.local_nodes() == 1) {
    EXPECT_EQ(Control(network).local_wire().bytes, network.meters().totals().bytes_sent);
  }
}

inline void sums_of_a_method_that_is_gone_ride_no_more(Network& network) {
  const Stacked mine = local(network, all_columns(kNodes));
  Stacked y = mine;
  RidingSums(network).post(mine);
  network.laplacian(mine, y);
  EXPECT_EQ(Control(network).totals().bytes_sent, 8 * 2 * network.graph().edges() * kDimension);
}

}  // namespace claims

/// Graphs of claims::kNodes nodes that the claims are made over.
inline std::vector<Graph> claim_graphs() { return claims::graphs(); }

inline std::vector<NetworkClaim> network_claims() {
  return {
      {"LaplacianSubtractsNeighboursInAscendingOrder", claims::laplacian_subtracts_neighbours_in_ascending_order},
      {"MixWeighsNeighboursInAscendingOrder", claims::mix_weighs_neighbours_in_ascending_order},
      {"ExchangesFollowOneAnotherWithOtherDimensions", claims::exchanges_follow_one_another_with_other_dimensions},
      {"AgreementSumsInTheOrderOfTheTree", claims::agreement_sums_in_the_order_of_the_tree},
      {"ControlLooksAtAllNodesInTheirOrder", claims::control_looks_at_all_nodes_in_their_order},
      {"TextComesFromTheRootAsItIsThereWhateverTheScope",
       claims::text_comes_from_the_root_as_it_is_there_whatever_the_scope},
      {"ACentreLooksAtAllNodesWhateverTheScope", claims::a_centre_looks_at_all_nodes_whatever_the_scope},
      {"MetersCountMessagesBetweenNodesHoweverNodesAreSpread",
       claims::meters_count_messages_between_nodes_however_nodes_are_spread},
      {"SumsRideOnRoundsAndAreReadyTogetherAfterTwiceTheDepth",
       claims::sums_ride_on_rounds_and_are_ready_together_after_twice_the_depth},
      {"FlushingPaysAHopForEachEdgeThatIsLeft", claims::flushing_pays_a_hop_for_each_edge_that_is_left},
      {"WhatIsUnderWayCanBeKeptAndGoneOnWith", claims::what_is_under_way_can_be_kept_and_gone_on_with},
      {"Float32RoundsTakeTheSameNumbersAtBothEnds", claims::float32_rounds_take_the_same_numbers_at_both_ends},
      {"Float32MixingKeepsWhatANodeHasBeyondItsRoundedNumber",
       claims::float32_mixing_keeps_what_a_node_has_beyond_its_rounded_number},
      {"Float32RoundsAreChargedAsTheyTravel", claims::float32_rounds_are_charged_as_they_travel},
      {"SparseRoundsHaveTheBitsOfDoubles", claims::sparse_rounds_have_the_bits_of_doubles},
      {"SparseRoundsAreChargedAsTheyTravel", claims::sparse_rounds_are_charged_as_they_travel},
      {"SumsOfAMethodThatIsGoneRideNoMore", claims::sums_of_a_method_that_is_gone_ride_no_more},
  };
}

}  // namespace slidemesh::testing
