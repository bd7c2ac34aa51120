#pragma once

#include "slidemesh/algorithms/inner/inner_solver.h"
#include "slidemesh/core/vertex_cache.h"

namespace slidemesh {

/// Conditional gradients that look among past vertices before they ask the oracle.
class LazySolver final : public InnerSolver {
 public:
  explicit LazySolver(const FeasibleSet& set);
  [[nodiscard]] std::string_view name() const override { return "lazy"; }
  InnerResult solve(double strength, ConstVectorRef centre, double tolerance, VectorRef u) override;
  void visit_state(StateVisitor& visitor) override;

 private:
  std::unique_ptr<FeasibleSet> set_;
  VertexCache cache_;
  Vector g_;
  Vector v_;
};

}  // namespace slidemesh
