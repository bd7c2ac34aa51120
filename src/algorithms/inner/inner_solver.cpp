#include "slidemesh/algorithms/inner/inner_solver.h"

#include "cgs.h"
#include "projection.h"
#include "slidemesh/core/errors.h"

namespace slidemesh {

const std::vector<std::string>& inner_solver_names() {
  static const std::vector<std::string> names{"projection", "cgs"};
  return names;
}

std::unique_ptr<InnerSolver> make_inner_solver(std::string_view name, const FeasibleSet& set) {
  if (name == "projection") {
    return std::make_unique<ProjectionSolver>(set);
  }
  if (name == "cgs") {
    return std::make_unique<CgsSolver>(set);
  }
  throw UsageError("method.inner: expected projection or cgs, got \"" + std::string(name) + "\"");
}

}  // namespace slidemesh
