#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <thread>

namespace slidemesh::postgres {

/// A thread that takes in answers while the others compute. Begins with the first task; ends when it has done them all.
class Worker {
 public:
  Worker() = default;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker();

  /// Tasks are done one after the other. What one throws comes out of its future.
  [[nodiscard]] std::future<void> submit(std::function<void()> task);

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::packaged_task<void()>> tasks_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace slidemesh::postgres
