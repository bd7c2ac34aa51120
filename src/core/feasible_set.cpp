#include "slidemesh/core/feasible_set.h"

#include <string>

#include "slidemesh/base/errors.h"

namespace slidemesh {

void FeasibleSet::project(ConstVectorRef /*x*/, VectorRef /*nearest*/) {
  throw UsageError("set " + std::string(name()) + ": expected a set with a projection, got one that has none");
}

bool FeasibleSet::contains(ConstVectorRef x) const { return contains(x, kMembershipTolerance * (1.0 + diameter())); }

void require_finite_point(ConstVectorRef point, Index node) {
  if (!point.allFinite()) {
    throw DataError("node " + std::to_string(node) + ": expected a finite point, got NaN or infinity");
  }
}

}  // namespace slidemesh
