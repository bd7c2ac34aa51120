// Nothing lost: stopped, killed and damaged runs go on as if nothing had happened.

#include <gtest/gtest.h>

#include <filesystem>
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

/// Long enough that a limit of a few hundredths of a second falls into it, on any machine.
constexpr const char* kConfig =
    "seed = 1\nthreads = 1\n[data]\nrows = 400\n[network]\ngraph = \"ring\"\nnodes = 4\n"
    "[[method]]\nname = \"defw\"\nouter_steps = 20000\n"
    "[output]\nevery = 1000\nreference = false\ncheckpoint_every = 10\n";

/// A shell's line: begins a run in the background, does `meanwhile` once it has a checkpoint, and waits for its end.
/// What run_program puts in front is a command of its own, so that $! is the program and not a shell around it.
std::string in_background(const std::string& arguments, const std::string& meanwhile) {
  return "--version >version.txt; '" SLIDEMESH_PROGRAM "' " + arguments +
         " --set method.outer_steps=100000000 >background.txt 2>&1 & pid=$!; "
         "until ls out/checkpoints/*.checkpoint >/dev/null 2>&1; do sleep 0.01; done; " +
         meanwhile + "; wait $pid";
}

class Resume : public ::testing::Test {
 protected:
  void SetUp() override { static_cast<void>(directory_.write("c.toml", kConfig)); }

  void run_undisturbed() { ASSERT_EQ(run_program(directory_, "run c.toml --quiet --out whole").exit_code, 0); }
  /// Stops at a time limit that lies within the run.
  void run_a_part() {
    const auto outcome = run_program(directory_, "run c.toml --quiet --out out --set stop.time_limit_seconds=0.03");
    ASSERT_EQ(outcome.exit_code, 4) << outcome.error;
    ASSERT_EQ(summary()["runs"][0]["status"], "time_limit");
    ASSERT_LT(summary()["runs"][0]["outer_steps"], 20000);
  }
  void expect_same_as_undisturbed() {
    EXPECT_EQ(slurp(directory_ / "whole/model.json"), slurp(directory_ / "out/model.json"));
    EXPECT_EQ(timeless_trace("whole"), timeless_trace("out"));
    EXPECT_EQ(summary()["runs"][0]["status"], "finished");
    EXPECT_TRUE(std::filesystem::is_empty(directory_ / "out/checkpoints"));
  }
  [[nodiscard]] json summary() const { return json::parse(slurp(directory_ / "out/summary.json")); }
  [[nodiscard]] std::string timeless_trace(const std::string& out) const {
    std::istringstream lines(slurp(directory_ / (out + "/trace.jsonl")));
    std::string all;
    for (std::string line; std::getline(lines, line);) {
      json parsed = json::parse(line);
      parsed.erase("seconds");
      all += parsed.dump() + "\n";
    }
    return all;
  }
  [[nodiscard]] std::vector<std::filesystem::path> checkpoints() const {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(directory_ / "out/checkpoints")) {
      files.push_back(entry.path());
    }
    return files;
  }

  TempDir directory_;
};

TEST_F(Resume, AfterATimeLimitIsBitIdentical) {
  run_undisturbed();
  run_a_part();
  const auto outcome = run_program(directory_, "run c.toml --out out --resume");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
  EXPECT_NE(outcome.error.find("goes on after step"), std::string::npos) << outcome.error;
  expect_same_as_undisturbed();
  const std::string model = slurp(directory_ / "out/model.json");
  EXPECT_EQ(run_program(directory_, "run c.toml --out out --resume --quiet").exit_code, 0) << "nothing is left to do";
  EXPECT_EQ(model, slurp(directory_ / "out/model.json"));
}

TEST_F(Resume, WithTheSameLimitStopsAgain) {
  run_a_part();
  const json before = summary();
  EXPECT_EQ(
      run_program(directory_, "run c.toml --out out --resume --quiet --set stop.time_limit_seconds=0.03").exit_code, 4);
  EXPECT_EQ(before["runs"][0]["outer_steps"], summary()["runs"][0]["outer_steps"]);
  EXPECT_EQ(before["runs"][0]["objective_at_average"], summary()["runs"][0]["objective_at_average"]);
}

TEST_F(Resume, WithNothingThereBegins) {
  run_undisturbed();
  EXPECT_EQ(run_program(directory_, "run c.toml --out out --resume --quiet").exit_code, 0);
  expect_same_as_undisturbed();
}

TEST_F(Resume, ASignalFinishesTheStepAndSaves) {
  for (const char* signal : {"TERM", "INT"}) {
    std::filesystem::remove_all(directory_ / "out");
    const auto outcome = run_program(
        directory_, in_background("run c.toml --out out --overwrite", std::string("kill -") + signal + " $pid"));
    EXPECT_EQ(outcome.exit_code, 4) << signal << outcome.error;
    EXPECT_EQ(summary()["runs"][0]["status"], "interrupted");
    EXPECT_GT(summary()["runs"][0]["outer_steps"], 0);
    EXPECT_FALSE(checkpoints().empty());
    EXPECT_NE(slurp(directory_ / "out/report.html").find("<html"), std::string::npos);
  }
}

TEST_F(Resume, RefusesAnotherConfigAndNamesTheKey) {
  run_a_part();
  const auto refused = [&](const std::string& change) {
    const auto outcome = run_program(directory_, "run c.toml --out out --resume --quiet --set " + change);
    EXPECT_EQ(outcome.exit_code, 2) << change;
    return outcome.error;
  };
  EXPECT_NE(refused("problem.mu=0.5").find("problem.mu: expected none as in the run to go on with, got 0.5"),
            std::string::npos);
  EXPECT_NE(refused("seed=2").find("seed: expected 1"), std::string::npos);
  EXPECT_NE(refused("network.nodes=5").find("network.nodes: expected 4"), std::string::npos);
  EXPECT_NE(refused("method.outer_steps=7").find("method.outer_steps: expected 20000"), std::string::npos);
}

