#pragma once

#include "slidemesh/algorithms/inner/inner_solver.h"

namespace slidemesh {

/// Conditional gradient sliding's inner procedure: the paper's Algorithm 2.
class CgsSolver final : public InnerSolver {
 public:
  explicit CgsSolver(const FeasibleSet& set);
  [[nodiscard]] std::string_view name() const override { return "cgs"; }
  InnerResult solve(double strength, ConstVectorRef centre, double tolerance, VectorRef u) override;
  void visit_state(StateVisitor& visitor) override { set_->visit_state(visitor); }

 private:
  std::unique_ptr<FeasibleSet> set_;
  Vector g_;
  Vector v_;
};

}  // namespace slidemesh
