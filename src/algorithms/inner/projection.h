#pragma once

#include "slidemesh/algorithms/inner/inner_solver.h"

namespace slidemesh {

/// Exact: the projection of the centre.
class ProjectionSolver final : public InnerSolver {
 public:
  explicit ProjectionSolver(const FeasibleSet& set);
  [[nodiscard]] std::string_view name() const override { return "projection"; }
  InnerResult solve(double strength, ConstVectorRef centre, double tolerance, VectorRef u) override;
  void visit_state(StateVisitor& visitor) override { set_->visit_state(visitor); }

 private:
  std::unique_ptr<FeasibleSet> set_;
};

}  // namespace slidemesh
