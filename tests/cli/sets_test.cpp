// Every set by its name in a config, and what a user can get wrong about one.

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "program.h"

namespace slidemesh {
namespace {

using nlohmann::json;
using testing::run_program;
using testing::slurp;
using testing::TempDir;

constexpr int kUsage = 2;
constexpr int kData = 3;

/// Least squares in `features` dimensions over four nodes; the set is on line 3.
std::string config_with(const std::string& set, const std::string& methods, int features = 4) {
  return "[problem]\nloss = \"least-squares\"\nset = { " + set +
         " }\n[data]\nrows = 80\nfeatures = " + std::to_string(features) +
         "\n[network]\ngraph = \"ring\"\nnodes = 4\n" + methods;
}

constexpr const char* kMethods =
    "[[method]]\nname = \"ipds-vr\"\nouter_steps = 60\n"
    "[[method]]\nname = \"ipds\"\nouter_steps = 30\ngossip = \"sqrt-laplacian\"\n"
    "[[method]]\nname = \"ipds\"\nlabel = \"bpcg\"\nouter_steps = 30\ngossip = \"sqrt-laplacian\"\ninner = \"bpcg\"\n"
    "[[method]]\nname = \"defw\"\nouter_steps = 200\n";

/// The keys beside `kind` of a set in four dimensions, and of its files.
const std::map<std::string, std::string>& example_keys() {
  static const std::map<std::string, std::string> kKeys{
      {"l1-ball", "radius = 1, weights = [1, 2, 3, 4], center = 0.5"},
      {"l2-ball", "radius = 1.0, center = [0, 1, 0, 0.5]"},
      {"linf-ball", "radius = 0.5"},
      {"box", "lower = -1, upper = [1, 2, 3, 4]"},
      {"lp-ball", "p = 3, radius = 1.0"},
      {"ellipsoid", "shape = [[2, 1, 0, 0], [1, 2, 0, 0], [0, 0, 1, 0], [0, 0, 0, 3]]"},
      {"group-lasso-ball", "radius = 1, groups = [[0, 3], [1, 2]], weights = [1, 2]"},
      {"k-sparse", "k = 2, radius = 1.0"},
      {"owl-ball", "weights = [4, 3, 2, 1], radius = 1"},
      {"simplex", ""},
      {"capped-simplex", "total = 2"},
      {"hypersimplex", "k = 2"},
      {"permutahedron", "values = [0, 0, 1, 3]"},
      {"nuclear-ball", "radius = 1, rows = 2"},
      {"spectraplex", "total = 2"},
      {"spectrahedron", ""},
      {"fantope", "k = 1"},
      {"birkhoff", ""},
      {"transportation", "supply = [1, 1], demand = [0.5, 1.5]"},
      {"flow", "arcs = [[0, 1], [1, 3], [0, 2], [2, 3]], source = 0, target = 3, capacity = 0.75"},
      {"dag-paths", "arcs = [[0, 1], [1, 3], [0, 2], [2, 3]], source = 0, target = 3"},
      {"spanning-trees", "edges = [[0, 1], [1, 2], [2, 3], [0, 3]]"},
      {"matroid-bases", "vectors = [[1, 0], [0, 1], [1, 1], [2, 2]]"},
      {"polytope", "file = \"polytope.txt\", lower = -1.0, upper = 1.0"},
      {"hull", "file = \"points.csv\""},
      {"product", "parts = [{ kind = \"l1-ball\", radius = 1 }, { kind = \"simplex\" }], sizes = [1, 3]"},
      {"scaled", "of = { kind = \"simplex\" }, factor = -2.0"},
      {"shifted", "of = { kind = \"l2-ball\", radius = 1 }, offset = 0.25"},
      {"box-intersection", "of = { kind = \"l1-ball\", radius = 1 }, lower = 0.0, upper = 0.5"},
  };
  return kKeys;
}

/// The first word of the lines that are not indented.
std::vector<std::string> listed_sets(const TempDir& directory) {
  std::istringstream lines(run_program(directory, "list sets").out);
  std::vector<std::string> names;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.front() != ' ') {
      names.push_back(line.substr(0, line.find(' ')));
    }
  }
  return names;
}

