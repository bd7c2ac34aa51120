#include "slidemesh/graphs/generators.h"

#include <fmt/core.h>

#include <string>

#include "builders.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/base/random.h"
#include "slidemesh/base/text.h"

namespace slidemesh {
namespace {

constexpr int kDraws = 100;

/// A kind with the function that makes its edges: from the spec alone, or drawn. A file is read instead.
struct KindEntry {
  GraphKind kind;
  std::vector<Edge> (*fixed)(const GraphSpec& spec) = nullptr;
  std::vector<Edge> (*drawn)(const GraphSpec& spec, RandomStream& random) = nullptr;
};

const std::vector<KindEntry>& entries() {
  using Spec = const GraphSpec&;
  static const std::vector<KindEntry> kEntries = {
      {{"path", "nodes in a line: the hardest to mix over"}, [](Spec spec) { return path_edges(spec.nodes); }},
      {{"ring", "a path whose ends are joined"}, [](Spec spec) { return ring_edges(spec.nodes); }},
      {{"star", "node 0 joined to all others"}, [](Spec spec) { return star_edges(spec.nodes); }},
      {{"complete", "every two nodes joined"}, [](Spec spec) { return complete_edges(spec.nodes); }},
      {{"barbell", "two cliques of half the nodes each, joined by one edge"},
       [](Spec spec) { return barbell_edges(spec.nodes); }},
      {{"grid", "rows x columns, as square as the number of nodes allows or with the given rows"},
       [](Spec spec) { return grid_edges(spec.nodes, spec.rows); }},
      {{"hypercube", "nodes joined where their numbers differ in one bit; a power of two of them"},
       [](Spec spec) { return hypercube_edges(spec.nodes); }},
      {{"cubic", "random with three neighbours each, an expander; an even number of nodes"},
       nullptr,
       [](Spec spec, RandomStream& random) { return cubic_edges(spec.nodes, random); }},
      {{"erdos-renyi", "random: every two nodes joined with probability p"},
       nullptr,
       [](Spec spec, RandomStream& random) { return erdos_renyi_edges(spec.nodes, spec.p, random); }},
      {{"geometric", "random points of the unit square, joined where nearer than radius"},
       nullptr,
       [](Spec spec, RandomStream& random) { return geometric_edges(spec.nodes, spec.radius, random); }},
      {{"file", "an edge list: two node numbers per line, from 0"}},
  };
  return kEntries;
}

const KindEntry& entry_of(const GraphSpec& spec) {
  for (const KindEntry& entry : entries()) {
    if (entry.kind.name == spec.kind) {
      return entry;
    }
  }
  const auto name = [](const KindEntry& entry) -> const std::string& { return entry.kind.name; };
  fail<UsageError>("network.graph", "one of " + text::joined(entries(), ", ", name), text::quoted(spec.kind));
}

std::string unreachable(const Graph& graph) {
  return "expected a connected graph, got one in which node " + std::to_string(graph.first_unreachable()) +
         " cannot be reached from node 0";
}

bool connected(const Graph& graph) { return graph.first_unreachable() == graph.nodes(); }

Graph draw_until_connected(const GraphSpec& spec, const KindEntry& entry) {
  Graph graph;
  for (std::uint32_t draw = 0; draw < kDraws; ++draw) {
    RandomStream random(spec.seed, Purpose::kGraph, draw);
    graph = Graph(spec.nodes, entry.drawn(spec, random));
    if (connected(graph)) {
      return graph;
    }
  }
  const std::string remedy = spec.kind == "erdos-renyi" ? "a larger p" : "a larger radius";
  throw UsageError(fmt::format("network.graph: {}, and so in all {} draws of {} with {} nodes; {} would help",
                               unreachable(graph), kDraws, spec.kind, spec.nodes, remedy));
}

}  // namespace

const std::vector<GraphKind>& graph_kinds() {
  static const std::vector<GraphKind> kinds = [] {
    std::vector<GraphKind> all;
    for (const KindEntry& entry : entries()) {
      all.push_back(entry.kind);
    }
    return all;
  }();
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
    fail<UsageError>("network.nodes", "at least 1", std::to_string(spec.nodes));
  }
  const KindEntry& entry = entry_of(spec);
  return entry.drawn != nullptr ? draw_until_connected(spec, entry) : Graph(spec.nodes, entry.fixed(spec));
}

}  // namespace slidemesh
