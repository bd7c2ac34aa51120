#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace slidemesh {

/// The directory for a run's results, made if it is not there. `wanted` empty: runs/NAME, NAME that of
/// the config, with a number behind it where that is taken (not with `overwrite`). A directory that already holds a run
/// is a UsageError unless `overwrite` or `resume`; nothing is ever deleted that a run did not write.
[[nodiscard]] std::filesystem::path prepare_output_directory(const std::string& wanted, const std::string& config,
                                                             bool overwrite, bool resume = false);

/// What is in a directory, in the order of names; nothing where it cannot be read.
[[nodiscard]] std::vector<std::filesystem::path> entries_of(const std::filesystem::path& directory);

/// Held as long as a run writes to its directory, and let go by the system however the process ends. UsageError if
/// another process has it.
class DirectoryLock {
 public:
  explicit DirectoryLock(const std::filesystem::path& directory);
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

 private:
  int descriptor_ = -1;
};

/// Where a run with these results keeps its checkpoints.
[[nodiscard]] std::filesystem::path checkpoint_directory(const std::filesystem::path& out);

/// Beside the run's directory, so that runs of one problem share it. Empty where `out` is.
[[nodiscard]] std::filesystem::path reference_cache_path(const std::filesystem::path& out);

}  // namespace slidemesh
