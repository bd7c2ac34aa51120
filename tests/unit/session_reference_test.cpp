#include <gtest/gtest.h>

#include "slidemesh/session/reference_optimum.h"
#include "support/toy_problem.h"

namespace slidemesh {
namespace {

// No bracket is narrower than rounding. Newton's steps, tried once after 500 of FISTA's, each ask once whether they are
// to end, and so does every tenth of FISTA's.
TEST(ReferenceOptimum, NewtonEndsWhereRoundingKeepsTheBracketAsItIs) {
  const testing::Toy toy = testing::make_toy("ring", 6, 0.1);
  int asked = 0;
  ReferenceOptions options;
  options.relative_accuracy = -1.0;
  options.interrupted = [&] {
    ++asked;
    return false;
  };
  options.most_iterations = 500;
  static_cast<void>(reference_optimum(toy.problem, *toy.network, options));
  EXPECT_EQ(asked, 50);
  asked = 0;
  options.most_iterations = 501;
  const ReferenceOptimum optimum = reference_optimum(toy.problem, *toy.network, options);
  const int newton_steps = asked - 51;
  EXPECT_GE(newton_steps, 1);
  EXPECT_LE(newton_steps, 25);  // twenty without a gain, and a few before
  EXPECT_LT(optimum.value - optimum.lower_bound, 1e-12 * optimum.value);
}

}  // namespace
}  // namespace slidemesh
