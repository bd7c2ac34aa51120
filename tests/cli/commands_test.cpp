// What the commands do when all is well.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "program.h"

namespace slidemesh {
namespace {

using nlohmann::json;
using testing::run_program;
using testing::slurp;
using testing::small_config;
using testing::TempDir;

TEST(Run, WritesWhatTheContractNames) {
  const TempDir directory;
  static_cast<void>(directory.write("c.toml", small_config("[output]\nevery = 2\n")));
  const auto outcome = run_program(directory, "run c.toml --out out");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.error;
  const json summary = json::parse(slurp(directory / "out/summary.json"));
  EXPECT_EQ(summary["schema"], 1);
  const json& run = summary["runs"][0];
  for (const char* key : {"method",
                          "label",
                          "status",
                          "outer_steps",
                          "objective_at_average",
                          "objective_stacked",
                          "reference_optimum",
                          "gap_at_average",
                          "consensus_error",
                          "lower_bound",
                          "certified_gap",
                          "data_oracle_calls",
                          "data_oracle_accesses",
                          "communication_rounds",
                          "hops",
                          "messages",
                          "bytes_sent",
                          "linear_oracle_calls",
                          "largest_node_linear_oracle_calls",
                          "seconds"}) {
    EXPECT_TRUE(run.contains(key)) << key;
  }
  EXPECT_EQ(run["status"], "finished");
  EXPECT_EQ(run["outer_steps"], 5);
  EXPECT_EQ(run["data_oracle_calls"], 400 + 5 * 400) << "L~, and a full gradient per step";
  EXPECT_EQ(run["data_oracle_accesses"], 4 + 5 * 4);
  EXPECT_EQ(run["communication_rounds"], 2 * (1 + 2 + 3 + 4 + 5));
  EXPECT_EQ(run["messages"], 30 * 8);
  EXPECT_EQ(run["bytes_sent"], 30 * 8 * 8 * 22);

  std::istringstream trace(slurp(directory / "out/trace.jsonl"));
  std::vector<int> steps;
  for (std::string line; std::getline(trace, line);) {
    steps.push_back(json::parse(line)["step"]);
  }
  EXPECT_EQ(steps, (std::vector<int>{0, 2, 4, 5}));
  const json model = json::parse(slurp(directory / "out/model.json"));
  EXPECT_EQ(model["models"][0]["parameters"].size(), 22U);
  EXPECT_NE(slurp(directory / "out/report.html").find("<html"), std::string::npos);
  EXPECT_NE(slurp(directory / "out/config.toml").find("ring"), std::string::npos);
  EXPECT_NE(outcome.out.find("2,400"), std::string::npos) << outcome.out;
}

TEST(Run, GivesTheSameBitsTwiceAndOnAnyNumberOfThreads) {
  const TempDir directory;
  static_cast<void>(directory.write("c.toml", small_config("gradients = \"sampled\"\nc = 0.01\n")));
  ASSERT_EQ(run_program(directory, "run c.toml --quiet --out a --set threads=1").exit_code, 0);
  ASSERT_EQ(run_program(directory, "run c.toml --quiet --out b --set threads=2").exit_code, 0);
  EXPECT_EQ(slurp(directory / "a/model.json"), slurp(directory / "b/model.json"));
}

TEST(Run, QuietSaysNothing) {
  const TempDir directory;
  static_cast<void>(directory.write("c.toml", small_config()));
  const auto outcome = run_program(directory, "run c.toml --quiet");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out + outcome.error, "");
  EXPECT_TRUE(std::filesystem::exists(directory / "runs/c/summary.json"));
}

TEST(Run, KnowsTheOptimumTheSecondTime) {
  const TempDir directory;
  static_cast<void>(directory.write("c.toml", small_config("[output]\nreference = true\n")));
  EXPECT_EQ(run_program(directory, "run c.toml").error.find("known from"), std::string::npos);
  EXPECT_NE(run_program(directory, "run c.toml").error.find("known from"), std::string::npos);
  EXPECT_EQ(run_program(directory, "run c.toml --set problem.mu=0.1").error.find("known from"), std::string::npos)
      << "another problem";
  EXPECT_EQ(run_program(directory, "run c.toml --set data.split=shuffled").error.find("known from"), std::string::npos)
      << "other nodes' rows";
  for (const std::string loss : {"huber --set problem.delta=", "smoothed-hinge --set problem.gamma="}) {
    const std::string run = "run c.toml --set problem.loss=" + loss;
    EXPECT_EQ(run_program(directory, run + "0.5").error.find("known from"), std::string::npos) << loss;
    EXPECT_NE(run_program(directory, run + "0.5").error.find("known from"), std::string::npos) << loss;
    EXPECT_EQ(run_program(directory, run + "0.25").error.find("known from"), std::string::npos)
        << "another parameter: " << loss;
  }
}

TEST(Run, StopsAtTheTargetAndAtTheLimits) {
  const TempDir directory;
  static_cast<void>(directory.write("c.toml", small_config("gossip = \"sqrt-laplacian\"\noutput = \"last\"\n")));
  const auto status = [&](const std::string& changes, int exit_code) {
    EXPECT_EQ(run_program(directory, "run c.toml --quiet --overwrite --out out --set method.outer_steps=300 " + changes)
                  .exit_code,
              exit_code);
    return json::parse(slurp(directory / "out/summary.json"))["runs"][0];
  };
  EXPECT_EQ(status("--set stop.target_gap=0.01", 0)["status"], "target_reached");
  const json certified = status("--set stop.certified_gap=0.05", 0);
  EXPECT_EQ(certified["status"], "target_reached");
  EXPECT_LE(certified["certified_gap"], 0.05 * certified["objective_at_start"].get<double>());
  EXPECT_EQ(status("--set stop.time_limit_seconds=1e-9", 4)["status"], "time_limit");
  const json budget = status("--set stop.data_oracle_calls=2100", 4);
  EXPECT_EQ(budget["status"], "budget_reached");
  EXPECT_EQ(budget["data_oracle_calls"], 2000);
}

TEST(Run, TellsAnotherProblemByTheContentOfItsFiles) {
  const TempDir directory;
  static_cast<void>(directory.write("points.csv", "0,0,0\n1,0,0\n0,2,0\n"));
  static_cast<void>(directory.write("c.toml", small_config("[output]\nreference = true\n")));
  const std::string run =
      "run c.toml --set data.features=3 --set 'problem.set={kind=\"hull\", file=\"points.csv\"}' --out ";
  ASSERT_EQ(run_program(directory, run + "a").exit_code, 0);
  EXPECT_NE(run_program(directory, run + "b").error.find("known from"), std::string::npos);
  static_cast<void>(directory.write("points.csv", "0,0,0\n9,0,0\n0,2,7\n"));
  EXPECT_EQ(run_program(directory, run + "c").error.find("known from"), std::string::npos)
      << "another set under the same name";
  testing::expect_one_line_of_error(run_program(directory, run + "a --resume"), 2,
                                    {"--resume", "content of problem.set.file"});
}

TEST(Run, EndsWithFourAndALoudLineWhereTheTargetIsMissed) {
  const TempDir directory;
  static_cast<void>(directory.write("c.toml", small_config("[stop]\ntarget_gap = 1e-9\n")));
  const auto outcome = run_program(directory, "run c.toml --quiet");
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_NE(outcome.error.find("ipds: the target was not reached: asked for target_gap = 1e-09"), std::string::npos)
      << outcome.error;
  EXPECT_EQ(json::parse(slurp(directory / "runs/c/summary.json"))["runs"][0]["status"], "finished");
}

TEST(Run, SaysWhichMethodsCannotCertify) {
  const TempDir directory;
  static_cast<void>(
      directory.write("c.toml",
                      "[data]\nrows = 200\n[network]\ngraph = \"ring\"\nnodes = 4\n[stop]\ncertified_gap = 0.1\n"
                      "[[method]]\nname = \"defw\"\nouter_steps = 3\n"));
  EXPECT_NE(run_program(directory, "run c.toml").error.find("defw has no certificate"), std::string::npos);
}

/// The smallest value between two ends of a convex function of one number.
template <class Function>
double least(const Function& f, double low, double high) {
  for (int i = 0; i < 100; ++i) {
    const double left = low + (high - low) / 3.0;
    const double right = high - (high - low) / 3.0;
    (f(left) < f(right) ? high : low) = f(left) < f(right) ? right : left;
  }
  return f(0.5 * (low + high));
}

TEST(Run, ClaimsNoTargetAgainstAReferenceThatIsNotCertain) {
  const TempDir directory;
  // A column near 1.6e9, as a time stamp has it: no first-order method comes near F*.
  std::string rows;
  std::vector<std::array<double, 3>> table;
  for (int r = 0; r < 40; ++r) {
    const auto& [label, stamp, b] =
        table.emplace_back(std::array{r % 2 == 0 ? 1.0 : -1.0, 1600000000.0 + 977 * (r % 7), 0.1 * (r % 5)});
    rows += fmt::format("{} 1:{:.0f} 2:{}\n", label, stamp, b);
  }
  const auto value = [&](double x, double y) {  // the sum over 4 nodes of means over 10 rows
    double sum = 0.0;
    for (const auto& [label, a, b] : table) {
      const double margin = -label * (x * a + y * b);
      sum += std::max(margin, 0.0) + std::log1p(std::exp(-std::abs(margin)));
    }
    return sum / 10.0;
  };
  // By bisection in units of the columns; the ball's radius of 10 leaves the first all the room it wants.
  const double best =
      least([&](double y) { return least([&](double t) { return value(t / 1.6e9, y); }, -20.0, 20.0); }, -9.9, 9.9);
  static_cast<void>(directory.write("stamps.svm", rows));
  static_cast<void>(
      directory.write("c.toml",
                      "[data]\npath = \"stamps.svm\"\n[network]\ngraph = \"ring\"\nnodes = 4\n"
                      "[stop]\ntarget_gap = 1e-3\ntime_limit_seconds = 20\n[[method]]\nname = \"ipds-restarted\"\n"));
  const auto outcome = run_program(directory, "run c.toml --out out");
  const json run = json::parse(slurp(directory / "out/summary.json"))["runs"][0];
  EXPECT_EQ(run["status"] == "target_reached", outcome.exit_code == 0) << outcome.error;
  const json model = json::parse(slurp(directory / "out/model.json"))["models"][0];
  const double got = value(model["parameters"][0], model["parameters"][1]);
  EXPECT_GE(got, best - 1e-9);
  EXPECT_NEAR(run["objective_at_average"].get<double>(), got, 1e-10 * got) << "F is not that of the model";
  const double gap = (got - best) / (value(0.0, 0.0) - best);
  EXPECT_TRUE(gap <= 1.1e-3 || outcome.exit_code == 4) << "a claim that is not true: " << gap << '\n' << outcome.error;
}

TEST(Run, GoesOnWhereItsLogCannotBeWritten) {
  const TempDir directory;
  static_cast<void>(directory.write("c.toml", small_config()));
  const std::string command =
      "cd '" + directory.path().string() + "' && '" SLIDEMESH_PROGRAM "' run c.toml --out out >/dev/null 2>/dev/full";
  EXPECT_EQ(std::system(command.c_str()), 0);  // NOLINT(cert-env33-c): a test of the command line
  EXPECT_TRUE(std::filesystem::exists(directory / "out/model.json"));
}

TEST(Run, WritesAConfigThatRunsAgainFromWhereItLies) {
  const TempDir directory;
  std::filesystem::create_directory(directory / "data");
  static_cast<void>(directory.write("data/points.csv", "0,0,0\n1,0,0\n0,2,0\n"));
  static_cast<void>(
      directory.write("c.toml", small_config("[problem]\nset = { kind = \"hull\", file = \"data/points.csv\" }\n")));
  ASSERT_EQ(run_program(directory, "run c.toml --quiet --out deep/out --set data.features=3").exit_code, 0);
  const auto again = run_program(directory, "run deep/out/config.toml --quiet --out again");
  ASSERT_EQ(again.exit_code, 0) << again.error;
  EXPECT_EQ(slurp(directory / "deep/out/model.json"), slurp(directory / "again/model.json"));
}

TEST(Run, ReadsNothingForATraceThatIsOff) {
  const TempDir directory;
  static_cast<void>(directory.write("c.toml", small_config("[output]\ntrace = \"off\"\n")));
  ASSERT_EQ(run_program(directory, "run c.toml --quiet --out out").exit_code, 0);
  const std::string trace = slurp(directory / "out/trace.jsonl");
  EXPECT_EQ(std::count(trace.begin(), trace.end(), '\n'), 1) << "the last step alone";
}

TEST(List, WritesThePageOfAllKeys) {
  const TempDir directory;
  EXPECT_EQ(run_program(directory, "list keys --markdown").out, slurp(SLIDEMESH_SOURCE_DIR "/docs/config.md"))
      << "docs/config.md is stale: slidemesh list keys --markdown > docs/config.md";
}

TEST(Ledger, AddsUpToTheMeters) {
  const TempDir directory;
  static_cast<void>(directory.write("c.toml", small_config("gradients = \"sampled\"\nc = 0.001\n")));
  ASSERT_EQ(run_program(directory, "run c.toml --quiet --out out --set data.ledger=ledger.jsonl").exit_code, 0);
  const json run = json::parse(slurp(directory / "out/summary.json"))["runs"][0];
  std::istringstream ledger(slurp(directory / "out/ledger.jsonl"));
  long rows = 0;
  long accesses = 0;
  for (std::string line; std::getline(ledger, line);) {
    const json entry = json::parse(line);
    if (entry["purpose"] == "gradient" || entry["purpose"] == "smoothness") {
      rows += entry["rows"].get<long>();
      ++accesses;
    }
  }
  EXPECT_EQ(rows, run["data_oracle_calls"].get<long>());
  EXPECT_EQ(accesses, run["data_oracle_accesses"].get<long>());
}

/// Rows read by purpose.
std::map<std::string, long> rows_read(const std::filesystem::path& ledger) {
  std::map<std::string, long> read;
  std::istringstream lines(slurp(ledger));
  for (std::string line; std::getline(lines, line);) {
    const json entry = json::parse(line);
    read[entry["purpose"].get<std::string>()] += entry["read"].get<long>();
  }
  return read;
}

TEST(Ledger, HasNoMoreThanWhatWasCharged) {
  const TempDir directory;
  static_cast<void>(directory.write("c.toml",
                                    "seed = 1\n[data]\nrows = 400\nledger = \"ledger.jsonl\"\n[network]\ngraph = "
                                    "\"ring\"\nnodes = 4\n[stop]\ncertified_gap = 1e-4\n"));
  const auto newton = run_program(directory, "run c.toml --out newton");
  ASSERT_EQ(newton.exit_code, 0) << newton.error;
  json run = json::parse(slurp(directory / "newton/summary.json"))["runs"][0];
  EXPECT_EQ(run["method"], "newton-sliding") << "the default";
  auto read = rows_read(directory / "newton/ledger.jsonl");
  EXPECT_EQ(read["gradient"] + read["certificate"], run["data_oracle_calls"].get<long>());
  EXPECT_EQ(read["trace"], 800) << "F at the start, which the certificate is relative to, and F of the last record, "
                                   "which a bound from curvatures spared the certificate; nothing else";
  EXPECT_EQ(read["smoothness"], 0);

  ASSERT_EQ(run_program(directory, "run c.toml --quiet --out other --set method.name=ipds-vr").exit_code, 0);
  run = json::parse(slurp(directory / "other/summary.json"))["runs"][0];
  read = rows_read(directory / "other/ledger.jsonl");
  EXPECT_EQ(read["smoothness"], 400);
  EXPECT_EQ(read["trace"], 400);
}

TEST(Run, SaysWhereAnotherMethodRunsInstead) {
  const TempDir directory;
  static_cast<void>(
      directory.write("c.toml",
                      "[data]\nrows = 400\n[network]\ngraph = \"ring\"\nnodes = 4\n[stop]\ncertified_gap = 1e-3\n"
                      "[[method]]\nname = \"newton-sliding\"\ncurvature_memory = 1000\n"));
  const auto outcome = run_program(directory, "run c.toml --out out");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
  EXPECT_NE((outcome.out + outcome.error).find("newton-sliding: ipds-vr runs instead, since its models do not fit"),
            std::string::npos)
      << outcome.out << outcome.error;
  const auto of_few_rounds = run_program(directory, "run c.toml --out few --set method.favour=rounds");
  EXPECT_EQ(of_few_rounds.exit_code, 0) << of_few_rounds.error;
  EXPECT_NE((of_few_rounds.out + of_few_rounds.error).find("newton-sliding: ipds-restarted runs instead, since its"),
            std::string::npos)
      << of_few_rounds.out << of_few_rounds.error;
}

TEST(Run, SaysWhatAParentLearnsWhereModelsAreShared) {
  const TempDir directory;
  static_cast<void>(directory.write("c.toml",
                                    "[data]\nrows = 400\n[network]\ngraph = \"ring\"\nnodes = 4\n"
                                    "[stop]\ncertified_gap = 1e-3\n[[method]]\nname = \"newton-sliding\"\n"));
  const auto models = run_program(directory, "run c.toml --out models --set method.share=models");
  EXPECT_EQ(models.exit_code, 0) << models.error;
  EXPECT_NE(models.error.find("parent in the spanning tree learns"), std::string::npos) << models.out << models.error;
  const auto iterates = run_program(directory, "run c.toml --out iterates");
  EXPECT_EQ(iterates.error.find("spanning tree"), std::string::npos) << iterates.error;
}

TEST(Graph, TellsTheSpectrumAndRoundTripsItsEdges) {
  const TempDir directory;
  const auto star = run_program(directory, "graph star --nodes 5");
  EXPECT_EQ(star.exit_code, 0);
  EXPECT_NE(star.out.find("lambda_max        5 "), std::string::npos) << star.out;
  EXPECT_NE(star.out.find("lambda_2          1 "), std::string::npos) << star.out;
  const auto edges = run_program(directory, "graph erdos-renyi --nodes 12 --p 0.4 --edges");
  static_cast<void>(directory.write("g.edges", edges.out));
  EXPECT_EQ(run_program(directory, "graph file --path g.edges --edges").out, edges.out);
  EXPECT_EQ(run_program(directory, "graph ring --nodes 6 --picture g.svg").exit_code, 0);
  EXPECT_NE(slurp(directory / "g.svg").find("<circle"), std::string::npos);
}

TEST(List, NamesEverything) {
  const TempDir directory;
  for (const auto& [what, one] :
       {std::pair{"methods", "ipds"}, std::pair{"sets", "l1-ball"}, std::pair{"losses", "softmax"},
        std::pair{"graphs", "barbell"}, std::pair{"sources", "libsvm"}}) {
    const auto outcome = run_program(directory, std::string("list ") + what);
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_NE(outcome.out.find(one), std::string::npos);
  }
}

TEST(Help, Teaches) {
  const TempDir directory;
  const auto outcome = run_program(directory, "--help");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.out.find("Examples:"), std::string::npos);
  for (const char* code : {"Exit codes: 0 done", "; 2 bad command", "; 3 bad data", "; 4 stopped", "70 internal"}) {
    EXPECT_NE(outcome.out.find(code), std::string::npos) << code;
  }
  EXPECT_EQ(run_program(directory, "--version").out.rfind("slidemesh ", 0), 0U);
}

