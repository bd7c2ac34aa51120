// Blended pairwise conditional gradients, lazified: K. Tsuji, K. Tanaka and S. Pokutta, "Pairwise conditional gradients
// without swap steps and sparser kernel herding" (2022), for φ(u) = strength/2 |u − centre|².
//
//   S            the active set: atoms with weights, u = Σ weight·atom
//   a, f         of the atoms, the one with weight of largest and the one of smallest <φ'(u), ·>
//   v            the linear oracle's argmin over X of <φ'(u), v>
//   promise      what a step must promise to be taken: <φ'(u), a − f> for a pairwise step
//
// While pairwise steps inside S promise enough, they are taken: they cost no oracle call, and O(|S|) arithmetic since φ
// is quadratic and S keeps its inner products. Then the oracle is asked once; its vertex either proves the Wolfe gap or
// joins S.
//
// Departures from the paper. The promise is a fixed share of the tolerance and not halved from call to call: here a
// pairwise step is far cheaper than an oracle call, so the subproblem over S is worked out before the oracle is asked
// again. S outlives the problem, and atoms of weight 0 stay in it for a while, as a cache that f is chosen from.

#include <algorithm>
#include <cmath>
#include <vector>

#include "active_set.h"
#include "slidemesh/base/interruption.h"
#include "slidemesh/core/state_checks.h"
#include "slidemesh/linalg/kernels.h"
#include "solvers.h"

namespace slidemesh {
namespace {

constexpr double kPromiseShare = 0.25;
constexpr double kRounding = 1e-15;

/// Blended pairwise conditional gradients with an active set that is carried from one problem to the next.
class BpcgSolver final : public InnerSolver {
 public:
  explicit BpcgSolver(const FeasibleSet& set)
      : set_(set.clone()), active_(set.dimension()), g_(set.dimension()), v_(set.dimension()) {}
  [[nodiscard]] std::string_view name() const override { return "bpcg"; }
  /// Where there is an active set already, its point is the one to start from, and not `u`: the answer is a point of
  /// X with a small Wolfe gap either way.
  InnerResult solve(double strength, ConstVectorRef centre, double tolerance, VectorRef u) override {
    InnerResult result;
    if (active_.size() == 0) {
      active_.reset(u);
    }
    const double diameter = set_->diameter();
    const double most_calls = std::ceil(6.0 * strength * diameter * diameter / tolerance) + 1.0;
    while (true) {
      load_slopes(centre);
      take_pairwise_steps(strength, kPromiseShare * tolerance);
      active_.reconstruct(u);
      g_ = strength * (u - centre);    // φ'(u)
      set_->linear_minimizer(g_, v_);  // v = argmin over X of <φ'(u), v>
      ++result.linear_oracle_calls;
      result.wolfe_gap = dot(g_, u) - dot(g_, v_);
      const double length = squared_distance(u, v_);
      const bool is_rounding = result.wolfe_gap * result.wolfe_gap <= kRounding * kRounding * squared_norm(g_) * length;
      if (!(result.wolfe_gap > tolerance) || is_rounding ||
          static_cast<double>(result.linear_oracle_calls) >= most_calls || interruption_is_due()) {
        break;
      }
      const Index k = active_.find_or_add(v_);
      active_.blend(k, std::min(1.0, result.wolfe_gap / (strength * length)));  // u ← u + γ(v − u), γ exact
    }
    active_.prune();
    result.active_set_size = active_.active();
    return result;
  }
  void visit_state(StateVisitor& visitor) override {
    active_.visit_state(visitor);
    if (visitor.is_reading() && active_.size() > 0) {
      require_near_set(*set_, active_.atom(0), active_.size(), 1.0, "atoms");
    }
    set_->visit_state(visitor);
  }

 private:
  /// slopes_k = <atom_k, u − centre>, from the inner products of the atoms.
  void load_slopes(ConstVectorRef centre) {
    const Index size = active_.size();
    slopes_.resize(static_cast<std::size_t>(size));
    for (Index k = 0; k < size; ++k) {
      double slope = -dot(active_.atom(k), centre.data(), centre.size());
      for (Index l = 0; l < size; ++l) {
        slope += active_.weight(l) * active_.product(k, l);
      }
      slopes_[static_cast<std::size_t>(k)] = slope;
    }
  }

  void take_pairwise_steps(double strength, double promise) {
    const Index size = active_.size();
    const Index most_steps = 100 + 20 * size;  // then ask the oracle, which may know better
    for (Index step = 0; step < most_steps; ++step) {
      Index a = -1;
      Index f = 0;
      for (Index k = 0; k < size; ++k) {
        const double slope = slopes_[static_cast<std::size_t>(k)];
        if (active_.weight(k) > 0.0 && (a < 0 || slope > slopes_[static_cast<std::size_t>(a)])) {
          a = k;
        }
        f = slope < slopes_[static_cast<std::size_t>(f)] ? k : f;
      }
      const double fall = slopes_[static_cast<std::size_t>(a)] - slopes_[static_cast<std::size_t>(f)];
      const double length = active_.product(a, a) - 2.0 * active_.product(a, f) + active_.product(f, f);
      if (!(strength * fall > promise) || !(length > 0.0)) {
        return;
      }
      const double amount = std::min(active_.weight(a), fall / length);  // exact line search along f − a
      active_.shift(a, f, amount);
      for (Index k = 0; k < size; ++k) {
        slopes_[static_cast<std::size_t>(k)] += amount * (active_.product(k, f) - active_.product(k, a));
      }
    }
  }

  std::unique_ptr<FeasibleSet> set_;
  ActiveSet active_;
  Vector g_;
  Vector v_;
  std::vector<double> slopes_;  ///< <atom_k, u - centre>
};

}  // namespace

std::unique_ptr<InnerSolver> make_bpcg_solver(const FeasibleSet& set) { return std::make_unique<BpcgSolver>(set); }

}  // namespace slidemesh