TEST(Sets, EveryOneThatIsListedRunsWithEveryKindOfMethod) {
  constexpr double kRelativeGap = 0.05;  // of 30 steps of the slowest, I-PDS with the average of all
  constexpr double kRounding = 1e-9;
  const TempDir directory;
  static_cast<void>(directory.write("polytope.txt", "1 1 1 1 <= 2\n0:1 1:-1 = 0.5\n"));
  static_cast<void>(directory.write("points.csv", "0,0,0,0\n1,0,0,0\n0,2,0,0\n0,0,1,1\n"));
  const auto names = listed_sets(directory);
  EXPECT_GE(names.size(), 29U);
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    ASSERT_TRUE(example_keys().contains(name)) << "no example here";
    const std::string& keys = example_keys().at(name);
    static_cast<void>(directory.write(
        "c.toml", config_with("kind = \"" + name + "\"" + (keys.empty() ? "" : ", " + keys), kMethods)));
    const auto outcome = run_program(directory, "run c.toml --quiet --overwrite --out out --set output.reference=true");
    ASSERT_EQ(outcome.exit_code, 0) << outcome.error;
    const json summary = json::parse(slurp(directory / "out/summary.json"));
    ASSERT_EQ(summary["runs"].size(), 4U);
    for (const json& run : summary["runs"]) {
      SCOPED_TRACE(run["label"].get<std::string>());
      const double optimum = run["reference_optimum"];
      const double at_start = run["objective_at_start"];
      const double value = run["objective_at_average"];
      EXPECT_GE(value, optimum - kRounding);
      EXPECT_LE(value - optimum, kRelativeGap * (at_start - optimum) + 1e-3);
      if (run["lower_bound"].is_number()) {
        EXPECT_LE(run["lower_bound"], optimum + kRounding);
      }
    }
  }
}

struct BadSet {
  std::string name;
  std::string set;
  std::string file;  ///< what is in set.txt
  int exit_code;
  std::vector<std::string> message;
  int features = 4;
};

void PrintTo(const BadSet& bad, std::ostream* out) { *out << bad.name; }

