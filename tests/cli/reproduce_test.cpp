// The paper's tables, recomputed by the program on generated data: the numbers that do not depend on the data.

#include <gtest/gtest.h>

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

json tables_of(const std::string& part) {
  const TempDir directory;
  const auto outcome = run_program(directory, "reproduce " + part + " --out out --quiet");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
  EXPECT_NE(slurp(directory / "out/report.html").find("<html"), std::string::npos);
  json tables = json::parse(slurp(directory / "out/tables.json"));
  EXPECT_TRUE(tables["generated"]);
  return tables;
}

TEST(Reproduce, TableTwoToTheRow) {
  const json tables = tables_of("table2");
  const json& rows = tables["tables"][0]["rows"];
  ASSERT_EQ(rows.size(), 6U);
  for (std::size_t r = 0; r < 4; ++r) {
    EXPECT_EQ(rows[r][2], 20'000'000) << "the paper's";
    EXPECT_EQ(rows[r][3], 2'000'000) << "every row once per step";
    EXPECT_EQ(rows[r][5], 20'000'000) << "the paper's counting";
  }
  EXPECT_EQ(rows[4][4], 21'200);
  EXPECT_EQ(rows[5][4], 78'740);
}

TEST(Reproduce, SpectralGapsSayWhereThePaperIsContradicted) {
  const json tables = tables_of("spectral-gaps");
  constexpr double kTolerance = 0.1;
  const std::vector<std::pair<double, std::string>> expected = {{-2.0, "agrees"},
                                                                {-1.0, "contradicts"},
                                                                {-0.7, "contradicts"},
                                                                {-2.0, "contradicts"},
                                                                {-3.0, "agrees for the Laplacian"},
                                                                {-0.1, "contradicts"},
                                                                {-2.0, "agrees"}};
  const json& rows = tables["tables"][0]["rows"];
  for (std::size_t r = 0; r < expected.size(); ++r) {
    EXPECT_NEAR(rows[r][3].get<double>(), expected[r].first, kTolerance) << rows[r][0];
    EXPECT_EQ(rows[r][6], expected[r].second) << rows[r][0];
  }
}

TEST(Reproduce, SaysWhatIsWrong) {
  const TempDir directory;
  EXPECT_EQ(run_program(directory, "reproduce table9").exit_code, 2);
  EXPECT_EQ(run_program(directory, "reproduce table2 --data missing.xz --out out").exit_code, 3);
  static_cast<void>(directory.write("short.txt", "1 1:0.5\n-1 2:0.5\n"));
  const auto outcome = run_program(directory, "reproduce table2 --data short.txt --out other");
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_NE(outcome.error.find("expected at least 20000 rows, got 2"), std::string::npos) << outcome.error;
}

TEST(Run, EveryBaselineByName) {
  const TempDir directory;
  std::string methods;
  for (const char* name :
       {"defw", "dpg", "pg-extra", "nids", "centralized-fw", "centralized-cgs", "centralized-fista"}) {
    methods += std::string("[[method]]\nname = \"") + name + "\"\nouter_steps = 5\n";
  }
  methods +=
      "[[method]]\nname = \"defw\"\nlabel = \"odd\"\nouter_steps = 3\nweights = \"laplacian\"\nmixing_rounds = "
      "\"log\"\n"
      "gradients = \"sampled\"\nbatch = 7\ntracking = false\n";
  static_cast<void>(directory.write("c.toml", small_config(methods)));
  const auto outcome = run_program(directory, "run c.toml --out out");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.error;
  const json runs = json::parse(slurp(directory / "out/summary.json"))["runs"];
  ASSERT_EQ(runs.size(), 9U);
  EXPECT_EQ(runs[1]["communication_rounds"], 10);
  EXPECT_EQ(runs[1]["linear_oracle_calls"], 20);
  EXPECT_EQ(runs[4]["communication_rounds"], 4);
  EXPECT_EQ(runs[7]["communication_rounds"], 0);
  EXPECT_EQ(runs[8]["data_oracle_calls"], 3 * 4 * 7);
  EXPECT_EQ(runs[8]["communication_rounds"], 2 * (1 + 2 + 3));
}

}  // namespace
}  // namespace slidemesh
