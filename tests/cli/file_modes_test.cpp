// Who may read what a run leaves behind.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <set>
#include <string>

#include "program.h"

namespace slidemesh::testing {
namespace {

/// Files and directories below `root` by name, that anybody but their owner may read or enter.
std::set<std::string> open_to_others(const std::filesystem::path& root) {
  std::set<std::string> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    struct stat status {};
    EXPECT_EQ(::stat(entry.path().c_str(), &status), 0);
    if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
      found.insert(entry.path().lexically_relative(root).string());
    }
  }
  return found;
}

class FileModes : public ::testing::Test {
 protected:
  FileModes() {
    std::ofstream(directory_ / "c.toml") << small_config("[stop]\ntarget_gap = 0.5\n[output]\ncheckpoint_every = 1\n");
  }
  [[nodiscard]] std::set<std::string> left_open(const std::string& change) {
    const auto outcome = run_program(directory_, "--version >version.txt; umask 022; '" SLIDEMESH_PROGRAM
                                                 "' run c.toml --quiet --out all/out --set data.ledger=ledger" +
                                                     change);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
    return open_to_others(directory_.path() / "all");
  }
  TempDir directory_;
};

TEST_F(FileModes, ResultsAreTheirOwnersAlone) {
  std::filesystem::create_directory(directory_ / "all");
  // A target that is reached at once leaves the checkpoint of the step.
  EXPECT_EQ(left_open(""), std::set<std::string>{});
  EXPECT_TRUE(std::filesystem::exists(directory_ / "all/out/checkpoints"));
  EXPECT_TRUE(std::filesystem::exists(directory_ / "all/out/ledger"));
}

TEST_F(FileModes, SharedResultsFollowTheUmask) {
  std::filesystem::create_directory(directory_ / "all");
  const auto open = left_open(" --set output.shared=true");
  for (const char* name : {"out/ledger", "out", "out/checkpoints", "out/summary.json", "out/trace.jsonl",
                           "out/model.json", "out/report.html"}) {
    EXPECT_TRUE(open.contains(name)) << name;
  }
}

}  // namespace
}  // namespace slidemesh::testing
