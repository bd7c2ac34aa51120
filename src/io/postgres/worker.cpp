#ifdef SLIDEMESH_POSTGRES

#include "worker.h"

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

std::future<void> Worker::submit(std::function<void()> task) {
  std::packaged_task<void()> packaged(std::move(task));
  std::future<void> done = packaged.get_future();
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(packaged));
    if (!thread_.joinable()) {
      thread_ = std::thread([this] { work(); });
    }
  }
  changed_.notify_one();
  return done;
}

void Worker::work() {
  for (;;) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ending_ || !tasks_.empty(); });
    if (tasks_.empty()) {
      return;
    }
    std::packaged_task<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
  }
}

}  // namespace slidemesh::postgres

#endif  // SLIDEMESH_POSTGRES
