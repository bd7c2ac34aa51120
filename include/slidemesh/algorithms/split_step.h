#pragma once

#include <memory>

#include "slidemesh/algorithms/local_step.h"

namespace slidemesh {

/// The local step for sets of matrices, whose projection is a decomposition, and models whose H is diagonal: not a
/// minimum but one projection, with a multiplier p of its own for x'Hx/2 that is kept from step to step. Alone it comes
/// to the minimum if it is asked often enough. Rounds of the primal-dual hybrid gradient method need not wait for that:
/// p is one more of their multipliers.
class SplitStep final : public LocalStep {
 public:
  explicit SplitStep(const FeasibleSet& set);

  void set_quadratic(const Vector& weights) override;
  /// One projection from x, which is where `b` has its proximal term; the Wolfe gap is a bound and may exceed
  /// `tolerance`.
  InnerResult solve(const Quadratic& model, ConstVectorRef b, double tolerance, VectorRef x) override;
  void visit_state(StateVisitor& visitor) override;

 private:
  std::unique_ptr<FeasibleSet> set_;
  double diameter_;
  Vector diagonal_;   ///< of Q, beyond H
  Vector p_;          ///< comes to H x; empty before the first step
  Vector next_, Hn_;  ///< x⁺, and H x⁺
};

}  // namespace slidemesh
