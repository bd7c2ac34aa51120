#include "projection.h"

#include <string>

#include "slidemesh/base/errors.h"

namespace slidemesh {

ProjectionSolver::ProjectionSolver(const FeasibleSet& set) : set_(set.clone()) {
  if (set.projection_kind() == ProjectionKind::kNone) {
    throw UsageError("method.inner: expected a solver that needs no projection, since set " + std::string(set.name()) +
                     " has none, got \"projection\"");
  }
}

InnerResult ProjectionSolver::solve(double /*strength*/, ConstVectorRef centre, double /*tolerance*/, VectorRef u) {
  set_->project(centre, u);
  return {};
}

}  // namespace slidemesh
