#include "slidemesh/core/feasible_set.h"

#include <fmt/format.h>

#include "slidemesh/base/fail.h"
#include "slidemesh/linalg/kernels_inline.h"

namespace slidemesh {

SingleEntry FeasibleSet::single_entry_minimizer(const double* /*g*/) {
  throw InternalError("single_entry_minimizer was asked of a set whose vertices are not known to have one entry");
}

LeadingVector& FeasibleSet::begin_rank_one_search(double /*accuracy*/) {
  throw InternalError("a search for a vertex of rank one was asked of a set that is not known to have them");
}

void FeasibleSet::rank_one_minimizer(const SparseColumns& /*places*/, ConstVectorRef /*numbers*/, VectorRef /*left*/,
                                     VectorRef /*right*/) {
  throw InternalError("rank_one_minimizer was asked of a set whose vertices are not known to be of rank one");
}

void FeasibleSet::sparse_minimizer(const SparseView& /*g*/, SparseVector& /*v*/) {
  throw InternalError("sparse_minimizer was asked of a set whose vertices are not known to be sparse");
}

void FeasibleSet::project(ConstVectorRef /*x*/, VectorRef /*nearest*/) {
  fail<UsageError>(fmt::format("set {}", name()), "a set with a projection", "one that has none");
}

bool FeasibleSet::contains(ConstVectorRef x) const { return contains(x, kMembershipTolerance * (1.0 + diameter())); }

void require_finite_point(ConstVectorRef point, Index node) {
  if (!inlined::all_finite(point.data(), point.size())) {
    fail<DataError>(fmt::format("node {}", node), "a finite point", "NaN or infinity");
  }
}

}  // namespace slidemesh
