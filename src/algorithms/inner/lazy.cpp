// Lazy conditional gradients for φ(u) = strength/2 |u − centre|²: G. Braun, S. Pokutta and D. Zink, "Lazifying
// conditional gradient algorithms" (2017). A past vertex v with <φ'(u), u − v> >= promise is as good as the oracle's;
// only where there is none is the oracle asked, and its own gap sets the next promise. The stopping test is always the
// oracle's, so the Wolfe gap is as certain as that of `cgs`.

#include <algorithm>
#include <cmath>

#include "slidemesh/base/interruption.h"
#include "slidemesh/core/state_checks.h"
#include "slidemesh/core/vertex_cache.h"
#include "slidemesh/linalg/kernels.h"
#include "solvers.h"

namespace slidemesh {
namespace {

constexpr double kRounding = 1e-15;
constexpr double kPromiseShare = 0.5;
constexpr Index kCacheNumbers = Index{1} << 18;
constexpr Index kMostCached = 100;
constexpr Index kFewestCached = 8;

/// Conditional gradients that look among past vertices before they ask the oracle.
class LazySolver final : public InnerSolver {
 public:
  explicit LazySolver(const FeasibleSet& set)
      : set_(set.clone()),
        cache_(set.dimension(), std::clamp(kCacheNumbers / set.dimension(), kFewestCached, kMostCached)),
        g_(set.dimension()),
        v_(set.dimension()) {}
  [[nodiscard]] std::string_view name() const override { return "lazy"; }
  InnerResult solve(double strength, ConstVectorRef centre, double tolerance, VectorRef u) override {
    InnerResult result;
    const double diameter = set_->diameter();
    const double most_steps = std::ceil(6.0 * strength * diameter * diameter / tolerance) + 1.0;
    double promise = tolerance;
    for (double step = 0.0;; ++step) {
      g_ = strength * (u - centre);  // φ'(u)
      const double slope = dot(g_, u);
      double least = 0.0;
      const Index k = cache_.best(g_, least);
      double gap = k >= 0 ? slope - least : 0.0;
      const bool from_cache = k >= 0 && gap > promise && step < most_steps && !interruption_is_due();
      if (from_cache) {
        std::copy_n(cache_.point(k), v_.size(), v_.data());
      } else {
        set_->linear_minimizer(g_, v_);
        ++result.linear_oracle_calls;
        gap = slope - dot(g_, v_);
        result.wolfe_gap = gap;
        promise = std::max(tolerance, kPromiseShare * gap);
        cache_.add(v_);
      }
      v_ -= u;
      const double length = squared_norm(v_);
      if (!from_cache) {
        const bool is_rounding = gap * gap <= kRounding * kRounding * squared_norm(g_) * length;
        if (!(gap > tolerance) || is_rounding || step >= most_steps || interruption_is_due()) {
          result.active_set_size = cache_.size();
          return result;
        }
      }
      axpy(std::min(1.0, gap / (strength * length)), v_.data(), u.data(), u.size());
    }
  }
  void visit_state(StateVisitor& visitor) override {
    cache_.visit_state(visitor);
    if (visitor.is_reading() && cache_.size() > 0) {
      require_near_set(*set_, cache_.point(0), cache_.size(), 1.0, "cached vertices");
    }
    set_->visit_state(visitor);
  }

 private:
  std::unique_ptr<FeasibleSet> set_;
  VertexCache cache_;
  Vector g_;
  Vector v_;
};

}  // namespace

std::unique_ptr<InnerSolver> make_lazy_solver(const FeasibleSet& set) { return std::make_unique<LazySolver>(set); }

}  // namespace slidemesh
