#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "slidemesh/core/feasible_set.h"
#include "slidemesh/core/state.h"
#include "slidemesh/linalg/types.h"

namespace slidemesh {

struct InnerResult {
  double wolfe_gap = 0.0;  ///< max over v in X of <strength (u - centre), u - v>, as last measured
  Count linear_oracle_calls = 0;
  Index active_set_size = 0;  ///< 0 where the solver keeps none
};

/// Solves  argmin over u in X of  strength/2 |u - centre|^2  approximately, for one node. May carry
/// state (an active set, a cache) from one problem to the next.
class InnerSolver {
 public:
  virtual ~InnerSolver() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;

  /// From `u`, a point of X, to a point with Wolfe gap at most `tolerance`, into `u`.
  virtual InnerResult solve(double strength, ConstVectorRef centre, double tolerance, VectorRef u) = 0;

  virtual void visit_state(StateVisitor& /*visitor*/) {}
};

/// A DataError that names the node, where a solver ended on numbers that are not finite. A gap that is none ends every
/// solver's loop, and leaves a point that looks like an answer.
void require_finite(const InnerResult& result, ConstVectorRef u, Index node);

/// The solvers' names: "projection", "cgs", ...
[[nodiscard]] const std::vector<std::string>& inner_solver_names();

/// A solver of the given name for one node of the given set; UsageError if the set lacks what the
/// solver needs.
[[nodiscard]] std::unique_ptr<InnerSolver> make_inner_solver(std::string_view name, const FeasibleSet& set);

}  // namespace slidemesh
