// What a user can get wrong about a set, and the one line that says so.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "slidemesh/base/errors.h"
#include "slidemesh/sets/polytope.h"
#include "slidemesh/sets/registry.h"
#include "support/error_text.h"
#include "support/temp_dir.h"

namespace slidemesh {
namespace {

using testing::error_text;
using testing::TempDir;
using Lists = std::vector<std::vector<double>>;
using Numbers = std::vector<double>;

template <class ErrorType = UsageError>
std::string complaint(std::string kind, std::map<std::string, SetValue> parameters, Index dimension) {
  const SetSpec spec{.kind = std::move(kind), .parameters = std::move(parameters)};
  return error_text<ErrorType>([&] { static_cast<void>(make_set(spec, dimension)); });
}

/// What is said of a file of constraints on two coordinates, behind its name.
std::string complaint_about_polytope(const TempDir& files, const std::string& name, const std::string& text) {
  const std::string path = files.write(name, text).string();
  const std::string message = complaint<DataError>("polytope", {{"file", path}}, 2);
  EXPECT_EQ(message.substr(0, path.size()), path);
  return message.substr(std::min(path.size(), message.size()));
}

TEST(BadSets, GroupsThatDoNotCover) {
  EXPECT_EQ(complaint("group-lasso-ball", {{"radius", 1.0}, {"groups", Lists{{0, 1}, {3}}}}, 4),
            "problem.set: group-lasso-ball: expected groups that cover every coordinate, got none with 2");
  EXPECT_EQ(complaint("group-lasso-ball", {{"radius", 1.0}, {"groups", Lists{{0, 1}, {1, 2}}}}, 3),
            "problem.set: group-lasso-ball: expected every coordinate in one group, got 1 in two");
  EXPECT_EQ(complaint("group-lasso-ball", {{"radius", 1.0}, {"groups", Lists{{0, 9}}}}, 3),
            "problem.set.groups[0]: expected whole numbers from 0 to 2, got 9");
  EXPECT_EQ(complaint("group-lasso-ball", {{"radius", 1.0}, {"group_size", 2.0}}, 3),
            "problem.set.group_size: expected a divisor of the dimension 3, got 2");
}

TEST(BadSets, GroupsThatAreNone) {
  EXPECT_EQ(complaint("group-lasso-ball", {{"radius", 1.0}, {"groups", Lists{}}}, 4),
            "problem.set: group-lasso-ball: expected groups that cover every coordinate, got no group");
  EXPECT_EQ(complaint("group-lasso-ball", {{"radius", 1.0}, {"group_size", 2.0}, {"weights", Numbers{1.0, -1.0}}}, 4),
            "problem.set: group-lasso-ball: expected a positive weight, got -1");
}

TEST(BadSets, PolytopesWithoutAPointOrWithoutAnEnd) {
  const TempDir files;
  const std::string path = (files / "set.txt").string();
  const auto polytope = [&](const std::string& text) {
    return complaint<DataError>("polytope", {{"file", files.write("set.txt", text).string()}}, 2);
  };
  EXPECT_EQ(polytope("1 1 <= 1\n1 0 >= 2\n0 1 >= 2\n"),
            path + ": polytope: expected constraints that some point meets, got an empty set");
  EXPECT_EQ(polytope("1 0 <= 1\n1 0 >= 0\n0 1 >= 0\n"),
            path + ": polytope: expected a bounded set, got one without end in coordinate 1");
  EXPECT_EQ(complaint("polytope", {{"file", path}, {"lower", 0.0}, {"upper", -1.0}}, 2),
            "problem.set.upper: expected no less than lower at position 0, got -1");
}

TEST(BadSets, PolytopeFilesNameTheirLine) {
  const TempDir files;
  const auto polytope = [&](const std::string& text) { return complaint_about_polytope(files, "set.txt", text); };
  EXPECT_EQ(polytope("# a box\n1 0 <= 1\n1 0 0 <= 1\n"), ":3: expected 2 coefficients, got 3");
  EXPECT_EQ(polytope("1 0 < 1\n"),
            ":1: expected coefficients, then <=, >= or =, then a number, got 4 words without one");
  EXPECT_EQ(polytope("1 x <= 1\n"), ":1: expected a finite number, got 'x'");
  EXPECT_EQ(polytope("1 0 <= nan\n"), ":1: expected a finite number, got 'nan'");
  EXPECT_EQ(polytope("0:1 5:2 <= 1\n"), ":1: expected a coordinate from 0 to 1, got 5");
  EXPECT_EQ(polytope("0:1 2 <= 1\n"), ":1: expected either all coefficients or j:value throughout, got '2'");
  EXPECT_EQ(polytope("0:1 0:2 <= 1\n"), ":1: expected every coordinate once, got '0:2' again");
  EXPECT_EQ(polytope("\n"), ": expected constraints, got none");
  EXPECT_EQ(complaint<DataError>("polytope", {{"file", (files / "none.mps").string()}}, 2),
            (files / "none.mps").string() + ": cannot read: No such file or directory");
  EXPECT_EQ(complaint<DataError>("polytope", {{"file", (files / "none.txt").string()}}, 2),
            (files / "none.txt").string() + ": cannot read: No such file or directory");
}

TEST(BadSets, MpsFilesNameTheirLine) {
  const TempDir files;
  const auto polytope = [&](const std::string& text) { return complaint_about_polytope(files, "set.mps", text); };
  const std::string rows = "NAME small\nROWS\n N cost\n L first\n";  // 4 lines
  const std::string columns = rows + "COLUMNS\n x first 1\n y first 1\n";
  EXPECT_EQ(polytope(" L first\n"), ":1: expected a section, such as ROWS, before its lines, got 'L'");
  EXPECT_EQ(polytope("QSECTION\n"), ":1: expected a section of a linear program in MPS, got 'QSECTION'");
  EXPECT_EQ(polytope("NAME " + std::string(100'000, 'n') + "\n" + std::string(100'000, 'm') + "\n"),
            ":2: expected a section of a linear program in MPS, got '" + std::string(40, 'm') + "...'");
  EXPECT_EQ(polytope(rows + " X second\n"), ":5: expected N, L, G or E and a name, got 2 words that begin with 'X'");
  EXPECT_EQ(polytope(rows + " G first\n"), ":5: expected every row once, got 'first' again");
  EXPECT_EQ(polytope(rows + "COLUMNS\n x first\n"),
            ":6: expected a column, and one or two rows with a value each, got 2 words that begin with 'x'");
  EXPECT_EQ(polytope(rows + "COLUMNS\n x other 1\n"), ":6: expected a row of the section ROWS, got 'other'");
  EXPECT_EQ(polytope(rows + "COLUMNS\n x first nan\n"), ":6: expected a finite number, got 'nan'");
  EXPECT_EQ(polytope(rows + "COLUMNS\n x first 1 first 2\n"), ":6: expected every row once in a column, got one again");
  EXPECT_EQ(polytope(columns + " x cost 1\n"), ":8: expected the entries of a column together, got 'x' again");
  EXPECT_EQ(polytope(rows + "COLUMNS\n m 'MARKER' 'INTORG'\n"),
            ":6: expected variables that are not integers, got a marker of some that are");
  EXPECT_EQ(polytope(columns + "BOUNDS\n BV b x\n"), ":9: expected UP, LO, FX, FR, MI or PL, got 'BV'");
  EXPECT_EQ(polytope(columns + "BOUNDS\n UP b z 1\n"), ":9: expected a column of the section COLUMNS, got 'z'");
  EXPECT_EQ(polytope(columns + "BOUNDS\n UP x\n"),
            ":9: expected a kind of bound, a column and a value, got 2 words that begin with 'UP'");
  EXPECT_EQ(polytope(columns + "BOUNDS\n UP b x -1\nENDATA\n"),
            ": expected a lower bound for column 'x', whose upper bound is below 0, got none");
  EXPECT_EQ(polytope(columns), ": expected ENDATA at the end of an MPS file, got none");
  EXPECT_EQ(polytope(rows + "COLUMNS\n x first 1\nENDATA\n"), ": expected 2 columns, got 1");
  EXPECT_EQ(polytope(columns + "ENDATA\n x\n"), ":9: expected nothing after ENDATA, got 'x'");
}

TEST(BadSets, PolytopeFromMpsIsWhatTheFileSays) {
  const TempDir files;
  const auto file = files.write("set.mps",
                                "* each kind of row, range and bound\n"
                                "NAME          every kind\n"
                                "OBJSENSE\n    MAX\n"
                                "ROWS\n N  cost\n L  less\n G  more\n E  equal\n E  above\n E  below\n L  band\n"
                                "COLUMNS\n"
                                "    x  cost  1.0  less  1.0\n    x  more  2.0  equal  3.0\n"
                                "    y  less  -1.0  above  4.0\n    y  below  5.0  band  6.0\n"
                                "    z  cost  7.0  band  -6.5\n    w  more  1\n    v  more  1\n    u  more  1\n"
                                "RHS\n    rhs  less  10.0  more  -20.0\n    equal  30.0\n    above 40 below 50\n"
                                "    rhs  band  60.0\n"
                                "RANGES\n    rng  above  1.5  below  -2.5\n    rng  band  3.5\n"
                                "BOUNDS\n UP bnd  x  8.0\n LO bnd  x  -8.0\n MI bnd  y\n UP  y  9.0\n FX bnd  z  0.25\n"
                                " FR bnd  w\n PL bnd  v\n UP bnd  u  1e30\n"
                                "ENDATA\n");
  const PolytopeRows rows = read_polytope(file, 6);
  constexpr double kInfinity = std::numeric_limits<double>::max();
  EXPECT_EQ(rows.lower, (std::vector<double>{-kInfinity, -20.0, 30.0, 40.0, 47.5, 56.5}));
  EXPECT_EQ(rows.upper, (std::vector<double>{10.0, kInfinity, 30.0, 41.5, 50.0, 60.0}));
  EXPECT_EQ(rows.offsets, (std::vector<std::size_t>{0, 2, 6, 7, 8, 9, 11}));
  EXPECT_EQ(rows.columns, (std::vector<Index>{0, 1, 0, 3, 4, 5, 0, 1, 1, 1, 2}));
  EXPECT_EQ(rows.values, (std::vector<double>{1.0, -1.0, 2.0, 1.0, 1.0, 1.0, 3.0, 4.0, 5.0, 6.0, -6.5}));
  EXPECT_EQ(rows.variable_lower, (Vector{{-8.0, -kInfinity, 0.25, -kInfinity, 0.0, 0.0}}));
  EXPECT_EQ(rows.variable_upper, (Vector{{8.0, 9.0, 0.25, kInfinity, kInfinity, kInfinity}}));
}

TEST(BadSets, PolytopeFromAFileIsWhatTheFileSays) {
  const TempDir files;
  const auto file = files.write("set.txt", "# x + y <= 1, in two ways of writing\n1 1 <= 1\n0:1 >= 0  # x\n1:1 >= 0\n");
  const auto set = make_set({.kind = "polytope", .parameters = {{"file", file.string()}}}, 2);
  EXPECT_TRUE(set->contains(Vector{{0.5, 0.5}}));
  EXPECT_FALSE(set->contains(Vector{{0.6, 0.5}}));
  const auto relative = make_set(
      {.kind = "polytope", .parameters = {{"file", std::string("set.txt")}}, .base_directory = files.path()}, 2);
  EXPECT_EQ(relative->dimension(), 2);
  Vector v(2);
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(set->linear_minimizer(Vector{{bad, 1.0}}, v), DataError) << "Clp would end the process";
  }
}

TEST(BadSets, CyclicDags) {
  EXPECT_EQ(
      complaint("dag-paths", {{"arcs", Lists{{0, 1}, {1, 2}, {2, 1}, {2, 3}}}, {"source", 0.0}, {"target", 3.0}}, 4),
      "problem.set: dag-paths: expected a graph without cycles, got one on or before node 1");
}

TEST(BadSets, GraphsWithNoPath) {
  EXPECT_EQ(complaint("dag-paths", {{"arcs", Lists{{0, 1}, {2, 3}}}, {"source", 0.0}, {"target", 3.0}}, 2),
            "problem.set: dag-paths: expected a path from node 0 to node 3, got a graph with none");
  EXPECT_EQ(complaint("flow", {{"arcs", Lists{{0, 1}, {2, 3}}}, {"source", 0.0}, {"target", 3.0}}, 2),
            "problem.set: flow: expected capacities that carry 1 from node 0 to node 3, got a graph with no such flow");
  EXPECT_EQ(complaint("spanning-trees", {{"edges", Lists{{0, 1}, {2, 3}}}}, 2),
            "problem.set: spanning-trees: expected a connected graph, got one of 2 pieces");
  EXPECT_EQ(complaint("dag-paths", {{"arcs", Lists{{0, 1}}}, {"source", 0.0}, {"target", 7.0}}, 1),
            "problem.set.target: expected a node from 0 to 1, got 7");
}

TEST(BadSets, MismatchedShapes) {
  EXPECT_EQ(complaint("birkhoff", {}, 5), "problem.set: expected a square matrix as the variable, got dimension 5");
  EXPECT_EQ(complaint("nuclear-ball", {{"radius", 1.0}, {"rows", 4.0}}, 10),
            "problem.set.rows: expected a divisor of the dimension 10, got 4");
  EXPECT_EQ(complaint("transportation", {{"supply", Numbers{1, 1}}, {"demand", Numbers{1, 1}}}, 5),
            "problem.set.demand: expected supply x demand to be the dimension 5, got 2 x 2");
  EXPECT_EQ(complaint("transportation", {{"supply", Numbers{1, 1}}, {"demand", Numbers{1, 2}}}, 4),
            "problem.set: transportation: expected demand that sums to the supply's 2, got 3");
  EXPECT_EQ(complaint("dag-paths", {{"arcs", Lists{{0, 1}, {1, 2}}}, {"source", 0.0}, {"target", 2.0}}, 3),
            "problem.set.arcs: expected 3 pairs, one per coordinate, got 2");
  EXPECT_EQ(complaint("hull", {{"points", Lists{{1, 2}, {1, 2, 3}}}}, 2),
            "problem.set.points[1]: expected 2 numbers, got 3");
  EXPECT_EQ(complaint("ellipsoid", {{"shape", Lists{{1, 0}, {0}}}}, 2),
            "problem.set.shape: expected a square matrix, got a row of 1 numbers");
  EXPECT_EQ(complaint("ellipsoid", {{"shape", Lists{{2, 0}, {0.5, 2}}}}, 2),
            "problem.set: ellipsoid: expected a symmetric shape, got 0.5 in row 1, column 0 and 0 across");
}

TEST(BadSets, VertexFilesWithNan) {
  const TempDir files;
  const auto path = files.write("points.csv", "0,0\n1,nan\n").string();
  EXPECT_EQ(complaint<DataError>("hull", {{"file", path}}, 2), path + ":2: expected a finite number, got 'nan'");
  EXPECT_EQ(complaint("hull", {{"points", Lists{{0, 0}, {1, std::nan("")}}}}, 2),
            "problem.set.points[1]: expected finite numbers, got nan");
  const auto uneven = files.write("uneven.csv", "0 0\n1\n").string();
  EXPECT_EQ(complaint<DataError>("hull", {{"file", uneven}}, 2), uneven + ":2: expected 2 numbers, got 1");
}

TEST(BadSets, PartsNameTheirPlace) {
  const std::vector<SetSpec> parts{{.kind = "simplex"}, {.kind = "l1-ball", .parameters = {{"radius", -2.0}}}};
  EXPECT_EQ(complaint("product", {{"parts", parts}, {"sizes", Numbers{2, 3}}}, 5),
            "problem.set.parts[1].radius: expected a positive number, got -2");
  EXPECT_EQ(complaint("product", {{"parts", std::vector<SetSpec>{{.kind = "simplex"}}}, {"sizes", Numbers{2}}}, 5),
            "problem.set.sizes: expected whole numbers that sum to the dimension 5, got 2");
  EXPECT_EQ(
      complaint("box-intersection",
                {{"of", std::vector<SetSpec>{{.kind = "birkhoff"}}}, {"lower", 0.0}, {"upper", 1.0}}, 4),
      "problem.set.of: expected l1-ball, l2-ball or simplex without center and weights, or polytope, got birkhoff");
  EXPECT_EQ(complaint("box-intersection",
                      {{"of", std::vector<SetSpec>{{.kind = "simplex"}}}, {"lower", 0.0}, {"upper", 0.1}}, 4),
            "problem.set: boxed-simplex: expected a total from 0 to 0.4, got 1");
}

TEST(SetRegistry, BuildsEveryKind) {
  const std::vector<SetSpec> ball{{.kind = "l1-ball", .parameters = {{"radius", 1.0}}}};
  const TempDir files;
  const std::string polytope = files.write("p.txt", "1 0 0 0 <= 1\n").string();
  const std::string points = files.write("q.txt", "0 0 0 0\n1 0 0 0\n").string();
  const Lists square{{0, 1}, {1, 2}, {2, 3}, {0, 3}};
  const std::map<std::string, std::map<std::string, SetValue>> examples{
      {"l1-ball", {{"radius", 1.0}, {"weights", Numbers{1, 2, 3, 4}}, {"center", 1.0}}},
      {"l2-ball", {{"radius", 1.0}}},
      {"linf-ball", {{"radius", 1.0}}},
      {"box", {{"lower", 0.0}, {"upper", 1.0}}},
      {"lp-ball", {{"p", 3.0}, {"radius", 1.0}}},
      {"ellipsoid", {{"axes", Numbers{1, 2, 3, 4}}}},
      {"group-lasso-ball", {{"radius", 1.0}, {"group_size", 2.0}}},
      {"k-sparse", {{"k", 2.0}, {"radius", 1.0}}},
      {"owl-ball", {{"weights", Numbers{4, 3, 2, 1}}, {"radius", 1.0}}},
      {"simplex", {}},
      {"capped-simplex", {{"total", 2.0}}},
      {"hypersimplex", {{"k", 2.0}}},
      {"permutahedron", {}},
      {"nuclear-ball", {{"radius", 1.0}, {"rows", 2.0}}},
      {"spectraplex", {}},
      {"spectrahedron", {}},
      {"fantope", {{"k", 1.0}}},
      {"birkhoff", {}},
      {"transportation", {{"supply", Numbers{1, 1}}, {"demand", Numbers{0.5, 1.5}}}},
      {"flow", {{"arcs", square}, {"source", 0.0}, {"target", 3.0}}},
      {"dag-paths", {{"arcs", square}, {"source", 0.0}, {"target", 3.0}}},
      {"spanning-trees", {{"edges", square}}},
      {"matroid-bases", {{"classes", Numbers{0, 0, 1, 1}}, {"limits", Numbers{1, 1}}}},
      {"polytope", {{"file", polytope}, {"lower", -1.0}, {"upper", 1.0}}},
      {"hull", {{"file", points}}},
      {"product", {{"parts", std::vector<SetSpec>{ball[0], ball[0]}}, {"sizes", Numbers{1, 3}}}},
      {"scaled", {{"of", ball}, {"factor", 2.0}}},
      {"shifted", {{"of", ball}, {"offset", 2.0}}},
      {"box-intersection", {{"of", ball}, {"lower", 0.0}, {"upper", 0.5}}},
  };
  for (const SetKind& kind : set_kinds()) {
    ASSERT_TRUE(examples.contains(kind.name)) << kind.name << " has no example here";
    const auto set = make_set({.kind = kind.name, .parameters = examples.at(kind.name)}, 4);
    Vector v(4);
    set->linear_minimizer(Vector{{1.0, -2.0, 0.5, 3.0}}, v);
    EXPECT_TRUE(set->contains(v)) << kind.name;
  }
}

}  // namespace
}  // namespace slidemesh
