#pragma once

#include <memory>

#include "slidemesh/algorithms/local_step.h"

namespace slidemesh {

/// The local step for sets with a projection: the accelerated projected gradient method (Y. Nesterov 1983; A. Beck,
/// M. Teboulle 2009) that forgets its momentum where it points uphill (B. O'Donoghue, E. Candès 2015), with the
/// curvature along the way in place of a bound on Q's eigenvalues. The worse Q's condition, the longer it takes.
class ProjectedStep final : public LocalStep {
 public:
  explicit ProjectedStep(const FeasibleSet& set);

  void set_quadratic(const Vector& weights) override;
  InnerResult solve(const Quadratic& model, ConstVectorRef b, double tolerance, VectorRef x) override {
    return solve(model, b, tolerance, kMostIterations, x);
  }
  /// The same with so much patience.
  InnerResult solve(const Quadratic& model, ConstVectorRef b, double tolerance, Count most_iterations, VectorRef x);
  /// Of the last call.
  [[nodiscard]] Count iterations() const { return iterations_; }
  void visit_state(StateVisitor& visitor) override;

 private:
  static constexpr Count kMostIterations = 2000;

  void multiply(const Quadratic& model, ConstVectorRef v, VectorRef out) const;
  void descend(const Quadratic& model, ConstVectorRef b);
  [[nodiscard]] double wolfe_gap(ConstVectorRef b, ConstVectorRef x, ConstVectorRef Qx, InnerResult& result);

  std::unique_ptr<FeasibleSet> set_;
  double diameter_;
  Vector diagonal_;       ///< of Q, beyond H
  double L_ = 0.0;        ///< 0: not known for this Q
  Count iterations_ = 0;  ///< of the last call
  Vector y_, Qy_;         ///< where the gradient is taken
  Vector x_, Qx_;         ///< the iterate
  Vector next_, Qn_;      ///< the one after it
  Vector g_, v_;
};

}  // namespace slidemesh
