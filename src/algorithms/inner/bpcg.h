#pragma once

#include <vector>

#include "active_set.h"
#include "slidemesh/algorithms/inner/inner_solver.h"

namespace slidemesh {

/// Blended pairwise conditional gradients with an active set that is carried from one problem to the next.
class BpcgSolver final : public InnerSolver {
 public:
  explicit BpcgSolver(const FeasibleSet& set);
  [[nodiscard]] std::string_view name() const override { return "bpcg"; }
  /// Where there is an active set already, its point is the one to start from, and not `u`: the answer is a point of
  /// X with a small Wolfe gap either way.
  InnerResult solve(double strength, ConstVectorRef centre, double tolerance, VectorRef u) override;
  void visit_state(StateVisitor& visitor) override;

 private:
  void take_pairwise_steps(double strength, double promise);
  void load_slopes(ConstVectorRef centre);

  std::unique_ptr<FeasibleSet> set_;
  ActiveSet active_;
  Vector g_;
  Vector v_;
  std::vector<double> slopes_;  ///< <atom_k, u - centre>
};

}  // namespace slidemesh
