#include "slidemesh/algorithms/local_step.h"

#include "slidemesh/algorithms/hull_step.h"
#include "slidemesh/algorithms/projected_step.h"
#include "slidemesh/algorithms/split_step.h"

namespace slidemesh {

std::unique_ptr<LocalStep> make_local_step(const FeasibleSet& set) {
  if (set.is_curved() && set.projection_kind() != ProjectionKind::kNone) {
    return std::make_unique<ProjectedStep>(set);
  }
  return std::make_unique<HullStep>(set);
}

bool projections_are_most_of_the_work(const FeasibleSet& set, bool is_diagonal) {
  return is_diagonal && set.is_curved() && set.matrix_columns() > 1 && set.projection_kind() != ProjectionKind::kNone;
}

std::unique_ptr<LocalStep> make_round_step(const FeasibleSet& set, bool is_diagonal) {
  if (projections_are_most_of_the_work(set, is_diagonal)) {
    return std::make_unique<SplitStep>(set);
  }
  return make_local_step(set);
}

}  // namespace slidemesh
