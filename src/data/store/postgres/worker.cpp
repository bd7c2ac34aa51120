#ifdef SLIDEMESH_POSTGRES

#include "worker.h"

#include <exception>
#include <utility>

namespace slidemesh::postgres {

Worker::~Worker() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) {
    thread_.join();
  }
}

std::future<void> Worker::submit(std::function<void()> ask, std::function<void()> take) {
  Task task{std::move(ask), std::move(take), {}};
  std::future<void> done = task.done.get_future();
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(task));
    if (!thread_.joinable()) {
      thread_ = std::thread([this] { work(); });
    }
  }
  changed_.notify_one();
  return done;
}

void Worker::work() {
  std::deque<Task> asked;
  for (;;) {
    std::unique_lock lock(mutex_);
    if (asked.empty()) {
      changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    }
    const bool asks = !waiting_.empty();
    if (!asks && asked.empty()) {
      return;
    }
    auto& from = asks ? waiting_ : asked;
    Task task = std::move(from.front());
    from.pop_front();
    lock.unlock();
    try {
      if (asks) {
        task.ask();
        asked.push_back(std::move(task));
      } else {
        task.take();
        task.done.set_value();
      }
    } catch (...) {
      task.done.set_exception(std::current_exception());
    }
  }
}

}  // namespace slidemesh::postgres

#endif  // SLIDEMESH_POSTGRES
