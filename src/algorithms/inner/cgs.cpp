// Algorithm 2 of the paper: conditional gradient on φ(u) = strength/2 |u − centre|² from the given u
// until the Wolfe gap is at most the tolerance. G. Lan and Y. Zhou, "Conditional gradient sliding for
// convex optimization" (2016), bound its linear-oracle calls by ⌈6 strength D²/ε⌉, D the diameter.

#include <algorithm>
#include <cmath>

#include "slidemesh/base/interruption.h"
#include "slidemesh/linalg/kernels.h"
#include "slidemesh/linalg/kernels_inline.h"
#include "slidemesh/linalg/wide_kernels.h"
#include "solvers.h"

namespace slidemesh {
namespace {

constexpr double kRounding = 1e-15;
constexpr Count kLookEvery = 16;

/// Up to so many numbers a step waits for its operations one after the other and not for their number: a vertex that is
/// guessed pays. Beyond, it would be more work.
constexpr Index kShort = 64;

/// Of a vertex with one entry in so few numbers, which takes some 30 ns: looking at the clock takes as long.
constexpr Count kAskEvery = 1024;

/// Whole registers: zeros beyond the end change no sum, and loops need not look where the end is.
Index padded(Index n) { return (n + inlined::kLanes - 1) / inlined::kLanes * inlined::kLanes; }

/// Conditional gradient sliding's inner procedure: the paper's Algorithm 2.
class CgsSolver final : public InnerSolver {
 public:
  explicit CgsSolver(const FeasibleSet& set)
      : set_(set.clone()),
        single_entry_(set_->has_single_entry_vertices()),
        u_(Vector::Zero(padded(set.dimension()))),
        centre_(Vector::Zero(u_.size())),
        g_(Vector::Zero(u_.size())),
        v_(Vector::Zero(u_.size())) {}
  [[nodiscard]] std::string_view name() const override { return "cgs"; }
  InnerResult solve(double strength, ConstVectorRef centre, double tolerance, VectorRef u) override {
    InnerResult result;
    const Index d = u.size();
    const double diameter = set_->diameter();
    const auto most_calls = std::ceil(6.0 * strength * diameter * diameter / tolerance) + 1.0;
    u_.head(d) = u;
    centre_.head(d) = centre;
    g_ = strength * (u_ - centre_);  // φ'(u)
    const bool is_short = single_entry_ && u_.size() <= kShort;
    guesses_ = is_short && size_ > 0.0;
    largest_ = guesses_ ? g_.lpNorm<Eigen::Infinity>() : 0.0;
    while (true) {
      double products[2];  // <φ'(u), v − u> and |v − u|²
      ask_oracle(d, products);
      ++result.linear_oracle_calls;
      const double gap = -products[0];  // the Wolfe gap <φ'(u), u − v>
      result.wolfe_gap = gap;
      if (!(gap > tolerance) || static_cast<double>(result.linear_oracle_calls) >= most_calls) {
        break;  // past the theory's bound only rounding can have kept the loop going
      }
      const double length = products[1];
      // A gap that is rounding of its own terms cannot be lowered. Looked at now and then: it is rare.
      if (result.linear_oracle_calls % kLookEvery == 0 &&
          (gap * gap <= kRounding * kRounding * squared_norm(g_) * length ||
           ((!is_short || result.linear_oracle_calls % kAskEvery == 0) && interruption_is_due()))) {
        break;
      }
      move(std::min(1.0, gap / (strength * length)), strength);
    }
    u = u_.head(d);
    return result;
  }
  void visit_state(StateVisitor& visitor) override { set_->visit_state(visitor); }

 private:
  /// v = argmin over X of <φ'(u), v>, of which v − u is kept; <φ'(u), v − u> and |v − u|² into `products`.
  void ask_oracle(Index d, double* products) {
    if (!single_entry_) {
      set_->linear_minimizer(g_.head(d), v_.head(d));
      v_ -= u_;
      const double* const rows[2] = {g_.data(), v_.data()};
      wide::dots<2>(rows, v_.data(), v_.size(), products, 1);
      return;
    }
    const SingleEntry v = set_->single_entry_minimizer(g_.data());
    guesses_ = guesses_ && guess(v, products);
    if (!guesses_) {
      wide::way_to_entry(v.at, v.value, u_.data(), g_.data(), u_.size(), v_.data(), products);
      size_ = std::abs(v.value);
    }
  }

  /// A guess at what the oracle answers: the place of the largest |φ'(u)_j| and the last vertex's size. Over an l1 ball
  /// it is right but for ties, and the products are there while the machine still looks for the answer `v`, which is
  /// compared with it. False where it was wrong.
  bool guess(const SingleEntry& v, double* products) {
    const Count candidates =
        wide::way_to_largest(largest_, size_, u_.data(), g_.data(), u_.size(), v_.data(), products);
    const double slope = g_[v.at];
    return candidates == 1 && std::abs(slope) == largest_ && v.value == std::copysign(size_, -slope);
  }

  /// u += step (v − u), and φ'(u) there.
  void move(double step, double strength) {
    const auto along = guesses_ ? &wide::move_along<true> : &wide::move_along<false>;
    largest_ = along(step, v_.data(), strength, centre_.data(), u_.size(), u_.data(), g_.data());
  }

  std::unique_ptr<FeasibleSet> set_;
  bool single_entry_;
  bool guesses_ = false;  ///< until a guess was wrong
  double largest_ = 0.0;  ///< |φ'(u)_j|
  double size_ = 0.0;     ///< of the number in the last vertex that was not guessed
  Vector u_;              ///< these as long as whole registers are
  Vector centre_;
  Vector g_;
  Vector v_;  ///< v − u once products with it are taken
};

}  // namespace

std::unique_ptr<InnerSolver> make_cgs_solver(const FeasibleSet& set) { return std::make_unique<CgsSolver>(set); }

}  // namespace slidemesh
