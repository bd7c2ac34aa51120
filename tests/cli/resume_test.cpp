// Nothing lost: stopped, killed and damaged runs go on as if nothing had happened.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "interrupted_run.h"

namespace slidemesh::testing {
namespace {

class Resume : public InterruptedRun {};

TEST_F(Resume, AfterALimitIsBitIdentical) {
  run_undisturbed();
  run_a_part();
  const auto outcome = run_program(directory_, "run c.toml --out out --resume");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
  EXPECT_NE(outcome.error.find("goes on after step " + std::to_string(kPartSteps)), std::string::npos) << outcome.error;
  expect_same_as_undisturbed();
  const std::string model = slurp(directory_ / "out/model.json");
  EXPECT_EQ(run_program(directory_, "run c.toml --out out --resume --quiet").exit_code, 0) << "nothing is left to do";
  EXPECT_EQ(model, slurp(directory_ / "out/model.json"));
}

TEST_F(Resume, RemovesTheCheckpointsOfARunThatWasKilledBeforeItCouldDoSo) {
  run_undisturbed();
  run_a_part();
  std::filesystem::copy(directory_ / "out/checkpoints", directory_ / "kept");
  ASSERT_FALSE(std::filesystem::is_empty(directory_ / "kept"));
  resume_and_expect_same_as_undisturbed();
  std::filesystem::copy(directory_ / "kept", directory_ / "out/checkpoints");
  ASSERT_FALSE(std::filesystem::is_empty(directory_ / "out/checkpoints"));
  resume_and_expect_same_as_undisturbed();
}

TEST_F(Resume, AfterATimeLimitGoesOnToTheEnd) {
  const std::string endless = std::string("run c.toml --quiet --out out") + kEndless;
  ASSERT_EQ(run_program(directory_, endless + " --set stop.time_limit_seconds=1").exit_code, 4);
  ASSERT_EQ(summary()["runs"][0]["status"], "time_limit");
  const int first = summary()["runs"][0]["outer_steps"];
  EXPECT_GT(first, 0);
  EXPECT_EQ(trace().back()["status"], "time_limit");
  EXPECT_EQ(run_program(directory_, endless + " --resume --set stop.time_limit_seconds=2").exit_code, 4);
  EXPECT_GT(summary()["runs"][0]["outer_steps"], first);
  EXPECT_GE(summary()["runs"][0]["seconds"], 0.3);
}

TEST_F(Resume, WithTheSameLimitStopsAgain) {
  run_a_part();
  const json before = summary();
  const std::string trace_before = slurp(directory_ / "out/trace.jsonl");
  run_a_part(" --resume");
  EXPECT_EQ(before["runs"][0]["objective_at_average"], summary()["runs"][0]["objective_at_average"]);
  EXPECT_EQ(trace_before, slurp(directory_ / "out/trace.jsonl"));
}

TEST_F(Resume, TheLastLineOfATraceSaysHowTheRunEnded) {
  run_a_part();
  const auto expect_last = [&](const char* status, int step) {
    const std::vector<json> lines = trace();
    EXPECT_EQ(lines.back()["status"], status);
    EXPECT_EQ(lines.back()["step"], step);
    for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
      EXPECT_EQ(lines[i]["status"], "running") << "line " << i;
    }
  };
  expect_last("budget_reached", kPartSteps);
  // At a step that has a record anyway, and that therefore stays in the trace: but no longer as the last.
  const auto outcome = run_program(
      directory_, "run c.toml --out out --resume --quiet --set stop.data_oracle_calls=" + std::to_string(400 * 1500));
  EXPECT_EQ(outcome.exit_code, 4) << outcome.error;
  expect_last("budget_reached", 1500);
  EXPECT_EQ(run_program(directory_, "run c.toml --out out --resume --quiet").exit_code, 0);
  expect_last("finished", kInterruptedSteps);
}

TEST_F(Resume, WithNothingThereBegins) {
  run_undisturbed();
  resume_and_expect_same_as_undisturbed();
}

// ---------------------------------------------------------------- signals

TEST_F(Resume, ASignalFinishesTheStepAndSaves) {
  for (const char* signal : {"TERM", "INT", "USR1"}) {
    std::filesystem::remove_all(directory_ / "out");
    const auto outcome = run_program(directory_, in_background(std::string("run c.toml --out out") + kEndless,
                                                               std::string("kill -") + signal + " $pid"));
    EXPECT_EQ(outcome.exit_code, 4) << signal << outcome.error;
    EXPECT_EQ(summary()["runs"][0]["status"], "interrupted");
    EXPECT_EQ(trace().back()["status"], "interrupted");
    EXPECT_GT(summary()["runs"][0]["outer_steps"], 0);
    EXPECT_FALSE(checkpoints().empty());
    EXPECT_NE(slurp(directory_ / "out/report.html").find("<html"), std::string::npos);
  }
}

/// One step of it takes far longer than anybody waits.
constexpr const char* kHugeStep =
    "seed = 1\nthreads = 1\n[data]\nrows = 400\n[network]\ngraph = \"ring\"\nnodes = 4\n"
    "[[method]]\nname = \"ipds\"\nR = 1e7\nouter_steps = 5\n[output]\nreference = false\n";

TEST_F(Resume, ASecondInterruptEndsAtOnce) {
  static_cast<void>(directory_.write("huge.toml", kHugeStep));
  // $SECONDS and the like are not every shell's: whether it still runs after the first is what tells.
  const auto outcome = run_program(
      directory_, in_background("run huge.toml --out out",
                                "kill -INT $pid; sleep 0.5; kill -0 $pid && echo runs >after_first.txt; kill -INT $pid",
                                "out/trace.jsonl"));
  EXPECT_EQ(outcome.exit_code, 4) << outcome.error;
  EXPECT_EQ(slurp(directory_ / "after_first.txt"), "runs\n") << "the step is not over";
  EXPECT_FALSE(std::filesystem::exists(directory_ / "out/summary.json"));
}

TEST_F(Resume, AnInterruptWhileTheOptimumIsSoughtEndsTheRun) {
  const auto outcome = run_program(
      directory_,
      in_background("run c.toml --out out --set output.reference=true --set data.rows=200000 --set data.features=100",
                    "sleep 1; kill -INT $pid", "out"));
  EXPECT_EQ(outcome.exit_code, 4) << outcome.error;
  EXPECT_NO_THROW(static_cast<void>(summary()));
}

// ---------------------------------------------------------------- other configs, damaged files

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
  EXPECT_NE(refused("method.outer_steps=7").find("method.outer_steps: expected 2000"), std::string::npos);
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
    resume_and_expect_same_as_undisturbed();
    std::filesystem::remove_all(directory_ / "out");
    std::filesystem::rename(directory_ / "copy", directory_ / "out");
  }
}

