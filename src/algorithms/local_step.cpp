#include "slidemesh/algorithms/local_step.h"

#include "slidemesh/algorithms/hull_step.h"
#include "slidemesh/algorithms/projected_step.h"

namespace slidemesh {

std::unique_ptr<LocalStep> make_local_step(const FeasibleSet& set) {
  if (set.is_curved() && set.projection_kind() != ProjectionKind::kNone) {
    return std::make_unique<ProjectedStep>(set);
  }
  return std::make_unique<HullStep>(set);
}

}  // namespace slidemesh