TEST(Help, OfDataTeachesEachCommand) {
  const TempDir directory;
  for (const auto& [command, words] : {std::pair{"inspect", "Heterogeneity is"}, std::pair{"split", "part-{node}.svm"},
                                       std::pair{"load", "primary key"}}) {
    const auto outcome = run_program(directory, std::string("data ") + command + " --help");
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_NE(outcome.out.find(std::string("  slidemesh data ") + command), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find(words), std::string::npos) << outcome.out;
    EXPECT_EQ(outcome.out.find("slidemesh reproduce"), std::string::npos) << "another command's examples";
  }
}

TEST(Data, InspectSaysAllThatItPromises) {
  const TempDir directory;
  static_cast<void>(directory.write("d.csv", "colour;size;label\nred;1;0\nblue;NA;1\nred;-3.5;1\nblue;2;0\n"));
  const auto look = run_program(
      directory, "data inspect d.csv --delimiter ';' --missing zero --categorical one-hot --nodes 2 --columns");
  ASSERT_EQ(look.exit_code, 0) << look.error;
  for (const char* one : {"rows          4", "features      3 ", "nonzeros      7 (58.33 %", "values        -3.5 to 2",
                          "labels        2 different, 0 to 1", "2 rows, 50.00 %", "smoothness", "heterogeneity",
                          "contiguous", "shuffled", "by-label", "dirichlet", "-3.5   2  75.00 %"}) {
    EXPECT_NE(look.out.find(one), std::string::npos) << one << "\n" << look.out;
  }
  const auto refused = run_program(directory, "data inspect d.csv --delimiter ';;'");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.error.find("--delimiter: expected one character"), std::string::npos) << refused.error;
}

