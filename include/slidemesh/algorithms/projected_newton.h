#pragma once

#include <memory>

#include "slidemesh/algorithms/local_step.h"
#include "slidemesh/algorithms/sum_model.h"
#include "slidemesh/core/feasible_set.h"
#include "slidemesh/core/objective.h"
#include "slidemesh/core/state.h"

namespace slidemesh {

/// The projected Newton method of E. S. Levitin and B. T. Polyak, "Constrained minimization methods" (1966), with
/// halving as in L. Armijo (1966). Who holds the data says what F/m, its gradient and its curvature are at x():
///
///     if F(x) <= F(kept) + 1e-4 <∇F(kept), x − kept>:  kept = x;  x = argmin over X of the model at kept
///     else  x = (x + kept)/2
class ProjectedNewton {
 public:
  ProjectedNewton(const FeasibleSet& set, SumLayout layout, const Vector& start);

  [[nodiscard]] const SumLayout& layout() const { return layout_; }
  /// Where F is wanted next.
  [[nodiscard]] const Vector& x() const { return x_; }
  /// Takes what `write_model` wrote at x(), averaged over the nodes. Whether F was low enough there.
  bool take(const Vector& mean);
  /// Of the last model that was minimized.
  [[nodiscard]] Count linear_oracle_calls() const { return linear_oracle_calls_; }

  void visit_state(StateVisitor& visitor);

 private:
  void minimize_model();

  SumLayout layout_;
  std::unique_ptr<FeasibleSet> set_;
  std::unique_ptr<LocalStep> local_step_;
  SumModel model_;  ///< the curvature of F/m at kept_
  Vector x_;
  Vector kept_;  ///< the last point whose F was low enough
  Vector g_;     ///< ∇F/m there
  double kept_value_;
  double first_gap_;
  Count linear_oracle_calls_ = 0;
};

/// The model of all the rows of a node where they are shown at x by `touch`, as `write_model` writes it.
void summarize_rows(const LocalObjective& objective, double mu, SumLayout layout, ConstVectorRef x,
                    const std::function<void(const LocalObjective::TouchVisit&)>& touch, VectorRef out);

}  // namespace slidemesh
