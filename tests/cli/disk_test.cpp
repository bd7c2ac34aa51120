// Disks that are full, that may not be written to, and directories that vanish: during a run, at a checkpoint, at a
// resume.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "interrupted_run.h"

namespace slidemesh::testing {
namespace {

class Disk : public InterruptedRun {
 protected:
  /// The program as somebody whom permissions bind. What run_program puts in front is a command of its own.
  [[nodiscard]] Outcome run_unprivileged(const std::string& arguments) {
    std::filesystem::permissions(directory_.path(), std::filesystem::perms::all);
    const std::string as = ::geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups " : "";
    return run_program(directory_, "--version >version.txt; " + as + "'" SLIDEMESH_PROGRAM "' " + arguments);
  }
  /// Whether the program's file can be reached by somebody who is not root.
  [[nodiscard]] bool can_be_unprivileged() { return run_unprivileged("--version").exit_code == 0; }

  /// No file may grow beyond so many blocks of 512 bytes.
  static std::string within_blocks(int blocks, const std::string& arguments) {
    return "--version >version.txt; trap '' XFSZ; ulimit -f " + std::to_string(blocks) + "; '" SLIDEMESH_PROGRAM "' " +
           arguments;
  }
  void make_writable(bool yes) {
    using std::filesystem::perms;
    for (const char* name : {"out", "out/checkpoints"}) {
      if (std::filesystem::exists(directory_ / name)) {
        std::filesystem::permissions(directory_ / name, yes ? perms::all
                                                            : perms::owner_read | perms::owner_exec |
                                                                  perms::group_read | perms::group_exec |
                                                                  perms::others_read | perms::others_exec);
      }
    }
  }
};

// ---------------------------------------------------------------- full

TEST_F(Disk, AFullOneIsSaidOnceAndLeavesNothingTorn) {
  // The trace and the page do not fit, the summary and the model do.
  const auto outcome = run_program(directory_, within_blocks(16, "run c.toml --quiet --out out --set output.every=10"));
  EXPECT_EQ(outcome.exit_code, 2) << "the page could not be written";
  EXPECT_EQ(lines_with(outcome.error, "warning"), 1) << outcome.error;
  EXPECT_EQ(summary()["runs"][0]["status"], "finished");
  EXPECT_NO_THROW(static_cast<void>(trace())) << "whole lines only";
  expect_nothing_half_written();
}

TEST_F(Disk, ACheckpointThatDoesNotFitDoesNotStopARun) {
  const std::string wide =  // dense iterates: zeros would not be written
      " --set data.rows=40 --set data.features=20000 --set method.outer_steps=60 "
      "--set problem.set.kind=l2-ball --set problem.set.radius=10";
  const auto outcome = run_program(directory_, within_blocks(1600, "run c.toml --quiet --out out" + wide));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
  EXPECT_EQ(lines_with(outcome.error, "warning"), 1) << outcome.error;
  EXPECT_NE(outcome.error.find(".checkpoint: cannot write"), std::string::npos) << outcome.error;
  EXPECT_EQ(summary()["runs"][0]["status"], "finished");
  expect_nothing_half_written();
}

TEST_F(Disk, AFullOneAtAResumeLosesNothing) {
  run_undisturbed();
  run_a_part();
  const auto outcome = run_program(directory_, within_blocks(1, "run c.toml --quiet --out out --resume"));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(lines_with(outcome.error, "slidemesh: error: "), 1) << outcome.error;
  EXPECT_EQ(checkpoints().size(), 2U);
  resume_and_expect_same_as_undisturbed();
}

/// The real thing, where a file system of our own may be mounted.
TEST_F(Disk, ATinyFileSystem) {
  std::filesystem::create_directory(directory_ / "out");
  const std::string mounted =
      "--version >version.txt; unshare --mount sh -c \"mount -t tmpfs -o size=64k none out && touch mounted && '" +
      std::string(SLIDEMESH_PROGRAM) +
      "' run c.toml --quiet --out out --set output.every=10; code=\\$?; cp -r out copy; exit \\$code\"";
  const auto outcome = run_program(directory_, mounted);
  if (!std::filesystem::exists(directory_ / "mounted")) {
    GTEST_SKIP() << "no file system can be mounted here: " << outcome.error;
  }
  EXPECT_EQ(outcome.exit_code, 2) << outcome.error;
  EXPECT_GE(lines_with(outcome.error, "No space left on device"), 1) << outcome.error;
  EXPECT_LE(lines_with(outcome.error, "warning"), 2) << "of the trace and of the checkpoints, once each";
  EXPECT_NO_THROW(static_cast<void>(trace("copy"))) << "whole lines only";
  if (std::filesystem::exists(directory_ / "copy/summary.json")) {
    EXPECT_TRUE(json::accept(slurp(directory_ / "copy/summary.json")));
  }
}

// ---------------------------------------------------------------- read-only

TEST_F(Disk, AReadOnlyDirectoryIsRefusedAtTheStart) {
  if (!can_be_unprivileged()) {
    GTEST_SKIP() << "the program cannot be run by another user";
  }
  std::filesystem::create_directory(directory_ / "out");
  make_writable(false);
  const auto outcome = run_unprivileged("run c.toml --quiet --out out");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.error.find("out: expected a directory that can be written to"), std::string::npos) << outcome.error;
  make_writable(true);
}

TEST_F(Disk, ADirectoryThatBecomesReadOnlyDoesNotStopARun) {
  if (!can_be_unprivileged()) {
    GTEST_SKIP() << "the program cannot be run by another user";
  }
  run_undisturbed();
  std::filesystem::create_directory(directory_ / "out");
  make_writable(true);
  const std::string as = ::geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups " : "";
  // The trace is open already and goes on; checkpoints, the summary and the model cannot be replaced.
  const auto outcome = run_program(
      directory_,
      "--version >version.txt; " + as + "'" SLIDEMESH_PROGRAM "' run c.toml --out out" + kEndless +
          " 2>background.err >background.txt & pid=$!; until ls out/checkpoints/*.checkpoint >/dev/null 2>&1; "
          "do sleep 0.01; done; chmod 555 out out/checkpoints; sleep 0.3; kill -TERM $pid; wait $pid");
  const std::string said = slurp(directory_ / "background.err");
  EXPECT_EQ(outcome.exit_code, 2) << said << "\nthe results could not be written";
  EXPECT_GE(lines_with(said, "warning"), 1) << said;
  EXPECT_LE(lines_with(said, "warning"), 2) << said << "\nof the checkpoints and of the results, once each";
  EXPECT_NE(slurp(directory_ / "background.txt").find("defw"), std::string::npos)
      << "the table is printed all the same";
  EXPECT_NO_THROW(static_cast<void>(trace()));
  EXPECT_FALSE(std::filesystem::exists(directory_ / "out/summary.json"));
  make_writable(true);
  // What was written before is whole, and a resume begins there.
  const auto resumed = run_unprivileged(std::string("run c.toml --out out --resume") + kEndless +
                                        " --set stop.time_limit_seconds=0.001");
  EXPECT_EQ(resumed.exit_code, 4) << resumed.error;
  EXPECT_NE(resumed.error.find("goes on after step"), std::string::npos) << resumed.error;
}

TEST_F(Disk, AReadOnlyDirectoryAtAResumeLosesNothing) {
  if (!can_be_unprivileged()) {
    GTEST_SKIP() << "the program cannot be run by another user";
  }
  run_undisturbed();
  run_a_part();
  make_writable(false);
  const auto outcome = run_unprivileged("run c.toml --quiet --out out --resume");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.error.find("expected a directory that can be written to"), std::string::npos) << outcome.error;
  make_writable(true);
  resume_and_expect_same_as_undisturbed();
}

