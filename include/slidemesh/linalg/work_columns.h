#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// Columns to work in for bodies of `for_each_node`: as many as run at once, and not one for each node.
class WorkColumns {
 public:
  explicit WorkColumns(Index rows) : rows_(rows) { back(made()); }

  /// A column whose numbers are anything, for as long as this lives.
  class Loan {
   public:
    explicit Loan(WorkColumns& of) : of_(of), numbers_(of.take()) {}
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    ~Loan() { of_.back(std::move(numbers_)); }
    [[nodiscard]] Eigen::Map<Vector> column() const { return {numbers_.get(), of_.rows_}; }

   private:
    WorkColumns& of_;
    std::unique_ptr<double[]> numbers_;
  };

 private:
  [[nodiscard]] std::unique_ptr<double[]> made() const {
    return std::make_unique_for_overwrite<double[]>(static_cast<std::size_t>(rows_));
  }
  [[nodiscard]] std::unique_ptr<double[]> take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) {
      return made();
    }
    auto numbers = std::move(free_.back());
    free_.pop_back();
    return numbers;
  }
  void back(std::unique_ptr<double[]> numbers) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(numbers));
  }

  Index rows_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<double[]>> free_;
};

}  // namespace slidemesh
