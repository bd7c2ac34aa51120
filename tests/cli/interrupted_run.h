#pragma once

// A run that is stopped in the middle, and the same one undisturbed.

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "program.h"

namespace slidemesh::testing {

using nlohmann::json;

/// Long enough that a signal falls into it with --set method.outer_steps=100000000, and else short.
inline constexpr const char* kInterruptedConfig =
    "seed = 1\nthreads = 1\n[data]\nrows = 400\n[network]\ngraph = \"ring\"\nnodes = 4\n"
    "[[method]]\nname = \"defw\"\nouter_steps = 2000\n"
    "[output]\nevery = 100\nreference = false\ncheckpoint_every = 10\n";
inline constexpr int kInterruptedSteps = 2000;
inline constexpr int kPartSteps = 1234;  // neither a step with a record nor one with a checkpoint of its own

/// A shell's line: begins a run in the background, does `meanwhile` once `ready` exists, and waits for its end.
/// What run_program puts in front is a command of its own, so that $! is the program and not a shell around it.
inline std::string in_background(const std::string& arguments, const std::string& meanwhile,
                                 const std::string& ready = "out/checkpoints/*.checkpoint") {
  return "--version >version.txt; '" SLIDEMESH_PROGRAM "' " + arguments +
         " >background.txt 2>background.err & pid=$!; until ls " + ready +
         " >/dev/null 2>&1 || ! kill -0 $pid; do sleep 0.01; done; " + meanwhile + "; wait $pid";
}
inline constexpr const char* kEndless = " --set method.outer_steps=100000000";

class InterruptedRun : public ::testing::Test {
 protected:
  void SetUp() override { static_cast<void>(directory_.write("c.toml", kInterruptedConfig)); }

  void run_undisturbed() { ASSERT_EQ(run_program(directory_, "run c.toml --quiet --out whole").exit_code, 0); }
  /// Stops after kPartSteps, because the budget for data would not do for one more.
  void run_a_part(const std::string& more = "") {
    const auto outcome = run_program(directory_, "run c.toml --quiet --out out --set stop.data_oracle_calls=" +
                                                     std::to_string(400 * kPartSteps) + more);
    ASSERT_EQ(outcome.exit_code, 4) << outcome.error;
    ASSERT_EQ(summary()["runs"][0]["status"], "budget_reached");
    ASSERT_EQ(summary()["runs"][0]["outer_steps"], kPartSteps);
  }
  void resume_and_expect_same_as_undisturbed() {
    const auto outcome = run_program(directory_, "run c.toml --out out --resume --quiet");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
    expect_same_as_undisturbed();
  }
  void expect_same_as_undisturbed() {
    EXPECT_EQ(slurp(directory_ / "whole/model.json"), slurp(directory_ / "out/model.json"));
    EXPECT_EQ(timeless_trace("whole"), timeless_trace("out"));
    EXPECT_EQ(summary()["runs"][0]["status"], "finished");
    EXPECT_TRUE(std::filesystem::is_empty(directory_ / "out/checkpoints"));
    expect_nothing_half_written();
  }
  void expect_nothing_half_written() {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory_ / "out")) {
      EXPECT_NE(entry.path().extension(), ".tmp") << entry.path();
    }
  }
  [[nodiscard]] json summary() const { return json::parse(slurp(directory_ / "out/summary.json")); }
  /// Throws where a line is not whole.
  [[nodiscard]] std::vector<json> trace(const std::string& out = "out") const {
    std::istringstream lines(slurp(directory_ / (out + "/trace.jsonl")));
    std::vector<json> all;
    for (std::string line; std::getline(lines, line);) {
      all.push_back(json::parse(line));
    }
    return all;
  }
  [[nodiscard]] std::string timeless_trace(const std::string& out) const {
    std::string all;
    for (json& line : trace(out)) {
      line.erase("seconds");
      all += line.dump() + "\n";
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

inline int lines_with(const std::string& text, const std::string& word) {
  std::istringstream lines(text);
  int count = 0;
  for (std::string line; std::getline(lines, line);) {
    count += line.find(word) != std::string::npos ? 1 : 0;
  }
  return count;
}

}  // namespace slidemesh::testing
