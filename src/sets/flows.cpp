#include <fmt/core.h>

// LEMON has what is used here in its headers: without its library, glpk and gmp need not be loaded either.
#define LEMON_ONLY_TEMPLATES
#include <lemon/network_simplex.h>
#include <lemon/static_graph.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numbers>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "checks.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/base/text.h"
#include "slidemesh/linalg/kernels.h"
#include "slidemesh/sets/transport.h"

namespace slidemesh {

namespace detail {
namespace {

/// A power of two that takes `most` to about 2^50: numbers that are short in binary (integers, halves) stay exact.
int fixed_point_bits(double most) { return 50 - std::ilogb(most); }

std::int64_t to_fixed(double value, int bits) { return std::llround(std::ldexp(value, bits)); }

}  // namespace

/// Minimum-cost flow by LEMON's network simplex, in integers: exact, and it ends.
class MinCostFlow {
 public:
  struct Network {
    int nodes = 0;
    int bits = 0;  ///< behind the point of the amounts below
    std::vector<int> from;
    std::vector<int> to;
    std::vector<std::int64_t> capacity;
    std::vector<std::int64_t> supply;  ///< negative: demand; they sum to 0
  };

  explicit MinCostFlow(const Network& network) : network_(network), place_(network.from.size()) {
    // StaticDigraph wants its arcs sorted by their first node; place_[k] is where arc k went.
    std::vector<int> order(network.from.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, [&network](int a, int b) { return network.from[at(a)] < network.from[at(b)]; });
    std::vector<std::pair<int, int>> arcs;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const auto k = static_cast<std::size_t>(order[i]);
      arcs.emplace_back(network.from[k], network.to[k]);
      place_[k] = static_cast<int>(i);
    }
    graph_.build(network.nodes, arcs.begin(), arcs.end());
    cost_ = std::make_unique<Graph::ArcMap<std::int64_t>>(graph_);
    Graph::ArcMap<std::int64_t> capacity(graph_);
    Graph::NodeMap<std::int64_t> supply(graph_);
    for (std::size_t k = 0; k < place_.size(); ++k) {
      capacity[graph_.arc(place_[k])] = network.capacity[k];
    }
    for (int i = 0; i < network.nodes; ++i) {
      supply[graph_.node(i)] = network.supply[at(i)];
    }
    simplex_ = std::make_unique<Simplex>(graph_);
    simplex_->upperMap(capacity).supplyMap(supply);
  }

  [[nodiscard]] std::unique_ptr<MinCostFlow> clone() const { return std::make_unique<MinCostFlow>(network_); }

  /// The flow of least cost into `flow`; false if there is none. Costs of any scale: they are rounded to integers of
  /// 2^kCostBits over the largest magnitude.
  bool solve(ConstVectorRef costs, VectorRef flow) {
    const double largest = std::abs(costs[largest_magnitude(costs.data(), costs.size())]);
    const double unit = largest > 0.0 ? largest : 1.0;
    for (Index k = 0; k < costs.size(); ++k) {
      (*cost_)[graph_.arc(place_[at(k)])] = to_fixed(costs[k] / unit, kCostBits);
    }
    simplex_->costMap(*cost_);
    if (simplex_->run() != Simplex::OPTIMAL) {
      return false;
    }
    for (Index k = 0; k < costs.size(); ++k) {
      flow[k] = std::ldexp(static_cast<double>(simplex_->flow(graph_.arc(place_[at(k)]))), -network_.bits);
    }
    return true;
  }

  void require_solution(ConstVectorRef costs, VectorRef flow, std::string_view set) {
    require<InternalError>(solve(costs, flow), set, "a flow", "none from the network simplex");
  }

 private:
  using Graph = lemon::StaticDigraph;
  using Simplex = lemon::NetworkSimplex<Graph, std::int64_t, std::int64_t>;
  /// Costs of a path through n nodes must fit 63 bits with room to spare.
  static constexpr int kCostBits = 44;

  Network network_;
  Graph graph_;
  std::vector<int> place_;
  std::unique_ptr<Graph::ArcMap<std::int64_t>> cost_;
  std::unique_ptr<Simplex> simplex_;
};

}  // namespace detail

namespace {

using detail::at;
using detail::sum_of;
using detail::to_fixed;

Vector require_amounts(const Vector& amounts, std::string_view what) {
  require<UsageError>(amounts.size() > 0, "transportation", fmt::format("{} numbers", what), "none");
  for (Index i = 0; i < amounts.size(); ++i) {
    if (!(amounts[i] >= 0.0) || !std::isfinite(amounts[i])) {
      fail<UsageError>("transportation", fmt::format("{} that is not negative at position {}", what, i),
                       text::shortest(amounts[i]));
    }
  }
  return amounts;
}

}  // namespace

// ---- transportation ----------------------------------------------------------------------------

