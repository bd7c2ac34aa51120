#include "slidemesh/base/interruption.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "slidemesh/algorithms/inner/inner_solver.h"
#include "slidemesh/base/random.h"
#include "slidemesh/linalg/parallel.h"
#include "slidemesh/sets/polytope.h"

namespace slidemesh {
namespace {

TEST(Interruption, IsDueWhileOneLivesThatIsWantedAndThenStays) {
  EXPECT_FALSE(interruption_is_due());
  bool wanted = false;
  {
    const Interruption interruption([&] { return wanted; });
    EXPECT_FALSE(interruption_is_due());
    EXPECT_FALSE(interruption.was_heeded());
    wanted = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_TRUE(interruption_is_due());
    wanted = false;
    EXPECT_TRUE(interruption_is_due()) << "who has ended early cannot be told to go on";
    EXPECT_TRUE(interruption.was_heeded());
    const Interruption nobody(nullptr);
    EXPECT_TRUE(interruption_is_due());
  }
  EXPECT_FALSE(interruption_is_due());
}

TEST(Interruption, ThatNobodyAskedForIsNotHeeded) {
  const Interruption interruption([] { return true; });
  EXPECT_FALSE(interruption.was_heeded());
}

TEST(Interruption, IsHeardByTheThreadsThatShareALoop) {
  set_threads(4);
  const Interruption interruption([] { return true; });
  EXPECT_TRUE(interruption_is_due());
  std::atomic<int> heard = 0;
  for_each_node(64, 1e9, [&](Index) { heard += interruption_is_due() ? 1 : 0; });
  set_threads(0);
  EXPECT_EQ(heard, 64);
}

Hull random_hull(Index dimension, Index points) {
  RandomStream random(5, Purpose::kTest);
  Matrix corners(dimension, points);
  for (double& value : corners.reshaped()) {
    value = random.normal();
  }
  return Hull(corners);
}

TEST(Interruption, EndsInnerSolversAtPointsOfTheSet) {
  Hull hull = random_hull(30, 200);
  Vector centre = Vector::LinSpaced(30, -1.0, 1.0);
  for (const std::string name : {"bpcg", "lazy", "cgs", "projection"}) {
    SCOPED_TRACE(name);
    Vector u(30);
    constexpr double kTolerance = 1e-2;
    const auto calls = [&] {
      hull.start(u);
      return make_inner_solver(name, hull)->solve(1.0, centre, kTolerance, u).linear_oracle_calls;
    };
    const Count whole = calls();
    {
      const Interruption interruption([] { return true; });
      const Count cut = calls();
      EXPECT_TRUE(interruption.was_heeded());
      EXPECT_TRUE(name == "projection" || cut < whole);
    }
    EXPECT_TRUE(hull.contains(u)) << "outside by " << hull.violation(u);
  }
}

}  // namespace
}  // namespace slidemesh
