
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "slidemesh/base/atomic_file.h"
#include "support/temp_dir.h"

namespace slidemesh {
namespace {

unsigned mode_of(const std::filesystem::path& path) {
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777U;
}

class FileAccessOf : public ::testing::Test {
 protected:
  FileAccessOf() { umask_ = ::umask(022); }
  ~FileAccessOf() override {
    ::umask(umask_);
    set_file_access(FileAccess::kOwner);
  }
  testing::TempDir directory_;
  mode_t umask_ = 0;
};

TEST_F(FileAccessOf, WhatIsWrittenIsItsOwnersByDefault) {
  make_directory(directory_ / "deep/down");
  atomic_write(directory_ / "deep/down/model", "m");
  claim_file(directory_ / "ledger");
  EXPECT_EQ(mode_of(directory_ / "deep"), 0700U);
  EXPECT_EQ(mode_of(directory_ / "deep/down"), 0700U);
  EXPECT_EQ(mode_of(directory_ / "deep/down/model"), 0600U);
  EXPECT_EQ(mode_of(directory_ / "ledger"), 0600U);
}

TEST_F(FileAccessOf, FollowsTheUmaskWhereFilesAreShared) {
  set_file_access(FileAccess::kUmask);
  make_directory(directory_ / "deep");
  atomic_write(directory_ / "model", "m");
  claim_file(directory_ / "ledger");
  EXPECT_EQ(mode_of(directory_ / "deep"), 0755U);
  EXPECT_EQ(mode_of(directory_ / "model"), 0644U);
  EXPECT_EQ(mode_of(directory_ / "ledger"), 0644U);
}

TEST_F(FileAccessOf, AFileThatIsThereAlreadyLosesOthersRightsAndNotItsContent) {
  std::ofstream(directory_ / "ledger") << "line\n";
  ASSERT_EQ(mode_of(directory_ / "ledger"), 0644U);
  claim_file(directory_ / "ledger");
  EXPECT_EQ(mode_of(directory_ / "ledger"), 0600U);
  EXPECT_EQ(read_text(directory_ / "ledger"), "line\n");
}

TEST_F(FileAccessOf, PipesAndDevicesKeepTheirRights) {
  const std::filesystem::path pipe = directory_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0644), 0);
  claim_file(pipe);  // and does not wait for a reader
  EXPECT_EQ(mode_of(pipe), 0644U);
  const unsigned before = mode_of("/dev/null");
  claim_file("/dev/null");
  EXPECT_EQ(mode_of("/dev/null"), before);
}

}  // namespace
}  // namespace slidemesh
