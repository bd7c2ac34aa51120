// Rows that a model was not trained on, budgets that bound all that reads, paths over radii, and what the terminal
// shows.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "program.h"
#include "slidemesh/base/random.h"
#include "slidemesh/linalg/types.h"

namespace slidemesh {
namespace {

using nlohmann::json;
using testing::expect_one_line_of_error;
using testing::Outcome;
using testing::run_program;
using testing::slurp;
using testing::TempDir;

constexpr const char* kNetwork =
    "[network]\ngraph = \"ring\"\nnodes = 4\n[[method]]\nname = \"ipds-restarted\"\nouter_steps = 60\n";

class HeldOut : public ::testing::Test {
 protected:
  /// y = 3 + 2 a - b + noise, where a lies around 100 and b is small.
  void SetUp() override {
    RandomStream draw(5, Purpose::kTest);
    for (const char* name : {"train.csv", "test.csv"}) {
      std::ostringstream text;
      text << "a,b,y\n";
      for (int r = 0; r < 200; ++r) {
        const double a = 100.0 + 10.0 * draw.normal();
        const double b = 0.1 * draw.normal();
        text << a << ',' << b << ',' << 3.0 + 2.0 * a - b + 0.01 * draw.normal() << '\n';
      }
      static_cast<void>(directory_.write(name, text.str()));
    }
  }

  Outcome run(const std::string& data, const std::string& options = "--quiet", const std::string& more = "") {
    static_cast<void>(directory_.write(
        "c.toml", "[problem]\nloss = \"least-squares\"\nset = { kind = \"l2-ball\", radius = 400.0 }\n" + more +
                      "[data]\npath = \"train.csv\"\nlabel = \"y\"\nscaling = \"standard\"\nintercept = true\n" + data +
                      kNetwork));
    return run_program(directory_, "run c.toml --out out --overwrite " + options);
  }

  json summary() { return json::parse(slurp(directory_ / "out/summary.json")).at("runs").at(0); }

  /// Rows that the ledger says were read, opening the data apart.
  Count rows_on_record() {
    std::istringstream lines(slurp(directory_ / "out/ledger.jsonl"));
    Count read = 0;
    for (std::string line; std::getline(lines, line);) {
      const json entry = json::parse(line);
      read += entry.at("purpose") == "load" ? 0 : entry.at("read").get<Count>();
    }
    return read;
  }

