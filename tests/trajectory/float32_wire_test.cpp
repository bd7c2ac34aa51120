// Rounds in float32: what methods still reach, and that their certificates hold.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "slidemesh/algorithms/registry.h"
#include "slidemesh/base/config_table.h"
#include "slidemesh/linalg/parallel.h"
#include "slidemesh/session/reference_optimum.h"
#include "slidemesh/session/solve.h"
#include "support/error_text.h"
#include "support/toy_problem.h"

namespace slidemesh::testing {
namespace {

constexpr double kOptimumAccuracy = 1e-10;  // of F*, relative to its size
constexpr double kSumRounding = 1e-12;      // of Σᵢ wᵢ, relative to the largest multiplier
constexpr double kCertified = 1e-6;         // relative

struct Sliding {
  std::string method;
  std::string gossip;
  double gap;  ///< relative; float32 itself has 6e-8. Without restarts a small one takes too many steps
};

class Float32Wire : public ::testing::TestWithParam<Sliding> {
 protected:
  Float32Wire()
      : toy_(make_toy(make_graph({.kind = "ring", .nodes = 6}), toy_rows(1200), std::make_shared<Logistic>(),
                      std::make_shared<L1Ball>(5, 4.0), 0.0)) {
    optimum_ = reference_optimum(toy_.problem, *toy_.network).value;
    toy_.network->set_wire(Wire::kFloat32);
    options_.method = GetParam().method;
    options_.reference_optimum = optimum_;
    options_.outer_steps = 3000;
    if (!GetParam().gossip.empty()) {
      options_.keys["gossip"].held = GetParam().gossip;
    }
  }
  void SetUp() override { set_threads(1); }
  void TearDown() override { set_threads(0); }

  Toy toy_;
  double optimum_ = 0.0;
  SolveOptions options_;
};

TEST_P(Float32Wire, ReachesItsGap) {
  options_.stop.target_gap = GetParam().gap;
  EXPECT_EQ(solve(toy_.problem, *toy_.network, options_).status, Status::kTargetReached);
}

TEST_P(Float32Wire, MultipliersSumToZeroAndBoundsHold) {
  options_.outer_steps = 300;
  options_.stop.certified_gap = kCertified;  // newton-sliding has a certificate where one is asked for
  bool has_bound = false;
  options_.on_record = [&](const Record& record) {
    has_bound = has_bound || record.lower_bound;
    EXPECT_LE(record.lower_bound.value_or(optimum_), optimum_ + kOptimumAccuracy * optimum_) << "step " << record.step;
  };
  const Solution solution = solve(toy_.problem, *toy_.network, options_);
  EXPECT_TRUE(has_bound);
  ConfigTable keys(options_.keys, 0, "method", GetParam().method);
  const auto method = find_method(GetParam().method)
                          ->parse(keys, 300)({toy_.problem, *toy_.network, toy_.network->graph().degree_bound(), 1});
  for (int step = 0; step < 100; ++step) {
    method->step();
  }
  ASSERT_NE(method->dual(), nullptr);
  const Stacked& w = method->dual()->w;
  ASSERT_GT(w.cwiseAbs().maxCoeff(), 0.0);
  EXPECT_LE(w.rowwise().sum().cwiseAbs().maxCoeff(), kSumRounding * w.cwiseAbs().maxCoeff());
}

INSTANTIATE_TEST_SUITE_P(Methods, Float32Wire,
                         ::testing::Values(Sliding{"ipds", "laplacian", 1e-3}, Sliding{"ipds", "sqrt-laplacian", 1e-3},
                                           Sliding{"ipds-restarted", "", 1e-9}, Sliding{"ipds-vr", "", 1e-9},
                                           Sliding{"newton-sliding", "", 1e-9}),
                         [](const auto& tried) {
                           std::string name = tried.param.method + "_" + tried.param.gossip;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Float32Numbers, BeyondTheRangeAreRefused) {
  Toy toy = make_toy("ring", 4, 0.0);
  toy.network->set_wire(Wire::kFloat32);
  Stacked x = Stacked::Constant(5, 4, 1e39);
  Stacked y = x;
  EXPECT_EQ(error_text<DataError>([&] { toy.network->laplacian(x, y); }),
            "network.wire: expected numbers within the range of float32, got 1e+39");
}

}  // namespace
}  // namespace slidemesh::testing
