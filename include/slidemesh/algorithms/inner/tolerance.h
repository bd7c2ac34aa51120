#pragma once

#include <algorithm>

namespace slidemesh {

/// How the adaptive rule chooses eps_k^t, the Wolfe gap that an inner solver stops at. docs/decisions/inner-solver.md
/// has the measurements behind the numbers.
struct AdaptiveTolerance {
  double share = 0.1;    ///< of what the inner step before achieved
  double least = 1e-12;  ///< never below: rounding takes over
  double most = 1e-3;    ///< never above
};

/// eps for an inner problem of the given strength at a node that last moved by |x^{t-1} - x^{t-2}|^2 = moved_squared.
///
/// The inner objective is strength/2 |x - centre|^2, so strength/2 * moved_squared is about what the last inner step
/// gained; an error of a small share of that does not change where the method goes. Every node knows its own: a pure
/// function of the iterates, and nothing is exchanged. A node that has not moved yet knows nothing: `most`.
[[nodiscard]] inline double adaptive_tolerance(const AdaptiveTolerance& rule, double strength, double moved_squared) {
  if (moved_squared == 0.0) {
    return rule.most;
  }
  return std::clamp(rule.share * strength / 2.0 * moved_squared, rule.least, rule.most);
}

}  // namespace slidemesh
