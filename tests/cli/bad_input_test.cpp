// Whatever is wrong with the input, the answer is one line on stderr that names the place, what was
// expected and what was found, and the right exit code; and nothing is written or lost.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "program.h"

namespace slidemesh {
namespace {

constexpr int kUsage = 2;
constexpr int kData = 3;

struct BadCase {
  std::string name;
  std::string config;     ///< the config's text; empty: none is written
  std::string data;       ///< data.svm, where not empty
  std::string arguments;  ///< behind `slidemesh`
  int exit_code;
  std::vector<std::string> message;  ///< parts of the line
};

void PrintTo(const BadCase& bad, std::ostream* out) { *out << bad.name; }

std::string with_data(const std::string& more = "") {
  return "[data]\nsource = \"libsvm\"\npath = \"data.svm\"\n" + more +
         "[network]\ngraph = \"path\"\nnodes = 2\n[[method]]\nname = \"ipds\"\nouter_steps = 2\n";
}

std::string problem(const std::string& lines) {
  return "[problem]\n" + lines + "\n" + testing::small_config().substr(9);
}

std::string network(const std::string& lines) {
  return "[data]\nrows = 100\n[network]\n" + lines + "\n[[method]]\nname = \"ipds\"\nouter_steps = 2\n";
}

const std::string kRun = "run c.toml --out out";
const std::string kGood = "1 1:0.5 2:1\n-1 1:1\n1 2:3\n-1 1:-1 2:0.5\n";

BadCase data_case(const std::string& name, const std::string& data, std::vector<std::string> message) {
  return {name, with_data(), data, kRun, kData, std::move(message)};
}

std::vector<BadCase> bad_cases() {
  using testing::small_config;
  return {
      // The command line.
      {"no_command", "", "", "", kUsage, {"command line"}},
      {"unknown_command", "", "", "trian c.toml", kUsage, {"command line"}},
      {"unknown_flag", small_config(), "", "run c.toml --outt x", kUsage, {"command line"}},
      {"missing_config", "", "", kRun, kUsage, {"c.toml", "No such file or directory"}},
      {"config_is_a_directory", "", "", "run . --out out", kUsage, {"got a directory"}},
      {"override_without_value", small_config(), "", kRun + " --set seed", kUsage, {"--set", "key=value"}},
      {"override_into_a_number", small_config(), "", kRun + " --set seed.x=1", kUsage, {"--set", "table"}},
      {"override_out_of_range", small_config(), "", kRun + " --set method.3.R=1", kUsage, {"--set", "element"}},
      {"override_unknown_key", small_config(), "", kRun + " --set problem.nu=1", kUsage, {"did you mean \"mu\""}},
      {"unknown_listing", "", "", "list colours", kUsage, {"command line"}},
      {"unknown_graph_kind", "", "", "graph wheel", kUsage, {"command line"}},
      {"hypercube_of_ten", "", "", "graph hypercube --nodes 10", kUsage, {"power of two", "10"}},
      {"cubic_of_nine", "", "", "graph cubic --nodes 9", kUsage, {"even", "9"}},
      // The config.
      {"not_toml", "seed = = 1\n", "", kRun, kUsage, {"c.toml:1", "TOML"}},
      {"unknown_section",
       small_config("[outputs]\nevery = 1\n"),
       "",
       kRun,
       kUsage,
       {"c.toml:10", "outputs", "\"output\""}},
      {"unknown_key", problem("radius = 3"), "", kRun, kUsage, {"c.toml:2", "problem.radius"}},
      {"misspelt_key", network("graph = \"ring\"\nnode = 4"), "", kRun, kUsage, {"c.toml:5", "did you mean \"nodes\""}},
      {"wrong_type", small_config("R = true\n"), "", kRun, kUsage, {"c.toml:10", "method.R", "true"}},
      {"text_for_a_number",
       network("graph = \"ring\"\nnodes = \"ten\""),
       "",
       kRun,
       kUsage,
       {"c.toml:5", "network.nodes", "\"ten\""}},
      {"fraction_for_a_count", network("graph = \"ring\"\nnodes = 4.5"), "", kRun, kUsage, {"network.nodes", "4.5"}},
      {"nan_in_config", problem("mu = nan"), "", kRun, kUsage, {"problem.mu", "nan"}},
      {"infinity_in_config", problem("mu = inf"), "", kRun, kUsage, {"problem.mu", "inf"}},
      {"negative_mu", problem("mu = -1"), "", kRun, kUsage, {"problem.mu", "-1"}},
      {"unknown_loss", problem("loss = \"logistc\""), "", kRun, kUsage, {"did you mean logistic"}},
      {"unknown_set",
       problem("set = { kind = \"l3-ball\", radius = 1 }"),
       "",
       kRun,
       kUsage,
       {"problem.set.kind", "l3-ball"}},
      {"radius_zero",
       problem("set = { kind = \"l1-ball\", radius = 0 }"),
       "",
       kRun,
       kUsage,
       {"problem.set.radius", "0"}},
      {"radius_negative",
       problem("set = { kind = \"l2-ball\", radius = -2 }"),
       "",
       kRun,
       kUsage,
       {"problem.set.radius", "-2"}},
      {"radius_missing", problem("set = { kind = \"l1-ball\" }"), "", kRun, kUsage, {"problem.set.radius"}},
      {"radius_unknown_key",
       problem("set = { kind = \"l1-ball\", radius = 1, raduis = 2 }"),
       "",
       kRun,
       kUsage,
       {"raduis", "radius"}},
      {"method_is_a_number", "method = 1\n", "", kRun, kUsage, {"c.toml:1", "[[method]]"}},
      {"start_missing", problem("start = \"none.json\""), "", kRun, kData, {"none.json"}},
      {"unknown_method", "[[method]]\nname = \"idps\"\n", "", kRun, kUsage, {"c.toml:2", "did you mean ipds"}},
      {"method_without_name", "[[method]]\nouter_steps = 3\n", "", kRun, kUsage, {"method.name"}},
      {"zero_steps", "[[method]]\nname = \"ipds\"\nouter_steps = 0\n", "", kRun, kUsage, {"method.outer_steps", "0"}},
      {"same_label_twice",
       small_config("[[method]]\nname = \"ipds\"\n"),
       "",
       kRun,
       kUsage,
       {"method.label", "\"ipds\" twice"}},
      {"unknown_inner", small_config("inner = \"newton\"\n"), "", kRun, kUsage, {"method.inner", "newton"}},
      {"sampled_without_c", small_config("gradients = \"sampled\"\n"), "", kRun, kUsage, {"method.c"}},
      {"sampling_where_there_is_none",
       "[[method]]\nname = \"newton-sliding\"\ngradients = \"sampled\"\n",
       "",
       kRun,
       kUsage,
       {"c.toml:3", "method.gradients"}},
      {"c_without_sampling", small_config("c = 1.0\n"), "", kRun, kUsage, {"method.c"}},
      {"target_without_stop",
       small_config("inner = \"cgs\"\ntolerance = \"target\"\n"),
       "",
       kRun,
       kUsage,
       {"method.tolerance", "[stop]"}},
      {"tolerance_zero", small_config("inner = \"cgs\"\ntolerance = 0\n"), "", kRun, kUsage, {"method.tolerance"}},
      {"target_gap_zero", small_config("[stop]\ntarget_gap = 0\n"), "", kRun, kUsage, {"stop.target_gap"}},
      {"every_zero", small_config("[output]\nevery = 0\n"), "", kRun, kUsage, {"output.every"}},
      {"endless_step", problem("mu = 0.5") + "outer_steps = 100000\n", "", kRun, kUsage, {"c.toml", "outer_steps"}},
      // The network.
      {"one_node", network("graph = \"ring\"\nnodes = 1"), "", kRun, kUsage, {"network.nodes", "1"}},
      {"more_nodes_than_rows", network("graph = \"ring\"\nnodes = 101"), "", kRun, kUsage, {"101", "100"}},
      {"never_connected", network("graph = \"erdos-renyi\"\nnodes = 30\np = 0.001"), "", kRun, kUsage, {"connected"}},
      {"edge_list_missing", network("graph = \"file\"\npath = \"none.edges\""), "", kRun, kData, {"none.edges"}},
      {"edge_list_disconnected",
       network("graph = \"file\"\npath = \"data.svm\""),
       "0 1\n2 3\n",
       kRun,
       kData,
       {"data.svm", "connected"}},
      {"edge_list_not_numbers",
       network("graph = \"file\"\npath = \"data.svm\""),
       "0 1\n1 two\n",
       kRun,
       kData,
       {"data.svm:2"}},
      {"edge_list_self_loop",
       network("graph = \"file\"\npath = \"data.svm\""),
       "0 1\n1 1\n",
       kRun,
       kData,
       {"data.svm:2"}},
      // The data.
      {"data_file_missing", with_data(), "", kRun, kData, {"data.svm"}},
      {"data_path_missing",
       "[data]\nsource = \"libsvm\"\n[[method]]\nname = \"ipds\"\n",
       "",
       kRun,
       kUsage,
       {"data.path"}},
      {"more_rows_wanted", with_data("rows = 100\n"), kGood, kRun, kData, {"data.svm", "100", "4"}},
      {"fewer_features_wanted", with_data("features = 1\n"), kGood, kRun, kData, {"data.svm:1", "2"}},
      {"unknown_split", with_data("split = \"random\"\n"), kGood, kRun, kUsage, {"data.split", "random"}},
      data_case("empty_file", "\n", {"data.svm"}),
      data_case("labels_only", "1\n-1\n1\n-1\n", {"data.svm"}),
      data_case("nan_value", "1 1:nan\n-1 1:1\n", {"data.svm:1", "nan"}),
      data_case("infinite_value", "1 1:1\n-1 1:inf\n", {"data.svm:2", "inf"}),
      data_case("overflowing_value", "1 1:1\n-1 1:1e999\n", {"data.svm:2", "1e999"}),
      data_case("nan_label", "nan 1:1\n-1 1:1\n", {"data.svm:1", "nan"}),
      data_case("negative_index", "1 1:1\n-1 -1:1\n", {"data.svm:2", "-1"}),
      data_case("index_zero", "1 0:1\n-1 1:1\n", {"data.svm:1", "0"}),
      data_case("unsorted_indices", "1 2:1 1:1\n-1 1:1\n", {"data.svm:1"}),
      data_case("repeated_index", "1 1:1 1:2\n-1 1:1\n", {"data.svm:1"}),
      data_case("missing_colon", "1 1:1\n-1 1 2:3\n", {"data.svm:2"}),
      data_case("missing_value", "1 1:\n-1 1:1\n", {"data.svm:1"}),
      data_case("words", "this is not data\n", {"data.svm:1"}),
      data_case("huge_index", "1 99999999999999999999:1\n-1 1:1\n", {"data.svm:1"}),
      data_case("one_class", "1 1:1\n1 1:2\n", {"data.svm"}),
      data_case("three_classes", "1 1:1\n2 1:2\n3 1:3\n", {"data.svm"}),
      data_case("truncated_gzip", std::string("\x1f\x8b\x08\x00\x00", 5), {"data.svm"}),
      data_case("truncated_xz",
                std::string("\xfd"
                            "7zXZ\x00\x00\x04",
                            8),
                {"data.svm"}),
      data_case("all_zero", "1 1:0\n-1 1:0\n", {"not zero"}),
  };
}

class BadInput : public ::testing::TestWithParam<BadCase> {};

TEST_P(BadInput, IsOneLineAndAnExitCode) {
  const BadCase& bad = GetParam();
  const testing::TempDir directory;
  if (!bad.config.empty()) {
    static_cast<void>(directory.write("c.toml", bad.config));
  }
  if (!bad.data.empty()) {
    static_cast<void>(directory.write("data.svm", bad.data));
  }
  const testing::Outcome outcome = testing::run_program(directory, bad.arguments);
  testing::expect_one_line_of_error(outcome, bad.exit_code, bad.message);
  EXPECT_FALSE(std::filesystem::exists(directory / "out" / "summary.json"));
}

INSTANTIATE_TEST_SUITE_P(Cli, BadInput, ::testing::ValuesIn(bad_cases()),
                         [](const auto& parameter) { return parameter.param.name; });

class Directories : public ::testing::Test {
 protected:
  Directories() { static_cast<void>(directory_.write("c.toml", testing::small_config())); }
  testing::TempDir directory_;
};

TEST_F(Directories, OneThatHoldsAnotherRunIsLeftAlone) {
  ASSERT_EQ(testing::run_program(directory_, kRun + " --quiet").exit_code, 0);
  const std::string before = testing::slurp(directory_ / "out/summary.json");
  const testing::Outcome outcome = testing::run_program(directory_, kRun + " --quiet");
  EXPECT_EQ(outcome.exit_code, kUsage);
  EXPECT_NE(outcome.error.find("another run"), std::string::npos);
  EXPECT_EQ(testing::slurp(directory_ / "out/summary.json"), before);
  EXPECT_EQ(testing::run_program(directory_, kRun + " --quiet --overwrite").exit_code, 0);
}

TEST_F(Directories, AFileInItsPlaceIsLeftAlone) {
  static_cast<void>(directory_.write("out", "precious"));
  const testing::Outcome outcome = testing::run_program(directory_, kRun);
  EXPECT_EQ(outcome.exit_code, kUsage);
  EXPECT_EQ(testing::slurp(directory_ / "out"), "precious");
}

TEST_F(Directories, OneThatCannotBeMadeIsSaid) {
  const testing::Outcome outcome = testing::run_program(directory_, "run c.toml --out /proc/none/out");
  EXPECT_EQ(outcome.exit_code, kUsage);
  EXPECT_NE(outcome.error.find("/proc/none"), std::string::npos);
}

}  // namespace
}  // namespace slidemesh
