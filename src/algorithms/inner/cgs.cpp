// Algorithm 2 of the paper: conditional gradient on φ(u) = strength/2 |u − centre|² from the given u
// until the Wolfe gap is at most the tolerance. G. Lan and Y. Zhou, "Conditional gradient sliding for
// convex optimization" (2016), bound its linear-oracle calls by ⌈6 strength D²/ε⌉, D the diameter.

#include <algorithm>
#include <cmath>

#include "slidemesh/base/interruption.h"
#include "slidemesh/linalg/kernels.h"
#include "slidemesh/linalg/wide_kernels.h"
#include "solvers.h"

namespace slidemesh {
namespace {

constexpr double kRounding = 1e-15;
constexpr Count kLookEvery = 16;

/// Conditional gradient sliding's inner procedure: the paper's Algorithm 2.
class CgsSolver final : public InnerSolver {
 public:
  explicit CgsSolver(const FeasibleSet& set) : set_(set.clone()), g_(set.dimension()), v_(set.dimension()) {}
  [[nodiscard]] std::string_view name() const override { return "cgs"; }
  InnerResult solve(double strength, ConstVectorRef centre, double tolerance, VectorRef u) override {
    InnerResult result;
    const double diameter = set_->diameter();
    const auto most_calls = std::ceil(6.0 * strength * diameter * diameter / tolerance) + 1.0;
    while (true) {
      g_ = strength * (u - centre);    // φ'(u)
      set_->linear_minimizer(g_, v_);  // v = argmin over X of <φ'(u), v>
      ++result.linear_oracle_calls;
      v_ -= u;
      double products[2];  // <φ'(u), v − u> and |v − u|²
      const double* const rows[2] = {g_.data(), v_.data()};
      wide::dots<2>(rows, v_.data(), v_.size(), products, 1);
      const double gap = -products[0];  // the Wolfe gap <φ'(u), u − v>
      result.wolfe_gap = gap;
      if (!(gap > tolerance) || static_cast<double>(result.linear_oracle_calls) >= most_calls) {
        return result;  // past the theory's bound only rounding can have kept the loop going
      }
      const double length = products[1];
      // A gap that is rounding of its own terms cannot be lowered. Looked at now and then: it is rare.
      if (result.linear_oracle_calls % kLookEvery == 0 &&
          (gap * gap <= kRounding * kRounding * squared_norm(g_) * length || interruption_is_due())) {
        return result;
      }
      axpy(std::min(1.0, gap / (strength * length)), v_.data(), u.data(), u.size());
    }
  }
  void visit_state(StateVisitor& visitor) override { set_->visit_state(visitor); }

 private:
  std::unique_ptr<FeasibleSet> set_;
  Vector g_;
  Vector v_;
};

}  // namespace

std::unique_ptr<InnerSolver> make_cgs_solver(const FeasibleSet& set) { return std::make_unique<CgsSolver>(set); }

}  // namespace slidemesh
