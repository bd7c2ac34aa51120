#include "slidemesh/linalg/parallel.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace slidemesh {
namespace {

constexpr double kMuch = 1e9;

class Parallel : public ::testing::Test {
 protected:
  void SetUp() override { set_threads(4); }
  void TearDown() override {
    set_threads(0);
    set_work_per_thread(0.0);
  }
};

void expect_all_visited_once(Index count) {
  std::vector<int> visits(static_cast<std::size_t>(count), 0);
  for_each_node(count, kMuch, [&](Index i) { ++visits[static_cast<std::size_t>(i)]; });
  EXPECT_EQ(visits, std::vector<int>(visits.size(), 1));
}

TEST_F(Parallel, VisitsEveryNodeOnce) {
  for (int round = 0; round < 200; ++round) {
    expect_all_visited_once(round % 17);
  }
}

TEST_F(Parallel, UsesSeveralThreadsAndNoMoreThanAllowed) {
  std::atomic<int> inside = 0;
  std::atomic<int> most = 0;
  for_each_node(8, kMuch, [&](Index) {
    const int now = ++inside;
    for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    --inside;
  });
  EXPECT_GT(most, 1);
  EXPECT_LE(most, 4);
}

TEST_F(Parallel, IsWorthAThreadOnlyForItsShareOfWork) {
  EXPECT_EQ(threads_worth(100, 0.0), 1);
  EXPECT_EQ(threads_worth(100, 1.9 * kWorkPerThread), 1);
  EXPECT_EQ(threads_worth(100, 3.5 * kWorkPerThread), 3);
  EXPECT_EQ(threads_worth(100, kMuch), 4);
  EXPECT_EQ(threads_worth(2, kMuch), 2);
  EXPECT_EQ(threads_worth(1, kMuch), 1);
  set_threads(1);
  EXPECT_EQ(threads_worth(100, kMuch), 1);
}

TEST_F(Parallel, SmallWorkStaysOnTheCallersThread) {
  std::set<std::thread::id> ids;
  for_each_node(50, 10.0, [&](Index) { ids.insert(std::this_thread::get_id()); });
  EXPECT_EQ(ids, std::set{std::this_thread::get_id()});
}

TEST_F(Parallel, RethrowsTheLowestFailureOnceAllHaveEnded) {
  std::atomic<int> ended = 0;
  try {
    for_each_node(20, kMuch, [&](Index i) {
      ++ended;
      if (i == 5 || i == 17) {
        throw std::runtime_error(std::to_string(i));
      }
    });
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "5");
  }
  EXPECT_EQ(ended, 20);
  expect_all_visited_once(10);
}

TEST_F(Parallel, NestsAndServesSeveralCallers) {
  std::atomic<int> visits = 0;
  const auto nested = [&] {
    for_each_node(6, kMuch, [&](Index) { for_each_node(5, kMuch, [&](Index) { ++visits; }); });
  };
  std::thread other(nested);
  nested();
  other.join();
  EXPECT_EQ(visits, 60);
}

// With threads of OpenMP the child waits for ever for those that its parent had.
TEST_F(Parallel, WorksInAForkedChild) {
  expect_all_visited_once(10);
  for (int round = 0; round < 5; ++round) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::alarm(20);  // ends a child that hangs
      std::atomic<int> visits = 0;
      for_each_node(10, kMuch, [&](Index) { ++visits; });
      ::_exit(visits == 10 ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    expect_all_visited_once(10);
  }
}

// A thread that waits uses no processor time: ten pauses of 10 ms between loops.
TEST_F(Parallel, WaitsWithoutBurning) {
  expect_all_visited_once(10);
  const std::clock_t begin = std::clock();
  for (int round = 0; round < 10; ++round) {
    expect_all_visited_once(10);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, 0.02);
}

}  // namespace
}  // namespace slidemesh