TEST_F(Resume, AllowsOtherThreadsLimitsAndOutput) {
  run_undisturbed();
  run_a_part();
  EXPECT_EQ(run_program(directory_,
                        "run c.toml --out out --resume --quiet --set threads=2 --set output.checkpoint_every=7 "
                        "--set stop.time_limit_seconds=1000")
                .exit_code,
            0);
  EXPECT_EQ(slurp(directory_ / "whole/model.json"), slurp(directory_ / "out/model.json"));
}

TEST_F(Resume, TakesTheOlderGenerationWhereTheNewerIsDamaged) {
  run_undisturbed();
  run_a_part();
  const auto files = checkpoints();
  ASSERT_EQ(files.size(), 2U);
  for (const auto& damaged : files) {
    std::filesystem::copy(directory_ / "out", directory_ / "copy", std::filesystem::copy_options::recursive);
    std::filesystem::resize_file(damaged, std::filesystem::file_size(damaged) - 9);
    EXPECT_EQ(run_program(directory_, "run c.toml --out out --resume --quiet").exit_code, 0);
    expect_same_as_undisturbed();
    std::filesystem::remove_all(directory_ / "out");
    std::filesystem::rename(directory_ / "copy", directory_ / "out");
  }
}

TEST_F(Resume, RepairsATornTrace) {
  run_undisturbed();
  run_a_part();
  std::ofstream(directory_ / "out/trace.jsonl", std::ios::app) << "{\"method\": \"defw\", \"la";
  EXPECT_EQ(run_program(directory_, "run c.toml --out out --resume --quiet").exit_code, 0);
  expect_same_as_undisturbed();
}

TEST_F(Resume, TwoRunsCannotShareADirectory) {
  const auto outcome =
      run_program(directory_, in_background("run c.toml --out out",
                                            "'" SLIDEMESH_PROGRAM "' run c.toml --out out --resume 2>second.txt; "
                                            "echo $? >second.rc; kill -TERM $pid"));
  EXPECT_EQ(slurp(directory_ / "second.rc"), "2\n");
  EXPECT_NE(slurp(directory_ / "second.txt").find("in use"), std::string::npos);
}

// ---------------------------------------------------------------- disks

TEST_F(Resume, AFullDiskIsSaidOnceAndLeavesNothingTorn) {
  // No file may grow beyond a few blocks: the trace and the page do not fit, the summary and the model do.
  const auto outcome = run_program(directory_, "--version >/dev/null; trap '' XFSZ; ulimit -f 16; '" SLIDEMESH_PROGRAM
                                               "' run c.toml --quiet --out out --set output.every=100");
  EXPECT_EQ(outcome.exit_code, 2) << "the page could not be written";
  std::istringstream lines(outcome.error);
  int warnings = 0;
  for (std::string line; std::getline(lines, line);) {
    warnings += line.find("warning") != std::string::npos ? 1 : 0;
  }
  EXPECT_EQ(warnings, 1) << outcome.error;
  EXPECT_EQ(summary()["runs"][0]["status"], "finished");
  EXPECT_NO_THROW(static_cast<void>(timeless_trace("out"))) << "whole lines only";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory_ / "out")) {
    EXPECT_NE(entry.path().extension(), ".tmp") << entry.path();
  }
}

TEST_F(Resume, AVanishedDirectoryIsMadeAgain) {
  const auto outcome =
      run_program(directory_, in_background("run c.toml --out out", "rm -rf out; sleep 0.1; kill -TERM $pid"));
  EXPECT_EQ(outcome.exit_code, 4) << outcome.error;
  EXPECT_EQ(summary()["runs"][0]["status"], "interrupted");
  EXPECT_NE(timeless_trace("out"), "");
}

// ---------------------------------------------------------------- numbers

TEST_F(Resume, BadlyScaledDataIsNeverSilentGarbage) {
  for (const char* scale : {"1e300", "1e200", "1e160", "1e154", "1e100", "1e-100", "1e-160", "1e-200", "1e-300"}) {
    std::string rows;
    for (int r = 0; r < 40; ++r) {
      rows += std::string(r % 3 == 0 ? "1" : "-1") + " 1:" + scale + " 2:-" + std::to_string(r + 1) +
              std::string(scale).substr(1) + "\n";
    }
    static_cast<void>(directory_.write("d.svm", rows));
    for (const char* loss : {"logistic", "least-squares", "huber", "smoothed-hinge"}) {
      for (const char* method : {"ipds", "defw"}) {
        static_cast<void>(directory_.write(
            "d.toml", std::string("[problem]\nloss = \"") + loss +
                          "\"\n[data]\nsource = \"libsvm\"\npath = \"d.svm\"\n[network]\ngraph = \"ring\"\nnodes = 4\n"
                          "[[method]]\nname = \"" +
                          method + "\"\nouter_steps = 4\n[output]\nreference = false\n"));
        const auto outcome = run_program(directory_, "run d.toml --quiet --overwrite --out d");
        if (outcome.exit_code == 0) {
          const json run = json::parse(slurp(directory_ / "d/summary.json"))["runs"][0];
          EXPECT_TRUE(run["objective_at_average"].is_number()) << scale << " " << loss << " " << method;
        } else {
          EXPECT_EQ(outcome.exit_code, 3) << scale << " " << loss << " " << method << ": " << outcome.error;
        }
      }
    }
  }
}

}  // namespace
}  // namespace slidemesh
