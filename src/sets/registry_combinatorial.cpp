#include <algorithm>
#include <utility>

#include "slidemesh/base/errors.h"
#include "slidemesh/sets/matroids.h"
#include "slidemesh/sets/polytope.h"
#include "slidemesh/sets/transport.h"
#include "spec_reader.h"

namespace slidemesh::detail {
namespace {

/// `arcs` or `edges`: pairs of nodes, as many as there are coordinates. The number of nodes is one more than the
/// largest.
struct Pairs {
  std::vector<Arc> arcs;
  Index nodes = 0;
};

Pairs read_pairs(const SpecReader& reader, const std::string& key) {
  constexpr Index kMostNodes = 100'000'000;
  Pairs pairs;
  const auto lists = reader.index_lists(key, kMostNodes);
  for (std::size_t k = 0; k < lists.size(); ++k) {
    if (lists[k].size() != 2) {
      reader.fail(key + "[" + std::to_string(k) + "]", "two nodes", std::to_string(lists[k].size()) + " numbers");
    }
    pairs.arcs.push_back({lists[k][0], lists[k][1]});
    pairs.nodes = std::max({pairs.nodes, lists[k][0] + 1, lists[k][1] + 1});
  }
  reader.require(static_cast<Index>(pairs.arcs.size()) == reader.dimension(), key,
                 std::to_string(reader.dimension()) + " pairs, one per coordinate", std::to_string(pairs.arcs.size()));
  return pairs;
}

Index read_node(const SpecReader& reader, const std::string& key, Index nodes) {
  const Index node = reader.integer(key);
  reader.require(node >= 0 && node < nodes, key, "a node from 0 to " + std::to_string(nodes - 1), std::to_string(node));
  return node;
}

std::unique_ptr<FeasibleSet> build_transportation(const SpecReader& reader) {
  const Vector supply = reader.numbers("supply");
  const Vector demand = reader.numbers("demand");
  reader.require(supply.size() * demand.size() == reader.dimension(), "demand",
                 "supply x demand to be the dimension " + std::to_string(reader.dimension()),
                 std::to_string(supply.size()) + " x " + std::to_string(demand.size()));
  return std::make_unique<Transportation>(supply, demand);
}

std::unique_ptr<FeasibleSet> build_flow(const SpecReader& reader) {
  Pairs pairs = read_pairs(reader, "arcs");
  const Vector capacity = reader.has("capacity") ? reader.per_coordinate("capacity") : Vector::Ones(reader.dimension());
  return std::make_unique<FlowPolytope>(pairs.nodes, std::move(pairs.arcs), read_node(reader, "source", pairs.nodes),
                                        read_node(reader, "target", pairs.nodes), capacity,
                                        reader.positive("amount", 1.0));
}

std::vector<Index> whole_numbers(const SpecReader& reader, const std::string& key, const Vector& values) {
  std::vector<Index> result;
  for (const double value : values) {
    if (value < 0.0 || value != static_cast<double>(static_cast<Index>(value))) {
      reader.fail(key, "whole numbers that are not negative", describe(value));
    }
    result.push_back(static_cast<Index>(value));
  }
  return result;
}

std::unique_ptr<FeasibleSet> build_matroid(const SpecReader& reader) {
  if (reader.has("vectors")) {
    reader.require(!reader.has("classes") && !reader.has("limits"), "vectors", "either vectors or classes with limits",
                   "both");
    const auto columns = reader.lists("vectors");
    reader.require(!columns.empty() && static_cast<Index>(columns.size()) == reader.dimension(), "vectors",
                   std::to_string(reader.dimension()) + " vectors, one per coordinate", std::to_string(columns.size()));
    return std::make_unique<MatroidBases>(
        std::make_unique<LinearMatroid>(reader.columns("vectors", static_cast<Index>(columns[0].size()))));
  }
  auto classes = whole_numbers(reader, "classes", reader.numbers("classes", reader.dimension()));
  auto limits = whole_numbers(reader, "limits", reader.numbers("limits"));
  return std::make_unique<MatroidBases>(std::make_unique<PartitionMatroid>(std::move(classes), std::move(limits)));
}

/// What is wrong with the constraints is wrong in their file.
std::unique_ptr<FeasibleSet> polytope_of(const std::filesystem::path& file, PolytopeRows rows) {
  try {
    return std::make_unique<Polytope>(std::move(rows));
  } catch (const UsageError& error) {
    throw DataError(file.string() + ": " + error.what());
  }
}

std::unique_ptr<FeasibleSet> build_polytope(const SpecReader& reader) {
  const std::filesystem::path file = reader.file("file");
  PolytopeRows rows = read_polytope(file, reader.dimension());
  if (reader.has("lower") && reader.has("upper")) {
    static_cast<void>(read_bounds(reader));
  }
  if (reader.has("lower")) {
    const Vector lower = reader.per_coordinate("lower");
    rows.variable_lower = rows.variable_lower.size() > 0 ? Vector(rows.variable_lower.cwiseMax(lower)) : lower;
  }
  if (reader.has("upper")) {
    const Vector upper = reader.per_coordinate("upper");
    rows.variable_upper = rows.variable_upper.size() > 0 ? Vector(rows.variable_upper.cwiseMin(upper)) : upper;
  }
  return polytope_of(file, std::move(rows));
}

std::unique_ptr<FeasibleSet> build_hull(const SpecReader& reader) {
  if (reader.has("file")) {
    reader.require(!reader.has("points"), "points", "either points or file", "both");
    return std::make_unique<Hull>(read_points(reader.file("file"), reader.dimension()));
  }
  return std::make_unique<Hull>(reader.columns("points", reader.dimension()));
}

}  // namespace

std::vector<SetKind> combinatorial_kinds() {
  const SetKey arcs{"arcs", SetKeyType::kLists, "", "[from, to] of each arc, nodes counted from 0"};
  const SetKey source{"source", SetKeyType::kInteger, "", "where it begins"};
  const SetKey target{"target", SetKeyType::kInteger, "", "where it ends"};
  return {
      {"birkhoff",
       "doubly stochastic matrices: mixtures of permutations",
       {},
       [](const SpecReader& reader) { return std::make_unique<Birkhoff>(reader.side_of_square()); }},
      {"transportation",
       "matrices >= 0 with given row sums (supply) and column sums (demand)",
       {{"supply", SetKeyType::kNumbers, "", "row sums"}, {"demand", SetKeyType::kNumbers, "", "column sums"}},
       &build_transportation},
      {"flow",
       "flows of an amount from source to target within capacities",
       {arcs,
        source,
        target,
        {"capacity", SetKeyType::kNumberOrNumbers, "1", "the most that an arc carries"},
        {"amount", SetKeyType::kNumber, "1", "how much flows"}},
       &build_flow},
      {"dag-paths",
       "paths from source to target of an acyclic graph, and their mixtures",
       {arcs, source, target},
       [](const SpecReader& reader) {
         Pairs pairs = read_pairs(reader, "arcs");
         return std::make_unique<DagPaths>(pairs.nodes, std::move(pairs.arcs), read_node(reader, "source", pairs.nodes),
                                           read_node(reader, "target", pairs.nodes));
       }},
      {"spanning-trees",
       "spanning trees of a connected graph, and their mixtures",
       {{"edges", SetKeyType::kLists, "", "[a, b] of each edge, nodes counted from 0"}},
       [](const SpecReader& reader) {
         Pairs pairs = read_pairs(reader, "edges");
         return spanning_trees(pairs.nodes, std::move(pairs.arcs));
       }},
      {"matroid-bases",
       "bases of a partition matroid (classes, limits) or a linear one (vectors), and their mixtures",
       {{"classes", SetKeyType::kNumbers, "from vectors", "the class of each element, from 0"},
        {"limits", SetKeyType::kNumbers, "from vectors", "how many of each class"},
        {"vectors", SetKeyType::kLists, "from classes", "the vector of each element"}},
       &build_matroid},
      {"polytope",
       "A x <= b, E x = f from a file (text or MPS)",
       {{"file", SetKeyType::kText, "", "the constraints"},
        {"lower", SetKeyType::kNumberOrNumbers, "the file's", "lower bounds on x"},
        {"upper", SetKeyType::kNumberOrNumbers, "the file's", "upper bounds on x"}},
       &build_polytope},
      {"hull",
       "convex hull of listed points",
       {{"points", SetKeyType::kLists, "from file", "the points"},
        {"file", SetKeyType::kText, "from points", "a text file of points, one per line"}},
       &build_hull},
  };
}

}  // namespace slidemesh::detail
