#include "slidemesh/graphs/generators.h"

#include <string>

#include "builders.h"
#include "slidemesh/base/errors.h"
#include "slidemesh/base/random.h"

namespace slidemesh {
namespace {

constexpr int kDraws = 100;

bool is_random(const std::string& kind) { return kind == "erdos-renyi" || kind == "geometric" || kind == "cubic"; }

std::vector<Edge> fixed_edges(const GraphSpec& spec) {
  if (spec.kind == "path") {
    return path_edges(spec.nodes);
  }
  if (spec.kind == "ring") {
    return ring_edges(spec.nodes);
  }
  if (spec.kind == "star") {
    return star_edges(spec.nodes);
  }
  if (spec.kind == "complete") {
    return complete_edges(spec.nodes);
  }
  if (spec.kind == "barbell") {
    return barbell_edges(spec.nodes);
  }
  if (spec.kind == "grid") {
    return grid_edges(spec.nodes, spec.rows);
  }
  if (spec.kind == "hypercube") {
    return hypercube_edges(spec.nodes);
  }
  std::string known;
  for (const GraphKind& kind : graph_kinds()) {
    known += (known.empty() ? "" : ", ") + kind.name;
  }
  throw UsageError("network.graph: expected one of " + known + ", got '" + spec.kind + "'");
}

std::vector<Edge> random_edges(const GraphSpec& spec, RandomStream& random) {
  if (spec.kind == "erdos-renyi") {
    return erdos_renyi_edges(spec.nodes, spec.p, random);
  }
  return spec.kind == "geometric" ? geometric_edges(spec.nodes, spec.radius, random) : cubic_edges(spec.nodes, random);
}

std::string unreachable(const Graph& graph) {
  return "expected a connected graph, got one in which node " + std::to_string(graph.first_unreachable()) +
         " cannot be reached from node 0";
}

bool connected(const Graph& graph) { return graph.first_unreachable() == graph.nodes(); }

Graph draw_until_connected(const GraphSpec& spec) {
  Graph graph;
  for (std::uint32_t draw = 0; draw < kDraws; ++draw) {
    RandomStream random(spec.seed, Purpose::kGraph, draw);
    graph = Graph(spec.nodes, random_edges(spec, random));
    if (connected(graph)) {
      return graph;
    }
  }
  const std::string remedy = spec.kind == "erdos-renyi" ? "a larger p" : "a larger radius";
  throw UsageError("network.graph: " + unreachable(graph) + ", and so in all " + std::to_string(kDraws) + " draws of " +
                   spec.kind + " with " + std::to_string(spec.nodes) + " nodes; " + remedy + " would help");
}

}  // namespace

const std::vector<GraphKind>& graph_kinds() {
  static const std::vector<GraphKind> kinds = {
      {"path", "nodes in a line: the hardest to mix over"},
      {"ring", "a path whose ends are joined"},
      {"star", "node 0 joined to all others"},
      {"complete", "every two nodes joined"},
      {"barbell", "two cliques of half the nodes each, joined by one edge"},
      {"grid", "rows x columns, as square as the number of nodes allows or with the given rows"},
      {"hypercube", "nodes joined where their numbers differ in one bit; a power of two of them"},
      {"cubic", "random with three neighbours each, an expander; an even number of nodes"},
      {"erdos-renyi", "random: every two nodes joined with probability p"},
      {"geometric", "random points of the unit square, joined where nearer than radius"},
      {"file", "an edge list: two node numbers a line, from 0"},
  };
  return kinds;
}

Graph make_graph(const GraphSpec& spec) {
  if (spec.kind == "file") {
    Graph graph = read_edge_list(spec.path, spec.nodes);
    if (!connected(graph)) {
      throw DataError(spec.path.string() + ": " + unreachable(graph));
    }
    return graph;
  }
  if (spec.nodes < 1) {
    throw UsageError("network.nodes: expected at least 1, got " + std::to_string(spec.nodes));
  }
  return is_random(spec.kind) ? draw_until_connected(spec) : Graph(spec.nodes, fixed_edges(spec));
}

}  // namespace slidemesh
