#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>

namespace slidemesh {

/// Whether the work under way is to be left as it stands. Long loops ask this now and then, and where it is true end
/// with what they have: a point of the set, though not the one that was asked for. False unless an Interruption lives.
/// Once true it stays true for that Interruption. Cheap: a look at the clock at most.
[[nodiscard]] bool interruption_is_due();

/// While one lives, loops of this thread (and of those that `for_each_node` shares its work with) hear what `wanted`
/// says. Nothing that is sent depends on it: a step whose loops ended early still makes all of its rounds, so that
/// processes need not agree before its end; then whoever made the Interruption tells the others.
class Interruption {
 public:
  /// `wanted` is asked by one thread at a time, every few milliseconds; empty: nothing is ever interrupted.
  explicit Interruption(std::function<bool()> wanted);
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  /// Whether some loop was asked to end: what it computed is not what an undisturbed run has.
  [[nodiscard]] bool was_heeded() const { return due_; }

 private:
  friend bool interruption_is_due();
  friend class SharedInterruption;

  bool is_due();

  std::function<bool()> wanted_;
  std::atomic<bool> due_ = false;
  std::atomic<std::int64_t> next_look_ = 0;  ///< on the steady clock
  std::mutex asking_;
  Interruption* before_;
};

/// Hands the Interruption of one thread on to another for as long as it lives: for thread pools.
class SharedInterruption {
 public:
  /// Of the calling thread.
  [[nodiscard]] static Interruption* here();
  explicit SharedInterruption(Interruption* other);
  ~SharedInterruption();
  SharedInterruption(const SharedInterruption&) = delete;
  SharedInterruption& operator=(const SharedInterruption&) = delete;

 private:
  Interruption* before_;
};

}  // namespace slidemesh
