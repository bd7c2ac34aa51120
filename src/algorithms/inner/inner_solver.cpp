#include "slidemesh/algorithms/inner/inner_solver.h"

#include <fmt/format.h>

#include "bpcg.h"
#include "cgs.h"
#include "lazy.h"
#include "projection.h"
#include "slidemesh/base/fail.h"

namespace slidemesh {

const std::vector<std::string>& inner_solver_names() {
  static const std::vector<std::string> names{"auto", "projection", "bpcg", "lazy", "cgs"};
  return names;
}

std::unique_ptr<InnerSolver> make_inner_solver(std::string_view name, const FeasibleSet& set) {
  if (name == "auto") {
    return make_inner_solver(set.projection_kind() == ProjectionKind::kClosedForm ? "projection" : "bpcg", set);
  }
  if (name == "projection") {
    return std::make_unique<ProjectionSolver>(set);
  }
  if (name == "cgs") {
    return std::make_unique<CgsSolver>(set);
  }
  if (name == "bpcg") {
    return std::make_unique<BpcgSolver>(set);
  }
  if (name == "lazy") {
    return std::make_unique<LazySolver>(set);
  }
  fail<UsageError>("method.inner", "auto, projection, bpcg, lazy or cgs", fmt::format("\"{}\"", name));
}

void require_finite(const InnerResult& result, ConstVectorRef u, Index node) {
  require_finite_point(u, node);
  require_finite_point(Eigen::Map<const Vector>(&result.wolfe_gap, 1), node);
}

}  // namespace slidemesh