TEST(Data, IsInspectedAndSplit) {
  const TempDir directory;
  std::string rows;
  for (int r = 0; r < 20; ++r) {
    rows += (r % 2 == 0 ? "1 1:" : "-1 2:") + std::to_string(r + 1) + "\n";
  }
  static_cast<void>(directory.write("d.svm", rows));
  const auto look = run_program(directory, "data inspect d.svm --nodes 4");
  EXPECT_EQ(look.exit_code, 0) << look.error;
  EXPECT_NE(look.out.find("rows          20"), std::string::npos) << look.out;
  ASSERT_EQ(run_program(directory, "data split d.svm --nodes 4 --split by-label --out parts").exit_code, 0);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory / "parts"), {}), 4);
  EXPECT_EQ(run_program(directory, "data split d.svm --nodes 4 --out parts").exit_code, 2) << "parts are there already";
  // And a run of the parts is the run of the whole.
  const std::string rest = "\n[network]\ngraph = \"ring\"\nnodes = 4\n[[method]]\nname = \"ipds\"\nouter_steps = 5\n";
  static_cast<void>(directory.write("w.toml", "[data]\npath = \"d.svm\"\nsplit = \"by-label\"" + rest));
  static_cast<void>(directory.write("p.toml", "[data]\npath = \"parts/part-{node}.svm\"" + rest));
  ASSERT_EQ(run_program(directory, "run w.toml --quiet --out w").exit_code, 0);
  ASSERT_EQ(run_program(directory, "run p.toml --quiet --out p").exit_code, 0);
  EXPECT_EQ(slurp(directory / "w/model.json"), slurp(directory / "p/model.json"));
}

TEST(Report, MergesRuns) {
  const TempDir directory;
  static_cast<void>(directory.write("c.toml", small_config()));
  ASSERT_EQ(run_program(directory, "run c.toml --quiet --out a").exit_code, 0);
  ASSERT_EQ(run_program(directory, "run c.toml --quiet --out b --set network.graph=star").exit_code, 0);
  EXPECT_EQ(run_program(directory, "report a b --out both.html").exit_code, 0);
  EXPECT_NE(slurp(directory / "both.html").find("<html"), std::string::npos);
  EXPECT_EQ(run_program(directory, "report nowhere").exit_code, 2);
}

}  // namespace
}  // namespace slidemesh
