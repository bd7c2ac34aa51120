#include "slidemesh/algorithms/inner/inner_solver.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "slidemesh/base/fail.h"
#include "solvers.h"

namespace slidemesh {

const std::vector<std::string>& inner_solver_names() {
  static const std::vector<std::string> names{"auto", "projection", "bpcg", "lazy", "cgs"};
  return names;
}

std::unique_ptr<InnerSolver> make_inner_solver(std::string_view name, const FeasibleSet& set) {
  if (name == "auto") {
    return make_inner_solver(set.projection_kind() == ProjectionKind::kClosedForm ? "projection" : "bpcg", set);
  }
  using Make = std::unique_ptr<InnerSolver> (*)(const FeasibleSet&);
  constexpr std::pair<std::string_view, Make> kMakers[] = {{"projection", &make_projection_solver},
                                                           {"cgs", &make_cgs_solver},
                                                           {"bpcg", &make_bpcg_solver},
                                                           {"lazy", &make_lazy_solver}};
  for (const auto& [known, make] : kMakers) {
    if (name == known) {
      return make(set);
    }
  }
  fail<UsageError>("method.inner", "auto, projection, bpcg, lazy or cgs", fmt::format("\"{}\"", name));
}

void require_finite(const InnerResult& result, ConstVectorRef u, Index node) {
  require_finite_point(u, node);
  if (!std::isfinite(result.wolfe_gap)) {
    require_finite_point(Eigen::Map<const Vector>(&result.wolfe_gap, 1), node);
  }
}

}  // namespace slidemesh
