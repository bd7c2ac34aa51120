#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <thread>

namespace slidemesh::postgres {

/// A thread that asks questions and takes in the answers while the others compute. Begins with the first question; ends
/// when it has done all.
class Worker {
 public:
  Worker() = default;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker();

  /// `ask`, and later `take`. Whatever can be asked is asked before anything is taken in, so that several sessions are
  /// at work together. What either throws comes out of the future; after `ask` has thrown there is no `take`.
  [[nodiscard]] std::future<void> submit(std::function<void()> ask, std::function<void()> take);

 private:
  struct Task {
    std::function<void()> ask;
    std::function<void()> take;
    std::promise<void> done;
  };

  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> waiting_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace slidemesh::postgres