  TempDir directory_;
};

TEST_F(HeldOut, AShareOfTheRowsJudgesTheModel) {
  ASSERT_EQ(run("holdout = 0.25\n").exit_code, 0);
  const json scores = summary().at("scores").at(0);
  EXPECT_EQ(scores.at("data"), "held out");
  const Count held_out = scores.at("rows").get<Count>();
  EXPECT_GT(held_out, 30);
  EXPECT_LT(held_out, 70);
  EXPECT_EQ(summary().at("rows").get<Count>(), 200 - held_out);
  EXPECT_GT(scores.at("r2"), 0.999);
  EXPECT_EQ(json::parse(slurp(directory_ / "out/summary.json")).at("runs").size(), 1U);
}

/// Whoever deals rows otherwise holds out the same ones.
TEST_F(HeldOut, TheSameRowsHoweverTheyAreDealt) {
  ASSERT_EQ(run("holdout = 0.25\n").exit_code, 0);
  const Count rows = summary().at("scores").at(0).at("rows").get<Count>();
  ASSERT_EQ(run("holdout = 0.25\nsplit = \"shuffled\"\n", "--quiet --set network.nodes=7").exit_code, 0);
  EXPECT_EQ(summary().at("scores").at(0).at("rows").get<Count>(), rows);
  ASSERT_EQ(run("holdout = 0.25\n", "--quiet --set data.seed=2").exit_code, 0);
  EXPECT_NE(summary().at("scores").at(0).at("rows").get<Count>(), 0);
}

TEST_F(HeldOut, AFileOfItsOwnGivesTheFiguresOfEvaluate) {
  ASSERT_EQ(run("test = \"test.csv\"\n").exit_code, 0);
  json scores = summary().at("scores").at(0);
  json same = json::parse(run_program(directory_, "evaluate out test.csv --json").out);
  scores.erase("data");
  same.erase("data");
  EXPECT_EQ(scores, same);
  expect_one_line_of_error(run("test = \"nowhere.csv\"\n"), 2, {"data.test", "nowhere.csv"});
}

TEST_F(HeldOut, CoefficientsAreToldInTheUnitsOfTheData) {
  ASSERT_EQ(run("").exit_code, 0);
  std::istringstream lines(slurp(directory_ / "out/coefficients.csv"));
  std::string header;
  std::getline(lines, header);
  EXPECT_EQ(header, "model,output,name,coefficient,original_units");
  const std::vector<std::pair<std::string, double>> expected = {{"a", 2.0}, {"b", -1.0}, {"intercept", 3.0}};
  for (const auto& [name, value] : expected) {
    std::string line;
    std::getline(lines, line);
    EXPECT_NE(line.find("," + name + ","), std::string::npos) << line;
    EXPECT_NEAR(std::stod(line.substr(line.rfind(',') + 1)), value, 0.05) << line;
  }
  EXPECT_EQ(summary().at("coefficients").at("largest").at(0).at("name"), "a");
}

/// The set says nothing of a free intercept: a ball that is too small for the labels' mean does not bind it.
TEST_F(HeldOut, AFreeInterceptIsOutsideTheSet) {
  const std::string small = "set = { kind = \"l1-ball\", radius = 25.0 }\n";
  const auto intercept = [&](const std::string& data) {
    static_cast<void>(directory_.write("c.toml", "[problem]\nloss = \"least-squares\"\n" + small +
                                                     "[data]\npath = \"train.csv\"\nlabel = \"y\"\n" + data +
                                                     kNetwork));
    EXPECT_EQ(run_program(directory_, "run c.toml --out out --overwrite --quiet").exit_code, 0);
    const json model = json::parse(slurp(directory_ / "out/model.json")).at("models").at(0);
    return model.at("parameters").at(2).get<double>();
  };
  EXPECT_LT(intercept("scaling = \"standard\"\nintercept = true\n"), 25.1);
  EXPECT_NEAR(intercept("scaling = \"standard\"\nintercept = \"free\"\n"), 203.0, 3.0);
}

TEST_F(HeldOut, ABudgetBoundsAllThatReads) {
  for (const char* more : {"", "holdout = 0.2\n"}) {
    const Outcome outcome = run(std::string("budget = 5000\nledger = \"ledger.jsonl\"\n") + more);
    EXPECT_EQ(outcome.exit_code, 4) << outcome.error;
    EXPECT_EQ(summary().at("status"), "budget_reached");
    EXPECT_LE(rows_on_record(), 5000);
    EXPECT_GT(rows_on_record(), 4000);
    EXPECT_EQ(summary().at("rows_read").get<Count>(), rows_on_record());
  }
  expect_one_line_of_error(run("budget = 100\n"), 4, {"data.budget: expected at most 100 rows to be read"});
}

TEST_F(HeldOut, RowsReadAreShownBesideChargedCalls) {
  const Outcome outcome = run("ledger = \"ledger.jsonl\"\n", "");
  EXPECT_NE(outcome.out.find("rows read in all"), std::string::npos) << outcome.out;
  EXPECT_EQ(summary().at("rows_read").get<Count>(), rows_on_record());
  EXPECT_GT(summary().at("rows_read_in_opening").get<Count>(), 0);
  EXPECT_GT(summary().at("rows_read").get<Count>(), summary().at("data_oracle_calls").get<Count>());
}

TEST_F(HeldOut, AskedAndReachedStandInTheSummary) {
  EXPECT_EQ(run("", "--quiet --set stop.certified_gap=1e-3").exit_code, 0);
  EXPECT_EQ(summary().at("asked"), "certified_gap = 0.001 (relative)");
  EXPECT_NE(summary().at("got").get<std::string>().find("certified gap of"), std::string::npos);
  const std::string page = slurp(directory_ / "out/report.html");
  const auto asked = page.find("Asked for certified_gap = 0.001 (relative): reached by");
  ASSERT_NE(asked, std::string::npos);
  EXPECT_LT(asked, page.find("class=\"finding run\""));
}

TEST_F(HeldOut, APathOverRadiiFindsTheOneThatSuffices) {
  static_cast<void>(run(""));
  const Outcome outcome = run_program(directory_, "path c.toml --out path --radii 1,10,400 --json --quiet");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.error;
  const json path = json::parse(outcome.out);
  EXPECT_EQ(path.at("score"), "RMSE");
  EXPECT_EQ(path.at("best_radius"), 400.0);
  ASSERT_EQ(path.at("points").size(), 3U);
  EXPECT_GT(path.at("points").at(0).at("score"), path.at("points").at(1).at("score"));
  EXPECT_TRUE(path.at("points").at(0).at("standard_error").is_null());
  const std::string csv = slurp(directory_ / "path/path.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 4);
  EXPECT_NE(slurp(directory_ / "path/report.html").find("Path over radii"), std::string::npos);
  EXPECT_NE(slurp(directory_ / "path/radius-400/config.toml").find("radius-10/model.json"), std::string::npos)
      << "no warm start";
}

TEST_F(HeldOut, CrossValidationJudgesEveryRowOnce) {
  static_cast<void>(run(""));
  const Outcome outcome =
      run_program(directory_, "path c.toml --out path --radii 10,400 --json --quiet --set data.cv=3");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.error;
  Count judged = 0;
  for (const char* fold : {"1", "2", "3"}) {
    const json runs = json::parse(slurp(directory_ / (std::string("path/radius-400-fold-") + fold + "/summary.json")));
    judged += runs.at("runs").at(0).at("scores").at(0).at("rows").get<Count>();
  }
  EXPECT_EQ(judged, 200);
  EXPECT_GT(json::parse(outcome.out).at("points").at(0).at("standard_error"), 0.0);
}

TEST_F(HeldOut, PathsRefuseWhatHasNoRadius) {
  static_cast<void>(run("", "--quiet"));
  expect_one_line_of_error(
      run_program(directory_, "path c.toml --set 'problem.set={ kind = \"box\", lower = -1.0, upper = 1.0 }'"), 2,
      {"problem.set: expected a set with a radius, got box"});
}

TEST(Terminal, StacksATableThatIsWiderThanALine) {
  const TempDir directory;
  static_cast<void>(directory.write("c.toml", testing::small_config()));
  const std::string wide = run_program(directory, "run c.toml --out wide").out;
  EXPECT_NE(wide.find("method  status"), std::string::npos) << wide;
  setenv("COLUMNS", "60", 1);
  const std::string stacked = run_program(directory, "run c.toml --out stacked").out;
  unsetenv("COLUMNS");
  std::istringstream lines(stacked);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 60U) << line;
  }
  EXPECT_NE(stacked.find("data-oracle calls         2,400"), std::string::npos) << stacked;
}

TEST(Terminal, EveryCommandHasJson) {
  const TempDir directory;
  static_cast<void>(directory.write("c.toml", testing::small_config()));
  static_cast<void>(directory.write("t.csv", "label,a\n1,2\n-1,3\n1,4\n-1,5\n"));
  const auto parsed = [&](const std::string& arguments) {
    const Outcome outcome = run_program(directory, arguments);
    EXPECT_EQ(outcome.exit_code, 0) << arguments << ": " << outcome.error;
    return json::parse(outcome.out, nullptr, false);
  };
  EXPECT_EQ(parsed("run c.toml --out out --json").at("runs").at(0).at("method"), "ipds");
  EXPECT_EQ(parsed("report out --json").at("runs"), 1);
  EXPECT_EQ(parsed("graph ring --nodes 5 --edges --json").at("edge_list").size(), 5U);
  EXPECT_TRUE(parsed("list methods --json").is_array());
  EXPECT_TRUE(parsed("list sets --json").at(0).contains("keys"));
  EXPECT_EQ(parsed("data inspect t.csv --nodes 2 --columns --json").at("columns").at(0).at("name"), "a");
  EXPECT_EQ(parsed("data split t.csv --nodes 2 --out parts --json").at("files").size(), 2U);
  EXPECT_EQ(parsed("data load t.csv --table t --sqlite t.db --json").at("rows"), 4);
}

}  // namespace
}  // namespace slidemesh
