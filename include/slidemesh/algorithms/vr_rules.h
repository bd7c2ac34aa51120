#pragma once

#include "slidemesh/core/state.h"
#include "slidemesh/linalg/types.h"

namespace slidemesh {

// The rules of ipds-vr: pure functions of numbers that all nodes have, and one object that remembers what exact
// measures have said. docs/ipds.md explains them, docs/decisions/restarts-and-variance-reduction.md has what they
// are based on.

/// The numbers of the rules. ρ is the measure of optimality (sliding_phase.h), ρ̂ the same with estimated gradients.
struct VrParameters {
  // Phases.
  double rise = 1.5;       ///< of ρ̂ from step to step: less is noise
  double diverged = 10.0;  ///< times ρ at the phase's begin: then the phase has failed; or at the very first point
  double tolerance_share = 0.1;  ///< of what is left, for inexact inner solvers
  double rounding = 1e-13;       ///< inner solvers cannot do better, relative to the first measure

  // The first phases look at a part of the rows.
  Count subset_restarts = 2;  ///< so many phases,
  Count subset_share = 5;     ///< one row in so many,
  Count subset_rows = 16;     ///< but at least so many of them

  // Batches and snapshots.
  Count smallest_batch = 2;
  Count first_batch = 10;                 ///< before any draw has shown how rows vary
  double variance_memory = 10.0;          ///< rows over which variances are averaged, at least,
  double variance_share = 0.05;           ///< and at least this share of them: most sparse rows hardly change
  double most_drawn = 0.5;                ///< of the rows, in one step: then take all of them
  double worth_snapshot = 0.02;           ///< of the rows, in one step, once all have been drawn once
  double costly_phase = 0.5;              ///< of the rows, in the phase to come
  double drawn_before_doubt = 0.4;        ///< of the rows, before noise above ρ̂ asks for a snapshot;
  double drawn_before_first_doubt = 0.8;  ///< later after the first, which comes early by itself
  Count longest_without_snapshot = 400;   ///< steps
  double request_again = 0.5;             ///< of the measure at which a certificate was last tried without success

  // What exact measures undo.
  double reject = 3.0;        ///< times the smallest ρ: go back there
  Count most_rejections = 6;  ///< in a row
  double stalled = 0.8;       ///< a snapshot whose ρ has not fallen to this share
  Count patience = 2;         ///< so many of them in a row ask for less noise
  double smallest_noise = 1e-6;
  double clearly_above = 1.01;  ///< times the bound on L, before an observed L is believed and not the bound
};

/// Of n rows, how many the first phases look at.
[[nodiscard]] Count subset_size(const VrParameters& p, Count rows);

/// Of n rows, over how many their variance is averaged.
[[nodiscard]] double variance_memory(const VrParameters& p, Count rows);

/// What a node's batch depends on.
struct BatchFacts {
  Count rows = 0;           ///< that are dealt
  double k = 1.0;           ///< the step of the phase
  double variance = 0.0;    ///< σ², of one row's correction
  double nodes = 1.0;       ///< m, of the network
  double smoothness = 1.0;  ///< L
  double noise = 0.1;       ///< η, the share of ρ that sampling may make
  double rho = 1.0;
};
/// k σ² m / (L η ρ): noise of variance σ²/b at each of k accelerated steps makes a gap of about k σ²/(L b) at a node.
/// All rows where that is half of them or more.
[[nodiscard]] Count batch_size(const VrParameters& p, const BatchFacts& facts);

/// What is known after a step.
struct VrStepFacts {
  Count k = 0;            ///< of the phase,
  Count least_steps = 8;  ///< which has at least so many
  double rho = 0.0;       ///< ρ̂ now,
  double rho_base = 0.0;  ///< and at the last restart
  double noise = 0.0;     ///< what sampling may have added to ρ̂
  double drawn = 0.0;     ///< rows since the last snapshot, over all nodes,
  double rows = 0.0;      ///< of so many
  Count snapshots = 0;
  Count since_snapshot = 0;     ///< steps
  bool was_exact = false;       ///< the step took all rows
  double requested_gap = 0.0;   ///< a certificate of which would end the run
  double rho_of_request = 0.0;  ///< the measure at which one was last tried for
};
struct VrStepVerdict {
  bool diverged = false;   ///< the phase has failed
  bool requested = false;  ///< a certificate may be had now
  bool takes_all = false;  ///< the next step must be exact
};
[[nodiscard]] VrStepVerdict judge_step(const VrParameters& p, const VrStepFacts& facts);

/// Whether taking all rows is worth while, where the next step would draw `planned_rows`: of rows that are dealt so far
/// (`active_rows`), or of all, with `drawn` of them drawn since the last snapshot, after k > 0 steps of a phase.
[[nodiscard]] bool all_rows_are_worth_it(const VrParameters& p, Count k, double planned_rows, double drawn, double rows,
                                         double active_rows);

/// How much noise is allowed and how long steps are, by what exact measures say of the phases before them.
class NoiseControl {
 public:
  NoiseControl(const VrParameters& parameters, double largest_noise, double smoothness);

  enum class Verdict {
    kReject,  ///< the phases since the best snapshot made things worse: `reject`, and go back there
    kBest,    ///< the smallest measure so far
    kGoOn,
  };
  /// An exact ρ where a phase begins. `has_fallen`: exact gradients showed ρ fall in the phase before. That it is
  /// larger again at x̂, where the new phase begins, is then not what noise did: nothing is sent back.
  Verdict judge(double rho, bool has_fallen);
  /// Back to the best snapshot: less noise, and shorter steps if that happens again at once.
  void reject();
  /// Noise that only keeps ρ from falling is not rejected by any single measure. Within a phase ρ may stand still for
  /// other reasons.
  void watch_for_stall(double rho);
  /// L is too small where an observed one is above it. It is never above its bound, unless the bound is wrong too.
  void observe_smoothness(double largest);
  /// For the next phase: what the last one has shown, where it went well and has shown something.
  void relax_smoothness();

  [[nodiscard]] double noise() const { return noise_; }
  [[nodiscard]] double smoothness() const { return smoothness_; }
  [[nodiscard]] double best_rho() const { return best_rho_; }
  [[nodiscard]] Count rejections() const { return rejections_; }
  void visit_state(StateVisitor& visitor);

 private:
  void take_for_best(double rho);

  VrParameters p_;
  double largest_noise_;
  double noise_;
  double given_smoothness_;
  double bound_;                   ///< on L: as given, or as observed where that is more
  double smoothness_;              ///< in use: the one found, or more after rejections
  double smoothness_found_;        ///< as observed
  double largest_observed_ = 0.0;  ///< since L was last relaxed
  double best_rho_;
  double rho_to_fall_below_;
  Count rejections_ = 0;
  Count rejected_in_a_row_ = 0;
  Count without_fall_ = 0;
};

}  // namespace slidemesh
