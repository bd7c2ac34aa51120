#pragma once

#include <exception>
#include <utility>

#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// How many threads `for_each_node` may use from now on; 0 leaves it to OpenMP. Never changes an answer.
void set_threads(int threads);
[[nodiscard]] int threads();

/// Below this many elementary operations in all, waking threads costs more than it saves.
inline constexpr double kParallelWork = 60'000.0;

/// body(i) for i = 0 .. count-1, in parallel if the work (elementary operations a node) is worth it.
/// Bodies of different i must not touch the same memory. If bodies throw, the exception of the lowest
/// i is rethrown once all have ended.
template <class Body>
void for_each_node(Index count, double work_per_node, Body&& body) {
  const int team = threads();
  if (count == 1 || team == 1 || static_cast<double>(count) * work_per_node < kParallelWork) {
    for (Index i = 0; i < count; ++i) {
      body(i);
    }
    return;
  }
  std::exception_ptr failure;
  Index failed = count;
#pragma omp parallel for schedule(dynamic) num_threads(team)
  for (Index i = 0; i < count; ++i) {
    try {
      body(i);
    } catch (...) {
#pragma omp critical(slidemesh_node_failure)
      if (i < failed) {
        failed = i;
        failure = std::current_exception();
      }
    }
  }
  if (failure) {
    std::rethrow_exception(failure);
  }
}

}  // namespace slidemesh
