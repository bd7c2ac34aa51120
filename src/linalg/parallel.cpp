#include "slidemesh/linalg/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigset_t is POSIX

#include <algorithm>
#include <atomic>
#include <charconv>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "slidemesh/base/interruption.h"

namespace slidemesh {
namespace {

std::atomic<int> wanted_threads = 0;
std::atomic<double> work_per_thread = kWorkPerThread;

/// A loop that several threads share: whoever is free takes the next piece.
struct Loop {
  Index count;
  void (*body)(void* context, Index i);
  void* context;
  Interruption* interruption = SharedInterruption::here();
  std::atomic<Index> next = 0;
  std::mutex mutex = {};  ///< of what is below
  std::exception_ptr failure = nullptr;
  Index failed = count;  ///< the lowest i whose body threw

  void work() {
    const SharedInterruption shared(interruption);
    for (Index i = next.fetch_add(1); i < count; i = next.fetch_add(1)) {
      try {
        body(context, i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (i < failed) {
          failed = i;
          failure = std::current_exception();
        }
      }
    }
  }
};

/// Looks up to some tens of microseconds whether something has come true: less than it takes to fall asleep and to be
/// woken, and often enough where one short loop follows another.
template <class Condition>
void look_for_a_while(const Condition& holds) {
  constexpr int kLooks = 1000;
  for (int look = 0; look < kLooks && !holds(); ++look) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
}

/// Threads that sleep until there is a loop to join. The caller works as well, and waits only for those that did join:
/// on a busy machine it is done before they have woken up, and owes them nothing.
class Pool {
 public:
  ~Pool() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    wake_.notify_all();
    for (std::thread& helper : helpers_) {
      helper.join();
    }
  }

  /// False, and nothing done, if a loop is under way already.
  bool run(Loop& loop, int helpers) {
    if (busy_.exchange(true)) {
      return false;
    }
    hire(helpers);
    {
      const std::lock_guard lock(mutex_);
      loop_ = &loop;
      places_ = helpers;
      is_open_ = true;
    }
    for (int i = 0; i < helpers; ++i) {
      wake_.notify_one();
    }
    loop.work();
    {
      const std::lock_guard lock(mutex_);
      loop_ = nullptr;  // whoever wakes up now is too late
      is_open_ = false;
    }
    look_for_a_while([this] { return joined_ == 0; });
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return joined_ == 0; });
    busy_ = false;
    return true;
  }

 private:
  void hire(int helpers) {
    if (static_cast<int>(helpers_.size()) >= helpers) {
      return;
    }
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);  // signals are for the threads of the program
    try {
      while (static_cast<int>(helpers_.size()) < helpers) {
        helpers_.emplace_back([this] { help(); });
      }
    } catch (const std::system_error&) {  // the system has no more threads; those that are there will do
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  void help() {
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [this] { return ended_ || (loop_ != nullptr && places_ > 0); });
      if (ended_) {
        return;
      }
      Loop& loop = *loop_;
      is_open_ = --places_ > 0;
      ++joined_;
      lock.unlock();
      loop.work();
      lock.lock();
      if (--joined_ == 0) {
        done_.notify_one();
      }
      lock.unlock();
      look_for_a_while([this] { return is_open_.load(); });
      lock.lock();
    }
  }

  std::atomic<bool> busy_ = false;
  std::mutex mutex_;  ///< of what is below
  std::condition_variable wake_;
  std::condition_variable done_;
  Loop* loop_ = nullptr;
  int places_ = 0;                     ///< that are left in the loop
  std::atomic<int> joined_ = 0;        ///< helpers that are in a loop
  std::atomic<bool> is_open_ = false;  ///< whether there are places left
  bool ended_ = false;
  std::vector<std::thread> helpers_;  ///< touched by who holds busy_
};

/// The process's pool. A forked child has none of its parent's threads, and a lock may have been held when it was made:
/// it leaves the copy as it lies, which costs a page, and has a pool of its own.
class PoolOfProcess {
 public:
  PoolOfProcess() {
    pthread_atfork(nullptr, nullptr, [] { pool() = nullptr; });
  }
  ~PoolOfProcess() { delete pool().exchange(nullptr); }
  PoolOfProcess(const PoolOfProcess&) = delete;
  PoolOfProcess& operator=(const PoolOfProcess&) = delete;

  static Pool& get() {
    static const PoolOfProcess owner;
    Pool* there = pool().load();
    if (there == nullptr) {
      auto made = std::make_unique<Pool>();
      if (pool().compare_exchange_strong(there, made.get())) {
        there = made.release();
      }
    }
    return *there;
  }

 private:
  static std::atomic<Pool*>& pool() {
    static std::atomic<Pool*> the_pool = nullptr;
    return the_pool;
  }
};

/// What the environment or the machine allows.
int default_threads() {
  const char* asked = std::getenv("OMP_NUM_THREADS");  // NOLINT(concurrency-mt-unsafe): nobody sets it
  if (asked != nullptr) {
    const std::string_view text = asked;
    int count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error == std::errc{} && count > 0) {
      return count;
    }
  }
  cpu_set_t allowed;
  return sched_getaffinity(0, sizeof allowed, &allowed) == 0
             ? CPU_COUNT(&allowed)
             : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

}  // namespace

void set_threads(int threads) { wanted_threads = threads; }

int threads() {
  static const int allowed = default_threads();
  const int wanted = wanted_threads;
  return wanted > 0 ? wanted : allowed;
}

void set_work_per_thread(double operations) { work_per_thread = operations > 0.0 ? operations : kWorkPerThread; }

int threads_worth(Index pieces, double work) {
  const double worth = std::min(work / work_per_thread, static_cast<double>(pieces));
  return worth < 2.0 ? 1 : static_cast<int>(std::min(worth, static_cast<double>(threads())));
}

void detail::run_in_parallel(Index count, int team, void (*body)(void* context, Index i), void* context) {
  Loop loop{.count = count, .body = body, .context = context};
  if (!PoolOfProcess::get().run(loop, team - 1)) {
    loop.work();
  }
  if (loop.failure) {
    std::rethrow_exception(loop.failure);
  }
}

}  // namespace slidemesh
