#pragma once

#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "slidemesh/algorithms/local_model.h"
#include "slidemesh/algorithms/local_step.h"
#include "slidemesh/algorithms/quadratic.h"
#include "slidemesh/core/feasible_set.h"
#include "slidemesh/core/objective.h"
#include "slidemesh/core/state.h"
#include "slidemesh/linalg/kernels.h"

namespace slidemesh {

/// Where each number of a node's model stands when models are summed over a tree: the value and the gradient at a
/// common point, and the lower triangle or the diagonal of H.
struct SumLayout {
  Index d;
  bool diagonal;
  [[nodiscard]] Index size() const { return 1 + d + (diagonal ? d : d * (d + 1) / 2); }
};

/// What a node sends of its model at x, into the first `layout.size()` numbers of `out`.
inline void write_model(const LocalModel& model, ConstVectorRef x, SumLayout layout, VectorRef out) {
  out(0) = model.value(x);
  model.gradient(x, out.segment(1, layout.d));
  Index at = 1 + layout.d;
  std::vector<Index> rows(static_cast<std::size_t>(layout.d));
  std::iota(rows.begin(), rows.end(), Index{0});
  for (Index j = 0; j < layout.d; ++j) {
    if (layout.diagonal) {
      out(at++) = model.diagonal(j);
      continue;
    }
    const Index below = layout.d - j;
    out.segment(at, below).setZero();
    model.add_elements(1.0, std::span(rows).subspan(static_cast<std::size_t>(j)), j, out.data() + at);
    at += below;
  }
}

/// The second-order part of the mean of all nodes' models.
class SumModel final : public Quadratic {
 public:
  explicit SumModel(SumLayout layout) : layout_(layout), H_(Matrix::Zero(layout.d, layout.diagonal ? 1 : layout.d)) {}

  /// From what `write_model` wrote, averaged over the nodes.
  void read(const Vector& sum) {
    Index at = 1 + layout_.d;
    for (Index j = 0; j < H_.cols(); ++j) {
      for (Index i = layout_.diagonal ? 0 : j; i < layout_.d; ++i) {
        H_(i, j) = sum(at++);
        if (!layout_.diagonal) {
          H_(j, i) = H_(i, j);
        }
      }
    }
  }
  void multiply(ConstVectorRef v, VectorRef out) const override {
    if (layout_.diagonal) {
      out = H_.col(0).cwiseProduct(v);
      return;
    }
    for (Index j = 0; j < v.size(); ++j) {
      out(j) = dot(H_.col(j), v);
    }
  }
  void add_elements(double s, std::span<const Index> rows, Index j, double* out) const override {
    for (std::size_t l = 0; l < rows.size(); ++l) {
      out[l] += layout_.diagonal ? (rows[l] == j ? s * H_(j, 0) : 0.0) : s * H_(rows[l], j);
    }
  }
  [[nodiscard]] double diagonal(Index j) const override { return H_(j, layout_.diagonal ? 0 : j); }
  /// A small share of this makes the model positive definite and leaves every column its own unit: its H_jj, or the
  /// mean where there is none.
  [[nodiscard]] double scale(Index j) const { return diagonal(j) > 0.0 ? diagonal(j) : mean_curvature(); }
  [[nodiscard]] double mean_curvature() const {
    return (layout_.diagonal ? H_.sum() : H_.trace()) / static_cast<double>(layout_.d);
  }

 private:
  SumLayout layout_;
  Matrix H_;
};

/// The projected Newton method of E. S. Levitin and B. T. Polyak, "Constrained minimization methods" (1966), with
/// halving as in L. Armijo (1966). Who holds the data says what F/m, its gradient and its curvature are at x():
///
///     if F(x) <= F(kept) + 1e-4 <∇F(kept), x − kept>:  kept = x;  x = argmin over X of the model at kept
///     else  x = (x + kept)/2
class ProjectedNewton {
 public:
  ProjectedNewton(const FeasibleSet& set, SumLayout layout, const Vector& start);

  [[nodiscard]] const SumLayout& layout() const { return layout_; }
  /// Where F is wanted next.
  [[nodiscard]] const Vector& x() const { return x_; }
  /// Takes what `write_model` wrote at x(), averaged over the nodes. Whether F was low enough there.
  bool take(const Vector& mean);
  /// Of the last model that was minimized.
  [[nodiscard]] Count linear_oracle_calls() const { return linear_oracle_calls_; }

  void visit_state(StateVisitor& visitor);

 private:
  void minimize_model();

  SumLayout layout_;
  std::unique_ptr<FeasibleSet> set_;
  std::unique_ptr<LocalStep> local_step_;
  SumModel model_;  ///< the curvature of F/m at kept_
  Vector x_;
  Vector kept_;  ///< the last point whose F was low enough
  Vector g_;     ///< ∇F/m there
  double kept_value_;
  double first_gap_;
  Count linear_oracle_calls_ = 0;
};

/// The model of all the rows of a node where they are shown at x by `touch`, as `write_model` writes it.
void summarize_rows(const LocalObjective& objective, double mu, SumLayout layout, ConstVectorRef x,
                    const std::function<void(const LocalObjective::TouchVisit&)>& touch, VectorRef out);

}  // namespace slidemesh
