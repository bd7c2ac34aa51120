#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint_store.h"
#include "slidemesh/core/method.h"
#include "slidemesh/session/config.h"
#include "slidemesh/session/experiment.h"
#include "slidemesh/session/job.h"
#include "slidemesh/session/listener.h"
#include "slidemesh/session/run.h"

namespace slidemesh {

using Settings = std::vector<std::pair<std::string, std::string>>;

/// The keys of a config that the run of one method depends on, with their values. Limits, output and the numbers of
/// threads and ranks are not among them; neither are paths, since what was read from them is compared instead.
[[nodiscard]] Settings settings_of(const Config& config, const std::string& label);

/// UsageError that names the first key that differs.
void require_same_settings(const Settings& before, const Settings& now, const std::string& where);

/// The checkpoints of one method's run: when to take one, and how to go on from one. All processes of a run call each
/// function at the same step.
class Checkpoints {
 public:
  struct Context {
    const Config& config;
    Experiment& experiment;
    Listener& listener;
    const Job& job;
    std::filesystem::path directory;
    std::string data_key;  ///< tells the data of one run from those of another; empty: not compared
  };
  Checkpoints(const Context& context, const MethodConfig& method);

  /// Everything that the run depends on.
  [[nodiscard]] const Settings& settings() const { return settings_; }

  /// Finds the newest checkpoint that is whole on all processes, and its place in the run. UsageError if it is of
  /// another config.
  [[nodiscard]] std::optional<RunState> find();
  /// Puts `method` and the meters where the checkpoint found was.
  void restore(Method& method);

  /// Takes a checkpoint if one is due or the run stops here. `before_writing` is called in the background, first.
  void after_step(Method& method, const RunState& state, Status status, const std::function<void()>& before_writing);
  /// The run failed and this process may be alone: writes down the last state that is still in memory, if any.
  void save_what_there_is();
  /// Waits for the disk. A run that has its length needs no checkpoint any more.
  void finish();

 private:
  [[nodiscard]] std::vector<CheckpointStore::Set> candidates() const;
  [[nodiscard]] bool due(const RunState& state) const;
  [[nodiscard]] std::string serialize(Method& method, const RunState& state);
  void take_snapshot(Method& method, const RunState& state);
  void settle();
  void say_once(const std::string& reason);
  [[nodiscard]] std::vector<std::shared_ptr<const CheckpointPart>> parts_of(const CheckpointStore::Set& set) const;

  Context context_;
  const MethodConfig& method_;
  Network& network_;
  Control control_;
  Settings settings_;
  CheckpointStore store_;
  std::vector<std::shared_ptr<const CheckpointPart>> found_;
  int last_step_ = 0;  ///< when the last one was taken
  double last_seconds_ = 0.0;
  bool pending_ = false;  ///< one was given to the store and is not known to be on every disk
  bool overdue_ = false;  ///< one was due while the disk was busy
  bool said_ = false;
  std::string snapshot_;  ///< a recent state, for when things go wrong
  double snapshot_seconds_ = 0.0;
  double snapshot_cost_ = 0.0;  ///< seconds that the last one took
};

}  // namespace slidemesh
