#include <algorithm>
#include <cmath>
#include <string>

#include "builders.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/base/text.h"

namespace slidemesh {
namespace {

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

}  // namespace

// Drawing until the pairing is simple makes every cubic graph equally likely. A draw is simple with
// probability about exp(-2), whatever the number of nodes, so that 1,000 draws fail once in 1e63.
std::vector<Edge> cubic_edges(Index nodes, RandomStream& random) {
  if (nodes < 4 || nodes % 2 != 0) {
    fail<UsageError>("network.nodes", "an even number, at least 4, for a cubic graph", std::to_string(nodes));
  }
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
  if (!(p > 0.0 && p <= 1.0)) {
    fail<UsageError>("network.p", "a probability in (0, 1]", text::shortest(p));
  }
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
  if (!(radius > 0.0)) {
    fail<UsageError>("network.radius", "a positive number", text::shortest(radius));
  }
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

}  // namespace slidemesh
