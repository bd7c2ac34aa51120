#include "slidemesh/base/interruption.h"

#include <chrono>
#include <utility>

namespace slidemesh {

namespace {

constexpr std::chrono::nanoseconds kPause = std::chrono::milliseconds(5);

thread_local Interruption* of_this_thread = nullptr;

std::int64_t now() { return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1); }

}  // namespace

Interruption::Interruption(std::function<bool()> wanted) : wanted_(std::move(wanted)), before_(of_this_thread) {
  if (wanted_) {
    of_this_thread = this;
  }
}

Interruption::~Interruption() { of_this_thread = before_; }

bool Interruption::is_due() {
  if (due_) {
    return true;
  }
  const std::int64_t time = now();
  if (time < next_look_) {
    return false;
  }
  const std::unique_lock lock(asking_, std::try_to_lock);  // whoever is asking already will tell
  if (lock) {
    next_look_ = time + kPause.count();
    due_ = wanted_();
  }
  return due_;
}

bool interruption_is_due() { return of_this_thread != nullptr && of_this_thread->is_due(); }

Interruption* SharedInterruption::here() { return of_this_thread; }

SharedInterruption::SharedInterruption(Interruption* other) : before_(of_this_thread) { of_this_thread = other; }

SharedInterruption::~SharedInterruption() { of_this_thread = before_; }

}  // namespace slidemesh