Transportation::Transportation(const Vector& supply, const Vector& demand)
    : OraclePolytope(supply.size() * demand.size(), 0.0, supply.size()),
      supply_(require_amounts(supply, "supply")),
      demand_(require_amounts(demand, "demand")) {
  constexpr double kBalance = 1e-9;
  const double total = detail::require_positive(sum_of(supply_), kName, "total supply");
  require<UsageError>(std::abs(sum_of(demand_) - total) <= kBalance * total, "transportation",
                      fmt::format("demand that sums to the supply's {}", text::shortest(total)),
                      text::shortest(sum_of(demand_)));
  const int bits = detail::fixed_point_bits(total);
  detail::MinCostFlow::Network network;
  network.nodes = static_cast<int>(supply_.size() + demand_.size());
  network.bits = bits;
  std::int64_t left = 0;
  for (const double amount : supply_) {
    network.supply.push_back(to_fixed(amount, bits));
    left += network.supply.back();
  }
  for (const double amount : demand_) {
    network.supply.push_back(-to_fixed(amount, bits));
    left += network.supply.back();
  }
  // What rounding left over goes to the largest demand, where it is least felt.
  Index largest = 0;
  demand_.maxCoeff(&largest);
  network.supply[at(supply_.size() + largest)] -= left;
  for (Index j = 0; j < demand_.size(); ++j) {
    for (Index i = 0; i < supply_.size(); ++i) {
      network.from.push_back(static_cast<int>(i));
      network.to.push_back(static_cast<int>(supply_.size() + j));
      network.capacity.push_back(std::numeric_limits<std::int64_t>::max());
    }
  }
  solver_ = std::make_unique<detail::MinCostFlow>(network);
  // Entries are at most min(supply, demand), and so are their differences.
  double square = 0.0;
  for (const double s : supply_) {
    for (const double d : demand_) {
      square += std::min(s, d) * std::min(s, d);
    }
  }
  set_diameter(std::min(std::sqrt(square), std::numbers::sqrt2 * total));
}

void Transportation::linear_minimizer(ConstVectorRef g, VectorRef v) { solver_->require_solution(g, v, kName); }

double Transportation::violation(ConstVectorRef x) const { return detail::marginals_violation(x, supply_, demand_); }

void Transportation::start(VectorRef x) const {
  const double total = sum_of(supply_);
  for (Index j = 0; j < demand_.size(); ++j) {
    for (Index i = 0; i < supply_.size(); ++i) {
      x[j * supply_.size() + i] = supply_[i] * (demand_[j] / total);
    }
  }
}

// ---- flows with capacities ---------------------------------------------------------------------

namespace {

void require_arcs(const FlowGraph& graph, std::string_view name) {
  const auto& [nodes, arcs, source, target] = graph;
  require<UsageError>(!arcs.empty(), name, "arcs", "none");
  for (std::size_t k = 0; k < arcs.size(); ++k) {
    for (const Index end : {arcs[k].from, arcs[k].to}) {
      if (end < 0 || end >= nodes) {
        fail<UsageError>(name, fmt::format("nodes from 0 to {} in arc {}", nodes - 1, k), std::to_string(end));
      }
    }
  }
  for (const Index end : {source, target}) {
    require<UsageError>(end >= 0 && end < nodes, name, fmt::format("a source and a target from 0 to {}", nodes - 1),
                        std::to_string(end));
  }
  require<UsageError>(source != target, name, "a source other than the target", fmt::format("{} for both", source));
}

double conservation_error(ConstVectorRef x, const FlowGraph& graph, double amount) {
  Vector balance = Vector::Zero(graph.nodes);
  balance[graph.source] = -amount;
  balance[graph.target] = amount;
  for (std::size_t k = 0; k < graph.arcs.size(); ++k) {
    balance[graph.arcs[k].from] += x[static_cast<Index>(k)];
    balance[graph.arcs[k].to] -= x[static_cast<Index>(k)];
  }
  return balance.cwiseAbs().maxCoeff();
}

}  // namespace

FlowPolytope::FlowPolytope(Index nodes, std::vector<Arc> arcs, Index source, Index target, const Vector& capacity,
                           double amount)
    : OraclePolytope(static_cast<Index>(arcs.size())),
      graph_{nodes, std::move(arcs), source, target},
      capacity_(capacity),
      amount_(detail::require_positive(amount, kName, "amount")),
      start_(capacity.size()) {
  require_arcs(graph_, kName);
  require<UsageError>(capacity_.size() == dimension(), "flow", fmt::format("{} capacities", dimension()),
                      std::to_string(capacity_.size()));
  for (const double c : capacity_) {
    detail::require_positive(c, kName, "capacity");
  }
  const int bits = detail::fixed_point_bits(std::max(amount_, capacity_.maxCoeff()));
  detail::MinCostFlow::Network network;
  network.nodes = static_cast<int>(graph_.nodes);
  network.bits = bits;
  network.supply.assign(at(graph_.nodes), 0);
  network.supply[at(graph_.source)] = to_fixed(amount_, bits);
  network.supply[at(graph_.target)] = -to_fixed(amount_, bits);
  for (Index k = 0; k < dimension(); ++k) {
    network.from.push_back(static_cast<int>(graph_.arcs[at(k)].from));
    network.to.push_back(static_cast<int>(graph_.arcs[at(k)].to));
    network.capacity.push_back(to_fixed(capacity_[k], bits));
  }
  solver_ = std::make_unique<detail::MinCostFlow>(network);
  require<UsageError>(solver_->solve(Vector::Ones(dimension()), start_), kName,
                      fmt::format("capacities that carry {} from node {} to node {}", text::shortest(amount_),
                                  graph_.source, graph_.target),
                      "a graph with no such flow");
  set_diameter(norm(capacity_));
}

