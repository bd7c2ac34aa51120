#include "slidemesh/graphs/generators.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "slidemesh/base/fail.h"
#include "slidemesh/base/random.h"
#include "slidemesh/base/text.h"

namespace slidemesh {
namespace {

// ---- the kinds, one function each: what they return need not be connected

void append_clique(Index first, Index count, std::vector<Edge>& edges) {
  for (Index i = first; i < first + count; ++i) {
    for (Index j = i + 1; j < first + count; ++j) {
      edges.emplace_back(i, j);
    }
  }
}

std::size_t pairs(Index n) { return static_cast<std::size_t>(n * (n - 1) / 2); }

std::vector<Edge> path_edges(Index nodes) {
  std::vector<Edge> edges;
  edges.reserve(static_cast<std::size_t>(nodes));
  for (Index i = 0; i + 1 < nodes; ++i) {
    edges.emplace_back(i, i + 1);
  }
  return edges;
}

std::vector<Edge> ring_edges(Index nodes) {
  require<UsageError>(nodes >= 3, "network.nodes", "at least 3 for a ring", std::to_string(nodes));
  std::vector<Edge> edges = path_edges(nodes);
  edges.emplace_back(0, nodes - 1);
  return edges;
}

std::vector<Edge> star_edges(Index nodes) {
  std::vector<Edge> edges;
  for (Index i = 1; i < nodes; ++i) {
    edges.emplace_back(0, i);
  }
  return edges;
}

std::vector<Edge> complete_edges(Index nodes) {
  std::vector<Edge> edges;
  edges.reserve(pairs(nodes));
  append_clique(0, nodes, edges);
  return edges;
}

std::vector<Edge> barbell_edges(Index nodes) {
  require<UsageError>(nodes >= 2, "network.nodes", "at least 2 for a barbell", std::to_string(nodes));
  const Index half = nodes / 2;  // of an odd number, the second clique gets the extra node
  std::vector<Edge> edges;
  edges.reserve(pairs(half) + pairs(nodes - half) + 1);
  append_clique(0, half, edges);
  append_clique(half, nodes - half, edges);
  edges.emplace_back(half - 1, half);
  return edges;
}

std::vector<Edge> grid_edges(Index nodes, Index rows) {
  if (rows == 0) {  // the largest divisor that is no more than the root
    for (Index r = 1; r * r <= nodes; ++r) {
      rows = nodes % r == 0 ? r : rows;
    }
  }
  require<UsageError>(rows >= 1 && rows <= nodes && nodes % rows == 0, "network.rows",
                      fmt::format("a divisor of the {} nodes", nodes), std::to_string(rows));
  const Index columns = nodes / rows;
  std::vector<Edge> edges;
  for (Index i = 0; i < nodes; ++i) {
    if ((i + 1) % columns != 0) {
      edges.emplace_back(i, i + 1);
    }
    if (i + columns < nodes) {
      edges.emplace_back(i, i + columns);
    }
  }
  return edges;
}

std::vector<Edge> hypercube_edges(Index nodes) {
  require<UsageError>(nodes >= 1 && (nodes & (nodes - 1)) == 0, "network.nodes", "a power of two for a hypercube",
                      std::to_string(nodes));
  std::vector<Edge> edges;
  for (Index i = 0; i < nodes; ++i) {
    for (Index bit = 1; bit < nodes; bit *= 2) {
      if ((i & bit) == 0) {
        edges.emplace_back(i, i | bit);
      }
    }
  }
  return edges;
}

/// One draw of the configuration model: three stubs per node, paired at random. False if the pairing
/// has a self-loop or a double edge.
bool pair_stubs(std::vector<Index>& stubs, RandomStream& random, std::vector<Edge>& edges) {
  shuffle(stubs, random);
  edges.clear();
  for (std::size_t s = 0; s < stubs.size(); s += 2) {
    edges.emplace_back(std::minmax(stubs[s], stubs[s + 1]));
    if (edges.back().first == edges.back().second) {
      return false;
    }
  }
  std::sort(edges.begin(), edges.end());
  return std::adjacent_find(edges.begin(), edges.end()) == edges.end();
}

// Drawing until the pairing is simple makes every cubic graph equally likely. A draw is simple with
// probability about exp(-2), whatever the number of nodes, so that 1,000 draws fail once in 1e63.
std::vector<Edge> cubic_edges(Index nodes, RandomStream& random) {
  require<UsageError>(nodes >= 4 && nodes % 2 == 0, "network.nodes", "an even number, at least 4, for a cubic graph",
                      std::to_string(nodes));
  std::vector<Index> stubs;
  stubs.reserve(static_cast<std::size_t>(3 * nodes));
  for (Index i = 0; i < nodes; ++i) {
    stubs.insert(stubs.end(), 3, i);
  }
  std::vector<Edge> edges;
  edges.reserve(stubs.size() / 2);
  constexpr int kDraws = 1000;
  for (int draw = 0; draw < kDraws; ++draw) {
    if (pair_stubs(stubs, random, edges)) {
      return edges;
    }
  }
  throw InternalError("graph: no simple cubic graph in " + std::to_string(kDraws) + " draws");
}

// Walks the pairs (i, j), j < i, and leaps from edge to edge: the number of pairs between two edges
// is geometric (Batagelj, Brandes 2005). Work and random numbers in proportion to the edges.
std::vector<Edge> erdos_renyi_edges(Index nodes, double p, RandomStream& random) {
  require<UsageError>(p > 0.0 && p <= 1.0, "network.p", "a probability in (0, 1]", text::shortest(p));
  if (p == 1.0) {
    return complete_edges(nodes);
  }
  std::vector<Edge> edges;
  const auto m = static_cast<double>(nodes);
  edges.reserve(static_cast<std::size_t>(p * m * (m - 1.0) / 2.0));
  const double log_miss = std::log1p(-p);
  const double all_pairs = m * m;
  Index i = 1;
  Index j = -1;
  while (i < nodes) {
    const double leap = std::floor(std::log1p(-random.unit()) / log_miss);
    j += 1 + static_cast<Index>(std::min(leap, all_pairs));
    while (j >= i && i < nodes) {
      j -= i;
      ++i;
    }
    if (i < nodes) {
      edges.emplace_back(j, i);
    }
  }
  return edges;
}

// Points of the unit square, sorted into cells no narrower than the radius: a point's partners are in
// its own cell and the eight around it.
std::vector<Edge> geometric_edges(Index nodes, double radius, RandomStream& random) {
  const auto m = static_cast<double>(nodes);
  if (radius == 0.0) {
    radius = nodes > 1 ? std::sqrt(2.0 * std::log(m) / m) : 1.0;
  }
  require<UsageError>(radius > 0.0, "network.radius", "a positive number", text::shortest(radius));
  struct Point {
    double x, y;
  };
  std::vector<Point> points(static_cast<std::size_t>(nodes));
  for (Point& point : points) {
    point.x = random.unit();
    point.y = random.unit();
  }
  const auto across = static_cast<Index>(std::clamp(std::floor(1.0 / radius), 1.0, std::ceil(std::sqrt(m))));
  const auto cell_of = [across](double u) {
    return std::min(static_cast<Index>(u * static_cast<double>(across)), across - 1);
  };
  std::vector<std::vector<Index>> cells(static_cast<std::size_t>(across * across));
  std::vector<Edge> edges;
  for (Index i = 0; i < nodes; ++i) {  // joined to the earlier points, then entered itself
    const Point& a = points[static_cast<std::size_t>(i)];
    const Index row = cell_of(a.y);
    const Index column = cell_of(a.x);
    for (Index r = std::max<Index>(row - 1, 0); r <= std::min(row + 1, across - 1); ++r) {
      for (Index c = std::max<Index>(column - 1, 0); c <= std::min(column + 1, across - 1); ++c) {
        for (const Index j : cells[static_cast<std::size_t>(r * across + c)]) {
          const Point& b = points[static_cast<std::size_t>(j)];
          if ((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) < radius * radius) {
            edges.emplace_back(j, i);
          }
        }
      }
    }
    cells[static_cast<std::size_t>(row * across + column)].push_back(i);
  }
  return edges;
}

// ---- by name

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
  require<UsageError>(spec.nodes >= 1, "network.nodes", "at least 1", std::to_string(spec.nodes));
  const KindEntry& entry = entry_of(spec);
  return entry.drawn != nullptr ? draw_until_connected(spec, entry) : Graph(spec.nodes, entry.fixed(spec));
}

}  // namespace slidemesh
