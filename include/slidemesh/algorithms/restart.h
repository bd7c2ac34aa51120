#pragma once

#include "slidemesh/algorithms/schedule.h"
#include "slidemesh/linalg/types.h"

namespace slidemesh {

// The rules by which ipds-restarted and ipds-vr restart and choose their step sizes: pure functions
// of numbers that all nodes agree on. docs/ipds.md explains them, docs/decisions/ has what they are
// based on.

/// Step k = 1, 2, ... after a restart: the deterministic profile without strong convexity (a restart
/// serves instead), r = R |A| / L. The mu of the problem stays in the inner problems.
[[nodiscard]] Step step_after_restart(Count k, double smoothness, double r, double operator_norm, double mu);

/// How much a measure of optimality must have changed since the last restart.
struct RestartRule {
  double fall = 0.1;       ///< restart at this share of the reference,
  double enough = 0.8;     ///< or at this share of it once the measure has risen
  double rise = 1.0;       ///< by this factor from one step to the next,
  Count least_steps = 8;   ///< but never before so many steps
  Count most_steps = 200;  ///< and always after so many
};
/// For measures without noise, whose every rise means something.
inline constexpr RestartRule kExactRestartRule{.fall = 0.15, .enough = 0.5};
[[nodiscard]] bool restart_is_due(const RestartRule& rule, Count steps, double measure, double measure_before,
                                  double reference);

/// What balanced_r stays within.
inline constexpr double kSmallestBalancedR = 0.25;
inline constexpr double kLargestBalancedR = 4.0;

/// r for the next phase, from how far the dual and the primal variable moved in the last one (squared):
/// the primal weight of D. Applegate et al., "Practical large-scale linear programming using primal-dual
/// hybrid gradient" (2021), in the units of R. The geometric mean of the old r and the new, within
/// [1/4, 4]; the old where nothing moved.
[[nodiscard]] double balanced_r(double r, double squared_dual_move, double squared_primal_move, double operator_norm,
                                double smoothness);

inline constexpr double kSmoothnessMargin = 1.1;        ///< on an observed L
inline constexpr double kSmallestShareOfBound = 1e-12;  ///< that L may be: less is rounding

/// The smallest L for which f(before) >= f(at) + <g_at, before - at> + |g_at - g_before|^2 / (2 L), as every
/// convex L-smooth f has it; 0 where rounding hides it.
[[nodiscard]] double observed_smoothness(double value_before, ConstVectorRef x_before, ConstVectorRef g_before,
                                         double value, ConstVectorRef x, ConstVectorRef g);

}  // namespace slidemesh
