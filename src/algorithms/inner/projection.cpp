#include "projection.h"

#include <fmt/format.h>

#include <string>

#include "slidemesh/base/fail.h"

namespace slidemesh {

ProjectionSolver::ProjectionSolver(const FeasibleSet& set) : set_(set.clone()) {
  if (set.projection_kind() == ProjectionKind::kNone) {
    fail<UsageError>("method.inner",
                     fmt::format("a solver that needs no projection, since set {} has none", set.name()),
                     "\"projection\"");
  }
}

InnerResult ProjectionSolver::solve(double /*strength*/, ConstVectorRef centre, double /*tolerance*/, VectorRef u) {
  set_->project_from(centre, u);  // from the last inner iterate
  return {};
}

}  // namespace slidemesh
