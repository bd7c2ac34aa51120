#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace slidemesh {

/// Memory to work in that threads borrow for a moment: as many objects as are lent at once, and not one for each node.
template <class T>
class ObjectPool {
 public:
  /// One of them for as long as this lives, as whoever had it last has left it.
  class Loan {
   public:
    explicit Loan(ObjectPool& of) : of_(of), object_(of.take()) {}
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    ~Loan() { of_.take_back(std::move(object_)); }
    [[nodiscard]] T& operator*() const { return *object_; }
    [[nodiscard]] T* operator->() const { return object_.get(); }

   private:
    ObjectPool& of_;
    std::unique_ptr<T> object_;
  };

 private:
  [[nodiscard]] std::unique_ptr<T> take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) {
      return std::make_unique<T>();
    }
    auto object = std::move(free_.back());
    free_.pop_back();
    return object;
  }
  void take_back(std::unique_ptr<T> object) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(object));
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> free_;
};

}  // namespace slidemesh
