#pragma once

#include <optional>
#include <string>

#include "slidemesh/algorithms/restart.h"
#include "slidemesh/algorithms/sliding.h"
#include "slidemesh/core/kept_state.h"
#include "slidemesh/core/state.h"
#include "slidemesh/network/network.h"

namespace slidemesh {

/// What a node contributes after a step to the sums that all nodes agree on. Methods append their own.
enum PhaseStatistic : Index { kWolfeGap, kCoupling, kDualMove, kPrimalMove, kPhaseStatistics };

/// ρ = Σᵢ max over u in Xᵢ of <gᵢ + wᵢ, x̲ᵢ − u>  +  |Σᵢ <wᵢ, x̲ᵢ>|: the measure of optimality, from the nodes' totals.
[[nodiscard]] double optimality(const Vector& totals);

/// Sliding from restart to restart: what ipds-restarted and ipds-vr share. Counts the steps k since the last restart,
/// remembers where the phase began, and balances r = R |A| / L from how far the phase moved.
class SlidingPhase {
 public:
  struct Options {
    double laplacian_lambda_max = 0.0;
    std::optional<double> R;  ///< none: balanced at every restart
    double smoothness = 0.0;  ///< that R is relative to
    std::string inner = "projection";
  };

  SlidingPhase(const Problem& problem, Network& network, const Options& options);

  /// Step k + 1 of the phase with smoothness L: to x̲ₖ, where the gradient v of f~ is to be taken,
  void extrapolate(double L);
  /// and from there to x̂ₖ, and what `measure` finds there with v.
  void slide(double L, const Stacked& v, double tolerance);

  /// x̲ of node `local` in the next step, unless the phase ends before.
  void foresee(Index local, VectorRef x_under) const;

  /// Begins the next phase at x̂ₖ with the dual variable as it is. `totals` are those of the last step.
  void restart(const Vector& totals, double L);
  /// Restarts at an earlier state, at step `k` of the new phase.
  void go_back(const KeptColumns& x, const KeptDual& dual, Count k);
  /// See Method::start_with_dual.
  void start_with_dual(const Stacked& s);
  /// To where this phase began.
  void undo();

  /// The PhaseStatistics of each local node, into the first rows of `contributions`.
  void contribute(Matrix& contributions);
  /// ρ before any slide, agreed on, where v is the gradient at x̲ₖ.
  [[nodiscard]] double measure(const Stacked& v);

  [[nodiscard]] Count k() const { return k_; }
  [[nodiscard]] Count restarts() const { return restarts_; }
  [[nodiscard]] Sliding& sliding() { return sliding_; }
  [[nodiscard]] const Sliding& sliding() const { return sliding_; }
  [[nodiscard]] const Stacked& x_under() const { return sliding_.x_under(); }

  void visit_state(StateVisitor& visitor);

 private:
  [[nodiscard]] Step step(Count k, double L) const;
  void begin_here();

  Network& network_;
  double mu_;
  bool balances_r_;
  double operator_norm_;
  Sliding sliding_;
  Count k_ = 0;
  Count restarts_ = 0;
  double r_ = 1.0;
  KeptColumns x_start_;
  KeptDual dual_start_;
  Vector dual_move_, dual_pull_;  ///< working memory
};

}  // namespace slidemesh
