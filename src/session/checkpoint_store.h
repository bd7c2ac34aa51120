#pragma once

#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "slidemesh/session/checkpoint.h"
#include "slidemesh/session/checkpoint_seal.h"

namespace slidemesh {

/// Where one process keeps its part of one run's checkpoints: two files, of which the older is replaced while the newer
/// stays. A part is written in the background, so that the run need not wait for the disk.
class CheckpointStore {
 public:
  /// `seal`: none where no key is configured.
  CheckpointStore(std::filesystem::path directory, const std::string& label, int process, int processes,
                  std::optional<CheckpointSeal> seal);
  ~CheckpointStore();
  CheckpointStore(const CheckpointStore&) = delete;
  CheckpointStore& operator=(const CheckpointStore&) = delete;

  /// A set of parts, one for each process of the run that wrote it.
  struct Set {
    int step = 0;
    int processes = 1;
  };
  /// The sets of which the first process's part is whole, newest first.
  [[nodiscard]] std::vector<Set> sets() const;
  /// The part of process `process` of that set, or null if there is no whole one.
  [[nodiscard]] std::shared_ptr<const CheckpointPart> read(const Set& set, int process) const;

  /// From now on the part of that step, if this process has one, is the one to stay.
  void keep(const Set& set);

  [[nodiscard]] bool busy() const;
  /// Begins to replace the file that is not to stay. `before` is called first, in the background too.
  void start(std::string bytes, std::function<void()> before);
  /// Waits for the end of `start`; why it failed, or nothing. Nothing to wait for is no failure.
  [[nodiscard]] std::string wait();
  /// What was written last is on every process's disk: that one is to stay from now on.
  void commit() { slot_ = 1 - slot_; }

  /// Removes all files of this run: its parts of any number of processes, and what killed processes left half written.
  void remove_all();

 private:
  [[nodiscard]] std::filesystem::path file(int process, int processes, int slot) const;
  [[nodiscard]] std::shared_ptr<const CheckpointPart> read_file(const std::filesystem::path& path) const;

  std::filesystem::path directory_;
  std::string stem_;
  std::string label_;
  int process_;
  int processes_;
  std::optional<CheckpointSeal> seal_;
  int slot_ = 0;  ///< the one to be written next
  std::future<std::string> writing_;
};

}  // namespace slidemesh
