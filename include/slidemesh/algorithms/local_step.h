#pragma once

#include <memory>

#include "slidemesh/algorithms/inner/inner_solver.h"
#include "slidemesh/algorithms/quadratic.h"
#include "slidemesh/core/feasible_set.h"
#include "slidemesh/core/state.h"
#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// A node's step without data and without messages:
///
///     argmin over x in X of  φ(x) = x'Q x/2 + <b, x>,      Q = H + diag(weights) of a model, positive definite,
///
/// to a Wolfe gap.
class LocalStep {
 public:
  virtual ~LocalStep() = default;
  LocalStep(const LocalStep&) = delete;
  LocalStep& operator=(const LocalStep&) = delete;

  /// Q = H + diag(weights) from now on; also to be said where H has changed.
  virtual void set_quadratic(const Vector& weights) = 0;
  /// From x, or from where the last step ended, to a Wolfe gap of at most `tolerance`, which it may miss where rounding
  /// or its patience ends: the result says what it came to.
  virtual InnerResult solve(const Quadratic& model, ConstVectorRef b, double tolerance, VectorRef x) = 0;

  /// Whether the last product with H that `solve` takes is that of its answer.
  [[nodiscard]] virtual bool multiplies_answer_last() const { return false; }

  virtual void visit_state(StateVisitor& visitor) = 0;

 protected:
  LocalStep() = default;
};

/// Over a box, a Euclidean ball or both side by side by a factorization of Q (box_step.h, ball_step.h). By projections
/// where the set is curved otherwise and has one; else by the linear oracle alone, which on a polytope is exact. But
/// for projections none of it cares how columns are scaled.
[[nodiscard]] std::unique_ptr<LocalStep> make_local_step(const FeasibleSet& set);

/// Whether a step takes no longer where Q is far from diagonal.
[[nodiscard]] bool steps_may_be_tilted(const FeasibleSet& set);

/// Over a set of matrices with a diagonal H, where a projection is a decomposition and a product with H next to
/// nothing.
[[nodiscard]] bool projections_are_most_of_the_work(const FeasibleSet& set, bool is_diagonal);

/// For the rounds of a primal-dual method, in which a step from where the last one ended may do less than minimize:
/// where projections are most of the work, a single one does.
[[nodiscard]] std::unique_ptr<LocalStep> make_round_step(const FeasibleSet& set, bool is_diagonal);

}  // namespace slidemesh