void FlowPolytope::linear_minimizer(ConstVectorRef g, VectorRef v) { solver_->require_solution(g, v, kName); }

double FlowPolytope::violation(ConstVectorRef x) const {
  return std::max({conservation_error(x, graph_, amount_), -x.minCoeff(), (x - capacity_).maxCoeff()});
}

// ---- paths in a DAG ----------------------------------------------------------------------------

namespace {

/// The place of each node in a topological order (Kahn), smallest numbers first; UsageError if there is a cycle.
std::vector<Index> topological_places(Index nodes, const std::vector<Arc>& arcs) {
  std::vector<Index> entering(at(nodes), 0);
  std::vector<std::vector<Index>> leaving(at(nodes));
  for (const Arc& arc : arcs) {
    ++entering[at(arc.to)];
    leaving[at(arc.from)].push_back(arc.to);
  }
  std::vector<Index> ready;
  for (Index i = 0; i < nodes; ++i) {
    if (entering[at(i)] == 0) {
      ready.push_back(i);
    }
  }
  std::vector<Index> place(at(nodes), -1);
  for (std::size_t next = 0; next < ready.size(); ++next) {
    place[at(ready[next])] = static_cast<Index>(next);
    for (const Index to : leaving[at(ready[next])]) {
      if (--entering[at(to)] == 0) {
        ready.push_back(to);
      }
    }
  }
  const auto stuck = std::ranges::find(place, Index{-1});
  require<UsageError>(stuck == place.end(), "dag-paths", "a graph without cycles",
                      fmt::format("one on or before node {}", stuck - place.begin()));
  return place;
}

}  // namespace

DagPaths::DagPaths(Index nodes, std::vector<Arc> arcs, Index source, Index target)
    : OraclePolytope(static_cast<Index>(arcs.size())),
      graph_{nodes, std::move(arcs), source, target},
      start_(dimension()),
      order_(graph_.arcs.size()),
      length_(at(nodes)),
      arrives_by_(at(nodes)) {
  require_arcs(graph_, kName);
  const std::vector<Index> place = topological_places(graph_.nodes, graph_.arcs);
  std::iota(order_.begin(), order_.end(), Index{0});
  std::ranges::sort(order_, [&](Index a, Index b) {
    return std::pair(place[at(graph_.arcs[at(a)].from)], a) < std::pair(place[at(graph_.arcs[at(b)].from)], b);
  });
  // The longest path bounds how many coordinates a vertex has.
  linear_minimizer(Vector::Constant(dimension(), -1.0), start_);
  const double longest = start_.sum();
  require<UsageError>(longest != 0.0, "dag-paths",
                      fmt::format("a path from node {} to node {}", graph_.source, graph_.target), "a graph with none");
  set_diameter(std::sqrt(2.0 * longest));
  linear_minimizer(Vector::Ones(dimension()), start_);
}

void DagPaths::linear_minimizer(ConstVectorRef g, VectorRef v) {
  const double largest = std::abs(g[largest_magnitude(g.data(), g.size())]);
  const double unit = largest > 0.0 ? largest : 1.0;
  std::ranges::fill(length_, std::numeric_limits<double>::infinity());
  std::ranges::fill(arrives_by_, Index{-1});
  length_[at(graph_.source)] = 0.0;
  for (const Index k : order_) {
    const Arc& arc = graph_.arcs[at(k)];
    const double length = length_[at(arc.from)] + g[k] / unit;
    if (arc.to != graph_.source && length < length_[at(arc.to)]) {
      length_[at(arc.to)] = length;
      arrives_by_[at(arc.to)] = k;
    }
  }
  v.setZero();
  for (Index node = graph_.target; arrives_by_[at(node)] >= 0; node = graph_.arcs[at(arrives_by_[at(node)])].from) {
    v[arrives_by_[at(node)]] = 1.0;
  }
}

double DagPaths::violation(ConstVectorRef x) const {
  return std::max(conservation_error(x, graph_, 1.0), -x.minCoeff());
}

}  // namespace slidemesh
