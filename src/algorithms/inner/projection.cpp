#include <fmt/format.h>

#include "slidemesh/base/fail.h"
#include "solvers.h"

namespace slidemesh {
namespace {

/// Exact: the projection of the centre.
class ProjectionSolver final : public InnerSolver {
 public:
  explicit ProjectionSolver(const FeasibleSet& set) : set_(set.clone()) {
    if (set.projection_kind() == ProjectionKind::kNone) {
      fail<UsageError>("method.inner",
                       fmt::format("a solver that needs no projection, since set {} has none", set.name()),
                       "\"projection\"");
    }
  }
  [[nodiscard]] std::string_view name() const override { return "projection"; }
  InnerResult solve(double /*strength*/, ConstVectorRef centre, double /*tolerance*/, VectorRef u) override {
    set_->project_from(centre, u);  // from the last inner iterate
    return {};
  }
  void visit_state(StateVisitor& visitor) override { set_->visit_state(visitor); }

 private:
  std::unique_ptr<FeasibleSet> set_;
};

}  // namespace

std::unique_ptr<InnerSolver> make_projection_solver(const FeasibleSet& set) {
  return std::make_unique<ProjectionSolver>(set);
}

}  // namespace slidemesh
