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

/// Whether the dual is where it belongs, and ω holds the primal back: that moved, the dual did not but by rounding, and
/// the measure is about what it was at the restart, `share` of it, though news has crossed the graph and back since.
[[nodiscard]] bool primal_is_held_back(const SlideRestart& rule, Count rounds, Count delay, double share,
                                       double squared_dual_move, double squared_primal_move);

/// A sum of products over the nodes that is not negative but for rounding, or 0 where that may be all it is. Where
/// nodes agree, <Cx, Lap x> is nothing but the rounding of its terms, which are up to λmax |x|² in all; and so is <Δs,
/// Δw>, with Δs = σ C Σx̂ and Δw = Lap Δs, of terms up to (σ k)² λmax |x|² after k rounds.
[[nodiscard]] double above_rounding(double sum, double terms);

/// ω for the rounds to come, from how far dual and primal variables moved since the last restart (squared): the
/// geometric mean of the old one and of the one that would have balanced the two, within a factor of 4; the old where
/// nothing moved but by rounding. `squared_size` is |x|^2 in the same metric. Where the dual stood still and the primal
/// moved for so long that ω holds it back: a quarter. Where the primal stood still and is held, since every node is at
/// the minimum of its own and they are apart all the same, as at different vertices: four times as much.
[[nodiscard]] double balanced_omega(double omega, double squared_dual_move, double squared_primal_move,
                                    double squared_size, bool was_long = false, bool is_held = false);

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

/// What rows that were touched again have shown.
struct RowsAgain {
  double loss_before = 0.0;     ///< that they had where each was touched before,
  double loss_found = 0.0;      ///< and have now
  double largest_loss = 0.0;    ///< that such rows had so far
  bool is_cautious = false;     ///< nodes have gone astray before: all rows are touched again
  double damping_before = 0.0;  ///< of the stage that led here,
  double damping = 0.0;         ///< and of the next
};

/// Whether stages have led the nodes astray: rows have twice the loss that they had, and that is something beside the
/// largest that such rows had. Rows are drawn, so that a part of them speaks for all. Once that has happened all rows
/// are touched, and any larger loss is a step in vain, as it is to a trust region; but for one that the polynomials
/// foresaw, which is what it costs nodes to agree. That is told by the damping: where the next stage is not damped more
/// than this one was, it would lead to the same place again.
[[nodiscard]] bool has_gone_astray(const RowsAgain& rows);

/// θ after the nodes have gone astray so many times. What is left of a stage's measure may be more than all that there
/// is to gain where the set is far larger than the way to go.
[[nodiscard]] double cautious_theta(double theta, Count times_astray);

}  // namespace slidemesh
