#pragma once

#include "slidemesh/linalg/types.h"

namespace slidemesh {

// The rules of newton-sliding: pure functions of numbers that all nodes agree on. docs/newton-sliding.md explains them,
// docs/decisions/newton-sliding.md has what they are based on.

/// How many rows a node touches in its first stage: enough over all nodes to tell d columns apart, and a few.
[[nodiscard]] Count first_stage_rows(Index dimension, Index nodes);

/// How many rows a node touches in a stage: as many new ones as make `wanted` in all; once all have been touched, the
/// share `refresh` of them that was touched longest ago.
[[nodiscard]] Count stage_rows(Count touched, Count rows, Count wanted, double refresh);

/// To what share of what it began with a stage is solved. θ; but while rows are untouched its minimum is off by as much
/// as they will change it, which falls by half where rows double: √θ, half way between solving and not solving.
[[nodiscard]] double stage_share(double theta, bool has_untouched_rows);

/// In how many stages every row is touched again.
[[nodiscard]] Count refresh_cycle(double refresh);

/// When the slide restarts: its measure ρ now, at the check before and at the last restart.
struct SlideRestart {
  double fall = 0.2;        ///< at this share of the last restart's measure,
  double enough = 0.8;      ///< or at this share of it once it has risen
  Count least_rounds = 8;   ///< after so many rounds,
  Count most_rounds = 400;  ///< and always after so many
};
[[nodiscard]] bool slide_restart_is_due(const SlideRestart& rule, Count rounds, double rho, double rho_before,
                                        double rho_at_restart);

/// ω where nothing is known but the graph. With curvature 1 in the metric, a mode of the Laplacian with eigenvalue λ is
/// an oscillator of frequency sqrt(λ/λmax) and damping 1/(2ω sqrt(λmax)): the slowest is damped best by this ω, and no
/// other is damped less.
[[nodiscard]] double first_omega(double lambda_2);

/// Whether the multipliers have moved so much further than ω has them move that a restart with another one is due. Sums
/// that are heard were measured `delay` rounds ago; they count when they cover as many rounds at least, in which
/// news has crossed the graph and back.
[[nodiscard]] bool omega_is_too_small(const SlideRestart& rule, Count rounds, Count delay, double omega,
                                      double squared_dual_move, double squared_primal_move);

/// ω for the rounds to come, from how far dual and primal variables moved since the last restart (squared): the
/// geometric mean of the old one and of the one that would have balanced the two, within a factor of 4; the old where
/// nothing moved but by rounding. `squared_size` is |x|^2 in the same metric.
[[nodiscard]] double balanced_omega(double omega, double squared_dual_move, double squared_primal_move,
                                    double squared_size);

/// How much stages are damped, and for how many in a row the polynomials were good.
struct Damping {
  double amount = 0.0;
  Count good_stages = 0;
};

/// How much to damp the next stage, from how much refreshed rows were thought to change and how far off that was. It is
/// lowered by 4 for every good stage, but not before every row has been touched again, which takes `cycle` of them:
/// other rows' polynomials say nothing of those that were bad. Below a 64th it is none; but where an undamped stage has
/// led `astray`, it goes on falling and rising by 4 until there is next to none.
[[nodiscard]] Damping next_damping(Damping damping, double predicted_change, double error, Count cycle,
                                   bool astray = false);

/// Whether stages have led the nodes astray: the rows that were touched again have twice the loss that they had where
/// each was touched before, and that is something beside the largest that such rows had. Rows are drawn, so that a part
/// of them speaks for all.
[[nodiscard]] bool has_gone_astray(double loss_before, double loss_found, double largest_loss);

/// θ after the nodes have gone astray so many times. What is left of a stage's measure may be more than all that there
/// is to gain where the set is far larger than the way to go.
[[nodiscard]] double cautious_theta(double theta, Count times_astray);

}  // namespace slidemesh
