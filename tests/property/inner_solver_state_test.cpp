// What an inner solver remembers is read back from checkpoints that anybody may have changed.

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "slidemesh/algorithms/inner/inner_solver.h"
#include "slidemesh/base/errors.h"
#include "slidemesh/core/state_checks.h"
#include "slidemesh/sets/norm_balls.h"
#include "support/error_text.h"
#include "support/state_copy.h"

namespace slidemesh {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Gives back what was kept, but for the piece of one name.
class Tampering final : public StateVisitor {
 public:
  using StateVisitor::visit;
  template <class Piece>
  Tampering(testing::StateKeeper& kept, std::string_view name, std::function<void(Piece&)> change)
      : kept_(kept), name_(name) {
    kept_.read();
    if constexpr (std::is_same_v<Piece, std::vector<double>>) {
      change_numbers_ = std::move(change);
    } else {
      change_counts_ = std::move(change);
    }
  }
  [[nodiscard]] bool is_reading() const override { return true; }
  void visit(std::string_view name, double& value) override { kept_.visit(name, value); }
  void visit(std::string_view name, Count& value) override { kept_.visit(name, value); }
  void visit(std::string_view name, Matrix& value) override { kept_.visit(name, value); }
  void visit(std::string_view name, Vector& value) override { kept_.visit(name, value); }
  void visit(std::string_view name, std::vector<double>& value) override {
    kept_.visit(name, value);
    if (name == name_ && change_numbers_) {
      change_numbers_(value);
    }
  }
  void visit(std::string_view name, std::vector<Count>& value) override {
    kept_.visit(name, value);
    if (name == name_ && change_counts_) {
      change_counts_(value);
    }
  }

 private:
  testing::StateKeeper& kept_;
  std::string_view name_;
  std::function<void(std::vector<double>&)> change_numbers_;
  std::function<void(std::vector<Count>&)> change_counts_;
};

template <class Piece>
std::string after_change(const std::string& solver, std::string_view name, std::function<void(Piece&)> change) {
  const L1Ball ball(4, 2.0);
  const auto before = make_inner_solver(solver, ball);
  Vector u = Vector::Zero(4);
  before->solve(1.0, Vector{{1.0, -0.7, 0.4, 0.2}}, 1e-3, u);
  testing::StateKeeper kept;
  before->visit_state(kept);
  Tampering tampering(kept, name, std::move(change));
  const auto after = make_inner_solver(solver, ball);
  return testing::error_text<DataError>([&] { after->visit_state(tampering); });
}

using Numbers = std::vector<double>;
using Counts = std::vector<Count>;
constexpr auto kTaken = "no exception";

TEST(InnerSolverState, UnchangedIsTaken) {
  EXPECT_EQ(after_change<Numbers>("bpcg", "active_set.weights", [](Numbers&) {}), kTaken);
  EXPECT_EQ(after_change<Numbers>("lazy", "vertex_cache.points", [](Numbers&) {}), kTaken);
}

TEST(InnerSolverState, WeightsMustMakeAMixture) {
  for (const double wrong : {-0.5, 1.7, kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_NE(after_change<Numbers>("bpcg", "active_set.weights", [&](Numbers& w) { w.at(0) = wrong; }), kTaken)
        << wrong;
  }
  EXPECT_NE(after_change<Numbers>("bpcg", "active_set.weights", [](Numbers& w) { w.push_back(0.0); }), kTaken);
  EXPECT_NE(after_change<Numbers>("bpcg", "active_set.weights", [](Numbers& w) { w.clear(); }), kTaken);
}

TEST(InnerSolverState, AtomsAndVerticesMustLieNearTheSet) {
  for (const double wrong : {1e9, -kInfinity, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_NE(after_change<Numbers>("bpcg", "active_set.atoms", [&](Numbers& a) { a.at(1) = wrong; }), kTaken) << wrong;
    EXPECT_NE(after_change<Numbers>("lazy", "vertex_cache.points", [&](Numbers& p) { p.at(1) = wrong; }), kTaken)
        << wrong;
  }
}

TEST(InnerSolverState, NoAtomWasUsedInTheFuture) {
  for (const Count wrong : {Count{-1}, Count{1} << 40}) {
    EXPECT_NE(after_change<Counts>("bpcg", "active_set.last_used", [&](Counts& c) { c.at(0) = wrong; }), kTaken)
        << wrong;
  }
}

TEST(StateChecks, APointOfTheSetIsNearIt) {
  const L1Ball ball(3, 2.0);
  const Vector inside{{0.0, -2.0, 0.0}};
  const Vector outside{{0.0, 40.0, 0.0}};
  EXPECT_NO_THROW(require_near_set(ball, inside.data(), 1, 1.0, "points"));
  EXPECT_THROW(require_near_set(ball, outside.data(), 1, kExtrapolationReach, "points"), DataError);
}

TEST(StateChecks, ANumberIsWithinItsRange) {
  EXPECT_NO_THROW(require_within(1.0, 0.0, 1.0, "r"));
  for (const double wrong : {-1e-300, 1.1, kInfinity, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(require_within(wrong, 0.0, 1.0, "r"), DataError) << wrong;
  }
}

}  // namespace
}  // namespace slidemesh
