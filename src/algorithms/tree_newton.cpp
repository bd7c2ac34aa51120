// Newton's method over a spanning tree: gradients and curvatures are summed up and down, and every node minimizes the
// same quadratic model of F over X. The honest rival of Newton sliding where d(d + 3)/2 numbers are a small message;
// what a parent learns is the sum of its subtree's curvatures.
//
// The step is the projected Newton method of E. S. Levitin and B. T. Polyak, "Constrained minimization methods" (1966);
// halving as in L. Armijo (1966).
//
//   here      what it is
//   x_        where the next gradient is taken: the output
//   kept_     the last point whose F was low enough; model_ and g are of there
//   model_    H, the curvature of F/m at kept_
//
//   every step: F, ∇F and ∇²F at x, one pass and one agreement
//     if F(x) <= F(kept) + 1e-4 <∇F(kept), x − kept>:  kept = x;  x = argmin over X of the model at kept
//     else  x = (x + kept)/2

#include <cmath>

#include "registry_kinds.h"
#include "slidemesh/algorithms/centralized.h"
#include "slidemesh/algorithms/local_model.h"
#include "slidemesh/algorithms/local_step.h"
#include "slidemesh/linalg/kernels.h"
#include "slidemesh/linalg/parallel.h"
#include "sum_model.h"

namespace slidemesh {

namespace {

constexpr double kArmijo = 1e-4;
constexpr double kProximal = 1e-10;  ///< of the mean curvature: makes the model positive definite where H is not
constexpr double kForcing = 0.01;    ///< a model is solved to this share of F's Wolfe gap, and better as that falls
constexpr double kLeastShare = 1e-8;

class TreeNewton final : public CentralizedMethod {
 public:
  TreeNewton(const Problem& problem, Network& network, int outer_steps)
      : CentralizedMethod("tree-newton", problem, network, outer_steps, Where::kTree),
        layout_{problem.dimension(), has_single_features(problem)},
        model_(layout_),
        local_step_(make_local_step(set_)),
        kept_(problem.start),
        all_rows_(problem.objectives.size()) {
    require_rows();
    for (std::size_t i = 0; i < all_rows_.size(); ++i) {
      for (Index j = 0; j < problem.objectives[i]->rows(); ++j) {
        all_rows_[i].push_back(j);
      }
    }
  }

  void step() override {
    ++t_;
    const Vector sum = summarize();
    const Vector g = sum.segment(1, layout_.d);
    if (t_ > 1 && sum(0) > kept_value_ + kArmijo * (dot(g_, x_) - dot(g_, kept_))) {
      x_ = 0.5 * (x_ + kept_);
      clear_certificate();
      return;
    }
    kept_ = x_;
    kept_value_ = sum(0);
    set_gradient(kept_, g, values_here_);
    model_.read(sum);
    minimize_model();
  }
  void visit_state(StateVisitor& visitor) override {
    visitor.visit("t", t_);
    visitor.visit("x", x_);
    visitor.visit("kept", kept_);
    visitor.visit("kept_gradient", g_);
    visitor.visit("kept_value", kept_value_);
    visitor.visit("first_gap", first_gap_);
    local_step_->visit_state(visitor);
    visit_certificate(visitor);
  }

 private:
  static bool has_single_features(const Problem& problem) {
    const Loss* loss = problem.objectives.front()->row_loss();
    return loss != nullptr && loss->has_single_features();
  }

  /// F/m, its gradient and its curvature at x: the only touch of the data, and one agreement.
  Vector summarize() {
    Matrix summaries(layout_.size(), network_.local_nodes());
    values_here_.resize(network_.local_nodes());
    for_each_node(network_.local_nodes(), 1e6, [&](Index i) { summarize_node(i, summaries.col(i)); });
    return mean_of(summaries);
  }

  void summarize_node(Index i, VectorRef out) {
    const auto n = static_cast<std::size_t>(i);
    LocalModel model(*problem_.objectives[n], problem_.mu,
                     layout_.diagonal ? ModelShape::kDiagonal : ModelShape::kDense);
    data_.touch(i, x_, all_rows_[n], [&](const TouchedRows& rows) { model.touch(rows, false); });
    model.finish_touch();
    write_model(model, x_, layout_, out);
    values_here_(i) = out(0) - problem_.mu / 2.0 * squared_norm(x_);
    require_finite_point(out.head(1 + layout_.d), network_.global(i));
  }

  /// x = argmin over X of <g, x − kept> + (x − kept)'(H + εI)(x − kept)/2. Every node does the same, so this process
  /// does it once, and is charged for each of its nodes.
  void minimize_model() {
    Vector vertex(layout_.d);
    const auto set = set_.clone();
    set->linear_minimizer(g_, vertex);
    const double gap = dot(g_, kept_) - dot(g_, vertex);  // Frank and Wolfe's
    first_gap_ = t_ == 1 ? gap : first_gap_;
    const double share = std::max(kLeastShare, kForcing * std::min(1.0, first_gap_ > 0.0 ? gap / first_gap_ : 1.0));
    const double epsilon = kProximal * model_.mean_curvature() + 1e-300;
    Vector b(layout_.d);
    model_.multiply(kept_, b);
    b = g_ - b - epsilon * kept_;
    local_step_->set_quadratic(Vector::Constant(layout_.d, epsilon));
    const InnerResult result = local_step_->solve(model_, b, share * gap, x_);
    require_finite(result, x_, 0);
    for (Index i = 0; i < network_.local_nodes(); ++i) {
      network_.meters().at(i).linear_oracle_calls += result.linear_oracle_calls + 1;
    }
  }

  SumLayout layout_;
  SumModel model_;
  std::unique_ptr<LocalStep> local_step_;
  Vector kept_;
  double kept_value_ = 0.0;
  double first_gap_ = 0.0;
  Vector values_here_;
  std::vector<std::vector<Index>> all_rows_;
};

struct TreeNewtonKeys {
  int outer_steps = 100;
};

}  // namespace

MethodKind tree_newton_kind() {
  MethodKind kind = method_kind<TreeNewtonKeys>(
      "tree-newton", "Newton's method at every node, gradients and curvatures summed up and down a spanning tree", {},
      nullptr, [](const TreeNewtonKeys& keys, const MethodContext& context) -> std::unique_ptr<Method> {
        return std::make_unique<TreeNewton>(context.problem, context.network, keys.outer_steps);
      });
  kind.certifies = true;
  return kind;
}

}  // namespace slidemesh
