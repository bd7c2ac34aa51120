#pragma once

#include <memory>
#include <type_traits>

#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// How many threads `for_each_node` may use from now on; 0: as many as OMP_NUM_THREADS says or else as this process may
/// run on. Never changes an answer.
void set_threads(int threads);
[[nodiscard]] int threads();

/// A thread is worth waking for so many elementary operations: about 50 microseconds, ten times what it costs to wake
/// it.
inline constexpr double kWorkPerThread = 150'000.0;

/// Lets tests have threads for less: as many as so many operations each are worth. 0: kWorkPerThread.
void set_work_per_thread(double operations);

/// How many threads so much work in so many pieces is worth: at least 1, at most `threads()`.
[[nodiscard]] int threads_worth(Index pieces, double work);

namespace detail {
/// body(context, i) for i = 0 .. count-1 by this thread and team - 1 others; see for_each_node.
void run_in_parallel(Index count, int team, void (*body)(void* context, Index i), void* context);
}  // namespace detail

/// body(i) for i = 0 .. count-1, in parallel if the work (elementary operations per node) is worth it. Bodies of
/// different i must not touch the same memory. If bodies throw, the exception of the lowest i is rethrown once all have
/// ended.
///
/// The threads are the process's own and sleep while there is nothing to do; a forked child gets new ones. Where they
/// are busy (a body that calls this, another thread of the caller's), the calling thread does the work alone.
template <class Body>
void for_each_node(Index count, double work_per_node, Body&& body) {
  const int team = threads_worth(count, static_cast<double>(count) * work_per_node);
  if (team == 1) {
    for (Index i = 0; i < count; ++i) {
      body(i);
    }
    return;
  }
  using Plain = std::remove_reference_t<Body>;
  detail::run_in_parallel(
      count, team, [](void* context, Index i) { (*static_cast<Plain*>(context))(i); },
      const_cast<std::remove_const_t<Plain>*>(std::addressof(body)));
}

}  // namespace slidemesh