std::vector<BadSet> bad_sets() {
  const std::string cyclic = "arcs = [[0, 1], [1, 2], [2, 1], [2, 3]], source = 0, target = 3";
  const std::string parted = "arcs = [[0, 1], [1, 2], [3, 2], [3, 4]], source = 0, target = 4";
  return {
      {"groups_that_do_not_cover",
       "kind = \"group-lasso-ball\", radius = 1, groups = [[0, 1], [3]]",
       "",
       kUsage,
       {"c.toml:3: problem.set", "expected groups that cover every coordinate", "got none with 2"}},
      {"groups_that_overlap",
       "kind = \"group-lasso-ball\", radius = 1, groups = [[0, 1], [1, 2, 3]]",
       "",
       kUsage,
       {"c.toml:3: problem.set", "in one group", "got 1 in two"}},
      {"empty_polytope",
       "kind = \"polytope\", file = \"set.txt\", lower = 0, upper = 9",
       "1 1 1 1 <= 1\n1 0 0 0 >= 2\n",
       kData,
       {"set.txt: ", "expected constraints that some point meets", "got an empty set"}},
      {"unbounded_polytope",
       "kind = \"polytope\", file = \"set.txt\", lower = 0",
       "1 1 1 0 <= 1\n",
       kData,
       {"set.txt: ", "expected a bounded set", "without end in coordinate 3"}},
      {"polytope_of_another_shape",
       "kind = \"polytope\", file = \"set.txt\"",
       "1 1 1 1 <= 1\n1 1 1 <= 1\n",
       kData,
       {"set.txt:2: expected 4 coefficients, got 3"}},
      {"polytope_file_missing",
       "kind = \"polytope\", file = \"none.txt\"",
       "",
       kData,
       {"none.txt: cannot read: No such file or directory"}},
      {"cyclic_dag",
       "kind = \"dag-paths\", " + cyclic,
       "",
       kUsage,
       {"c.toml:3: problem.set", "without cycles", "node 1"}},
      {"dag_without_a_path",
       "kind = \"dag-paths\", " + parted,
       "",
       kUsage,
       {"c.toml:3: problem.set", "expected a path from node 0 to node 4", "got a graph with none"}},
      {"flow_without_a_path",
       "kind = \"flow\", " + parted,
       "",
       kUsage,
       {"c.toml:3: problem.set", "from node 0 to node 4", "no such flow"}},
      {"flow_beyond_the_capacity",
       "kind = \"flow\", arcs = [[0, 1], [1, 2], [2, 3], [3, 4]], source = 0, target = 4, amount = 2",
       "",
       kUsage,
       {"c.toml:3: problem.set", "carry 2", "no such flow"}},
      {"trees_of_two_pieces",
       "kind = \"spanning-trees\", edges = [[0, 1], [2, 3], [0, 1], [2, 3]]",
       "",
       kUsage,
       {"c.toml:3: problem.set", "a connected graph", "2 pieces"}},
      {"square_set_of_another_shape",
       "kind = \"birkhoff\"",
       "",
       kUsage,
       {"c.toml:3: problem.set: expected a square matrix", "got dimension 5"},
       5},
      {"nuclear_ball_of_another_shape",
       "kind = \"nuclear-ball\", radius = 1, rows = 3",
       "",
       kUsage,
       {"c.toml:3: problem.set.rows: expected a divisor of the dimension 4, got 3"}},
      {"transportation_of_another_shape",
       "kind = \"transportation\", supply = [1, 1, 1], demand = [1, 2]",
       "",
       kUsage,
       {"c.toml:3: problem.set.demand", "dimension 4", "got 3 x 2"}},
      {"weights_of_another_length",
       "kind = \"l1-ball\", radius = 1, weights = [1, 2]",
       "",
       kUsage,
       {"c.toml:3: problem.set.weights: expected a list of 4 numbers, got 2"}},
      {"arcs_of_another_number",
       "kind = \"dag-paths\", arcs = [[0, 1], [1, 2]], source = 0, target = 2",
       "",
       kUsage,
       {"c.toml:3: problem.set.arcs: expected 4 pairs", "got 2"}},
      {"vertex_file_with_nan",
       "kind = \"hull\", file = \"set.txt\"",
       "0 0 0 0\n1 nan 2 3\n",
       kData,
       {"set.txt:2: expected a finite number, got 'nan'"}},
      {"vertex_file_that_is_ragged",
       "kind = \"hull\", file = \"set.txt\"",
       "0 0 0 0\n1 2 3\n",
       kData,
       {"set.txt:2: expected 4 numbers, got 3"}},
      {"listed_vertex_with_nan",
       "kind = \"hull\", points = [[0, 0, 0, 0], [1, nan, 2, 3]]",
       "",
       kUsage,
       {"c.toml:3: problem.set.points[1]: expected finite numbers, got nan"}},
      {"part_of_a_product",
       "kind = \"product\", parts = [{ kind = \"simplex\" }, { kind = \"l1-ball\", radius = -1 }], sizes = [1, 3]",
       "",
       kUsage,
       {"c.toml:3: problem.set.parts[1].radius: expected a positive number, got -1"}},
      {"box_that_misses",
       "kind = \"box-intersection\", of = { kind = \"simplex\" }, lower = 0, upper = 0.1",
       "",
       kUsage,
       {"c.toml:3: problem.set", "got 1"}},
  };
}

class BadSets : public ::testing::TestWithParam<BadSet> {};

TEST_P(BadSets, AreOneLineAndAnExitCode) {
  const BadSet& bad = GetParam();
  const TempDir directory;
  static_cast<void>(directory.write("set.txt", bad.file));
  static_cast<void>(
      directory.write("c.toml", config_with(bad.set, "[[method]]\nname = \"ipds\"\nouter_steps = 2\n", bad.features)));
  testing::expect_one_line_of_error(run_program(directory, "run c.toml --out out"), bad.exit_code, bad.message);
  EXPECT_FALSE(std::filesystem::exists(directory / "out" / "summary.json"));
}

INSTANTIATE_TEST_SUITE_P(Cli, BadSets, ::testing::ValuesIn(bad_sets()),
                         [](const auto& parameter) { return parameter.param.name; });

}  // namespace
}  // namespace slidemesh
