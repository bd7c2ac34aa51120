#include "mesh_io.h"

#include <asio/post.hpp>
#include <utility>

namespace slidemesh::peers {
namespace {

/// A method that has been away for so long computes: most come back for the next round sooner. What arrives meanwhile
/// waits in the socket, and what a socket did not take at once waits with it.
constexpr auto kAway = std::chrono::milliseconds(2);

}  // namespace

void IoTurns::run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (holder_ == Holder::kMethod) {
      wait_for_method(lock);
    } else if (std::chrono::steady_clock::now() < not_before_) {
      vacant_.wait_until(lock, not_before_);
    } else {
      holder_ = Holder::kIoThread;
      lock.unlock();
      io_.run_one();
      io_.poll();
      lock.lock();
      holder_ = Holder::kNobody;
      if (std::exchange(wanted_, false)) {
        not_before_ = std::chrono::steady_clock::now() + kAway;
        changed_.notify_all();
      }
    }
  }
}

/// Looks now and then while turns are short, so that giving one back wakes nobody; sleeps while one is long.
void IoTurns::wait_for_method(std::unique_lock<std::mutex>& lock) {
  const std::uint64_t turn = taken_;
  vacant_.wait_for(lock, kAway);
  if (holder_ == Holder::kMethod && taken_ == turn && !stopping_) {
    asleep_ = true;
    vacant_.wait(lock);
    asleep_ = false;
  }
}

void IoTurns::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  vacant_.notify_all();
  asio::post(io_, [] {});  // it may be waiting for something to happen
}

bool IoTurns::try_take() {
  wanted_ = holder_ == Holder::kIoThread;
  if (!wanted_) {
    holder_ = Holder::kMethod;
    ++taken_;
  }
  return !wanted_;
}

void IoTurns::give_back() {
  holder_ = Holder::kNobody;
  not_before_ = std::chrono::steady_clock::now() + kAway;
  if (asleep_) {
    vacant_.notify_all();
  }
}

}  // namespace slidemesh::peers