TEST_F(Resume, RepairsATornTrace) {
  run_undisturbed();
  run_a_part();
  std::ofstream(directory_ / "out/trace.jsonl", std::ios::app) << "{\"method\": \"defw\", \"la";
  resume_and_expect_same_as_undisturbed();
}

TEST_F(Resume, TwoRunsCannotShareADirectory) {
  const auto outcome =
      run_program(directory_, in_background(std::string("run c.toml --out out") + kEndless,
                                            "'" SLIDEMESH_PROGRAM "' run c.toml --out out --resume 2>second.txt; "
                                            "echo $? >second.rc; kill -TERM $pid"));
  EXPECT_EQ(slurp(directory_ / "second.rc"), "2\n");
  EXPECT_NE(slurp(directory_ / "second.txt").find("in use"), std::string::npos);
}

TEST_F(Resume, ALabelIsNoPath) {
  std::string config = kInterruptedConfig;
  const std::string name = "name = \"defw\"";
  config.insert(config.find(name) + name.size(), "\nlabel = \"../../../escaped/x\"");
  static_cast<void>(directory_.write("c.toml", config));
  run_undisturbed();
  run_a_part();
  for (const auto& file : checkpoints()) {
    EXPECT_EQ(file.parent_path(), directory_ / "out/checkpoints");
  }
  EXPECT_EQ(checkpoints().size(), 2U);
  resume_and_expect_same_as_undisturbed();
}

}  // namespace
}  // namespace slidemesh::testing