// ---------------------------------------------------------------- vanished

TEST_F(Disk, AVanishedDirectoryIsMadeAgain) {
  const auto outcome = run_program(directory_, in_background(std::string("run c.toml --out out") + kEndless,
                                                             "rm -rf out; sleep 0.1; kill -TERM $pid"));
  EXPECT_EQ(outcome.exit_code, 4) << outcome.error;
  EXPECT_EQ(summary()["runs"][0]["status"], "interrupted");
  EXPECT_EQ(trace().front()["step"], 0);
  EXPECT_EQ(trace().back()["status"], "interrupted");
  const auto resumed = run_program(
      directory_, std::string("run c.toml --out out --resume --set stop.time_limit_seconds=0.001") + kEndless);
  EXPECT_EQ(resumed.exit_code, 4) << resumed.error;
  EXPECT_NE(resumed.error.find("goes on after step"), std::string::npos) << resumed.error;
}

TEST_F(Disk, AVanishedDirectoryOfCheckpointsIsMadeAgain) {
  run_undisturbed();
  const auto outcome =
      run_program(directory_, in_background("run c.toml --out out --set stop.time_limit_seconds=1000 --set "
                                            "output.checkpoint_every=1",
                                            "rm -rf out/checkpoints"));
  EXPECT_EQ(outcome.exit_code, 0) << slurp(directory_ / "background.err");
  EXPECT_EQ(timeless_trace("whole"), timeless_trace("out"));
  std::filesystem::remove_all(directory_ / "out");
  run_a_part();
  std::filesystem::remove_all(directory_ / "out/checkpoints");
  resume_and_expect_same_as_undisturbed();  // from the start, since nothing is left
}

}  // namespace
}  // namespace slidemesh::testing
