#include "min_cost_flow.h"

// LEMON has what is used here in its headers: without its library, glpk and gmp need not be loaded either.
#define LEMON_ONLY_TEMPLATES
#include <lemon/network_simplex.h>
#include <lemon/static_graph.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace slidemesh::detail {

struct MinCostFlow::Lemon {
  using Graph = lemon::StaticDigraph;
  using Simplex = lemon::NetworkSimplex<Graph, std::int64_t, std::int64_t>;

  explicit Lemon(const Network& network) : place(network.from.size()) {
    // StaticDigraph wants its arcs sorted by their first node; place[k] is where arc k went.
    std::vector<int> order(network.from.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&network](int a, int b) {
      return network.from[static_cast<std::size_t>(a)] < network.from[static_cast<std::size_t>(b)];
    });
    std::vector<std::pair<int, int>> arcs;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const auto k = static_cast<std::size_t>(order[i]);
      arcs.emplace_back(network.from[k], network.to[k]);
      place[k] = static_cast<int>(i);
    }
    graph.build(network.nodes, arcs.begin(), arcs.end());
    cost = std::make_unique<Graph::ArcMap<std::int64_t>>(graph);
    Graph::ArcMap<std::int64_t> capacity(graph);
    Graph::NodeMap<std::int64_t> supply(graph);
    for (std::size_t k = 0; k < place.size(); ++k) {
      capacity[graph.arc(place[k])] = network.capacity[k];
    }
    for (int i = 0; i < network.nodes; ++i) {
      supply[graph.node(i)] = network.supply[static_cast<std::size_t>(i)];
    }
    simplex = std::make_unique<Simplex>(graph);
    simplex->upperMap(capacity).supplyMap(supply);
  }

  Graph graph;
  std::vector<int> place;
  std::unique_ptr<Graph::ArcMap<std::int64_t>> cost;
  std::unique_ptr<Simplex> simplex;
};

MinCostFlow::MinCostFlow(const Network& network) : network_(network), lemon_(std::make_unique<Lemon>(network)) {}

MinCostFlow::~MinCostFlow() = default;

bool MinCostFlow::solve(std::span<const double> costs, std::span<std::int64_t> flow) {
  double largest = 0.0;
  for (const double cost : costs) {
    largest = std::max(largest, std::abs(cost));
  }
  const double unit = largest > 0.0 ? largest : 1.0;
  Lemon& lemon = *lemon_;
  for (std::size_t k = 0; k < costs.size(); ++k) {
    (*lemon.cost)[lemon.graph.arc(lemon.place[k])] = std::llround(std::ldexp(costs[k] / unit, kCostBits));
  }
  lemon.simplex->costMap(*lemon.cost);
  if (lemon.simplex->run() != Lemon::Simplex::OPTIMAL) {
    return false;
  }
  for (std::size_t k = 0; k < costs.size(); ++k) {
    flow[k] = lemon.simplex->flow(lemon.graph.arc(lemon.place[k]));
  }
  return true;
}

}  // namespace slidemesh::detail
