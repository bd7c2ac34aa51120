#include "slidemesh/core/state_checks.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "slidemesh/base/fail.h"
#include "slidemesh/linalg/kernels.h"

namespace slidemesh {

void require_near_set(const FeasibleSet& set, const double* points, Index count, double reach, std::string_view what) {
  Vector start(set.dimension());
  set.start(start);
  const double most = reach * set.diameter() + kMembershipTolerance * (1.0 + set.diameter());
  for (Index k = 0; k < count; ++k) {
    const Eigen::Map<const Vector> point(points + k * set.dimension(), set.dimension());
    const double distance = std::sqrt(squared_distance(point, start));
    if (!(distance <= most)) {  // nor NaN
      fail<DataError>("checkpoint", fmt::format("{} within {} of the set's start", what, most),
                      fmt::format("a distance of {}", distance));
    }
  }
}

void require_within(double value, double least, double most, std::string_view what) {
  if (!(value >= least && value <= most)) {
    fail<DataError>("checkpoint", fmt::format("{} from {} to {}", what, least, most), std::to_string(value));
  }
}

}  // namespace slidemesh
