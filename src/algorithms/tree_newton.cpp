// Newton's method over a spanning tree: gradients and curvatures are summed up and down, and every node minimizes the
// same quadratic model of F over X. The honest rival of Newton sliding where d(d + 3)/2 numbers are a small message;
// what a parent learns is the sum of its subtree's curvatures.
//
// E. S. Levitin and B. T. Polyak, "Constrained minimization methods", USSR Computational Mathematics and Mathematical
// Physics 6(5), 1966: the projected Newton method, with L. Armijo's halving (1966); projected_newton.h has its lines.
//
//   here           what it is
//   x_             where F is wanted next, the same at all nodes
//   summaries      a node's F_i, ∇F_i and ∇²F_i at x, from one pass over its rows: 1 + d(d + 3)/2 numbers
//   mean_of()      their mean over the nodes, by one agreement over the tree
//   newton_        the last point whose F was low enough, the model there and its minimizer over X

#include "baseline_keys.h"
#include "registry_kinds.h"
#include "slidemesh/algorithms/centralized.h"
#include "slidemesh/algorithms/projected_newton.h"
#include "slidemesh/linalg/kernels.h"
#include "slidemesh/linalg/parallel.h"

namespace slidemesh {

namespace {

struct TreeNewtonKeys {
  int outer_steps = 100;
  std::int64_t curvature_memory = kCurvatureMemory;
};

class TreeNewton final : public CentralizedMethod {
 public:
  using Options = TreeNewtonKeys;

  TreeNewton(const Problem& problem, Network& network, const TreeNewtonKeys& keys)
      : CentralizedMethod("tree-newton", problem, network, keys.outer_steps, Where::kTree),
        all_rows_(problem.objectives.size()) {
    require_rows();
    require_room_for_curvatures(keys.curvature_memory);
    newton_.emplace(set_, SumLayout{problem.dimension(), problem.objectives.front()->row_loss()->has_single_features()},
                    problem.start);
    for (std::size_t i = 0; i < all_rows_.size(); ++i) {
      for (Index j = 0; j < problem.objectives[i]->rows(); ++j) {
        all_rows_[i].push_back(j);
      }
    }
  }

  void step() override {
    ++t_;
    const Vector mean = summarize();
    const Vector here = x_;
    if (newton_->take(mean)) {
      set_gradient(here, mean.segment(1, newton_->layout().d), values_here_);
      charge_linear_oracle();
    } else {
      clear_certificate();
    }
    x_ = newton_->x();
  }
  void visit_state(StateVisitor& visitor) override {
    visitor.visit("t", t_);
    newton_->visit_state(visitor);
    x_ = newton_->x();
    visit_certificate(visitor);
  }

 private:
  /// F/m, its gradient and its curvature at x: the only touch of the data, and one agreement.
  Vector summarize() {
    Matrix summaries(newton_->layout().size(), network_.local_nodes());
    values_here_.resize(network_.local_nodes());
    for_each_node(network_.local_nodes(), 1e6, [&](Index i) { summarize_node(i, summaries.col(i)); });
    return mean_of(summaries);
  }

  void summarize_node(Index i, VectorRef out) {
    const auto n = static_cast<std::size_t>(i);
    const auto touch = [&](const LocalObjective::TouchVisit& visit) { data_.touch(i, x_, all_rows_[n], visit); };
    summarize_rows(*problem_.objectives[n], problem_.mu, newton_->layout(), x_, touch, out);
    values_here_(i) = out(0) - problem_.mu / 2.0 * squared_norm(x_);
    require_finite_point(out.head(1 + newton_->layout().d), network_.global(i));
  }

  /// Every node minimizes the same model, so this process does it once, and is charged for each of its nodes.
  void charge_linear_oracle() {
    for (Index i = 0; i < network_.local_nodes(); ++i) {
      network_.meters().at(i).linear_oracle_calls += newton_->linear_oracle_calls();
    }
  }

  std::optional<ProjectedNewton> newton_;  ///< from where it is known that there is room
  Vector values_here_;
  std::vector<std::vector<Index>> all_rows_;
};

}  // namespace

MethodKind tree_newton_kind() {
  return certifying(baseline_kind<TreeNewton>(
      "tree-newton", "Newton's method at every node, gradients and curvatures summed up and down a spanning tree",
      curvature_keys(Keys<TreeNewtonKeys>())));
}

}  // namespace slidemesh
