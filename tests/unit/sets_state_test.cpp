// What sets read back from a checkpoint. A file may have been changed and given a right checksum: whatever it says, a
// set refuses it or goes on, and never crashes, hangs or answers with a point that is not its own.

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <vector>

#include "slidemesh/base/errors.h"
#include "slidemesh/base/random.h"
#include "slidemesh/sets/norm_balls.h"
#include "slidemesh/sets/polytope.h"
#include "slidemesh/sets/spectral.h"
#include "slidemesh/sets/wrappers.h"
#include "support/state_copy.h"

namespace slidemesh {
namespace {

/// Puts given counts or numbers in place of what a set would read.
class Forger final : public StateVisitor {
 public:
  using StateVisitor::visit;
  std::vector<Count> counts;
  Vector vector;
  Matrix matrix;

  [[nodiscard]] bool is_reading() const override { return true; }
  void visit(std::string_view /*name*/, double& /*value*/) override {}
  void visit(std::string_view /*name*/, Count& value) override { value = 1; }
  void visit(std::string_view /*name*/, Matrix& value) override { value = matrix; }
  void visit(std::string_view /*name*/, Vector& value) override { value = vector; }
  void visit(std::string_view /*name*/, std::vector<double>& value) override {
    value.assign(vector.begin(), vector.end());
  }
  void visit(std::string_view /*name*/, std::vector<Count>& value) override { value = counts; }
};

/// The unit box in four dimensions, cut by five rows of which two are linearly dependent.
Polytope cut_box() {
  PolytopeRows rows;
  rows.dimension = 4;
  const auto add = [&](std::vector<double> row, double upper) {
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (row[j] != 0.0) {
        rows.columns.push_back(static_cast<Index>(j));
        rows.values.push_back(row[j]);
      }
    }
    rows.offsets.push_back(rows.values.size());
    rows.lower.push_back(-std::numeric_limits<double>::infinity());
    rows.upper.push_back(upper);
  };
  add({1, 1, 1, 1}, 2.0);
  add({2, 2, 2, 2}, 4.5);
  add({1, -1, 0, 0}, 0.5);
  add({0, 1, -1, 0}, 0.5);
  add({0, 0, 1, -1}, 0.5);
  rows.variable_lower = Vector::Zero(4);
  rows.variable_upper = Vector::Ones(4);
  return Polytope(rows);
}

TEST(SetState, APolytopeGoesOnFromItsOwnBasis) {
  Polytope one = cut_box();
  RandomStream random(1, Purpose::kTest);
  Vector g(4);
  Vector v(4);
  Vector w(4);
  for (int round = 0; round < 50; ++round) {
    for (double& entry : g) {
      entry = random.normal();
    }
    one.linear_minimizer(g, v);
    Polytope other(one);
    testing::copy_state(one, other);
    g[0] += 0.5;
    one.linear_minimizer(g, v);
    other.linear_minimizer(g, w);
    EXPECT_EQ(v, w) << "round " << round;
  }
}

TEST(SetState, NoForgedBasisOfAPolytopeCrashesOrMisleads) {
  RandomStream random(2, Purpose::kTest);
  Vector g(4);
  Vector v(4);
  Vector best(4);
  int refused = 0;
  constexpr int kRounds = 3000;
  for (int round = 0; round < kRounds; ++round) {
    Polytope polytope = cut_box();
    Forger forger;
    const Index size = round % 10 == 0 ? random.index(20) : 9;
    for (Index i = 0; i < size; ++i) {
      forger.counts.push_back(round % 3 == 0 ? random.index(12) - 3 : random.index(6));
    }
    for (double& entry : g) {
      entry = random.normal();
    }
    try {
      polytope.visit_state(forger);
    } catch (const DataError&) {
      ++refused;
      continue;
    }
    polytope.linear_minimizer(g, v);
    EXPECT_TRUE(polytope.contains(v));
    cut_box().linear_minimizer(g, best);
    EXPECT_NEAR(g.dot(v), g.dot(best), 1e-9) << "round " << round;
  }
  EXPECT_GT(refused, kRounds / 2);
  EXPECT_LT(refused, kRounds) << "some of them are bases";
}

TEST(SetState, ABasisMustBeOne) {
  Forger forger;
  forger.counts = {3, 3, 3, 3, 1, 1, 1, 1, 1};  // all rows basic
  EXPECT_NO_THROW(cut_box().visit_state(forger));
  forger.counts = {3, 3, 3, 1, 1, 1, 1, 1, 1};  // one too many
  EXPECT_THROW(cut_box().visit_state(forger), DataError);
  forger.counts = {1, 1, 3, 3, 3, 3, 1, 1, 1};  // two columns over two rows that are multiples of one another
  EXPECT_THROW(cut_box().visit_state(forger), DataError);
  forger.counts = {3, 3, 3, 7, 1, 1, 1, 1, 1};  // no status
  EXPECT_THROW(cut_box().visit_state(forger), DataError);
}

TEST(SetState, AWarmStartMustHaveItsSizeAndBeFinite) {
  Forger forger;
  NuclearBall ball(30, 40, 1.0);
  forger.vector = Vector::Ones(30);
  EXPECT_NO_THROW(ball.visit_state(forger));
  forger.vector = Vector::Ones(29);
  EXPECT_THROW(ball.visit_state(forger), DataError);
  forger.vector = Vector::Constant(30, std::numeric_limits<double>::quiet_NaN());
  EXPECT_THROW(ball.visit_state(forger), DataError);
  Spectraplex plex(30, 1.0);
  EXPECT_THROW(plex.visit_state(forger), DataError);
}

TEST(SetState, RememberedAnswersMustLieInTheSet) {
  Forger forger;
  CachingSet caching(std::make_unique<L1Ball>(3, 1.0), 2);
  forger.matrix = Matrix::Zero(3, 2);
  EXPECT_NO_THROW(caching.visit_state(forger));
  forger.matrix = Matrix::Constant(3, 2, 5.0);
  EXPECT_THROW(caching.visit_state(forger), DataError);
  LazySet lazy(std::make_unique<L1Ball>(3, 1.0), 2);
  forger.vector = Vector::Zero(3);
  EXPECT_NO_THROW(lazy.visit_state(forger));
  forger.vector = Vector::Constant(3, 5.0);
  EXPECT_THROW(lazy.visit_state(forger), DataError);
}

TEST(SetState, NothingThatIsNotFiniteIsInASet) {
  const Vector nothing = Vector::Constant(4, std::numeric_limits<double>::quiet_NaN());
  EXPECT_FALSE(Box(-Vector::Ones(4), Vector::Ones(4)).contains(nothing));
  EXPECT_FALSE(cut_box().contains(nothing));
}

}  // namespace
}  // namespace slidemesh
