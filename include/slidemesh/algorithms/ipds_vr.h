#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "slidemesh/algorithms/restart.h"
#include "slidemesh/algorithms/sliding.h"
#include "slidemesh/core/data_oracle.h"
#include "slidemesh/core/method.h"
#include "slidemesh/core/problem.h"
#include "slidemesh/network/network.h"

namespace slidemesh {

/// Nothing needs to be set but the eigenvalue.
struct IpdsVrOptions {
  int outer_steps = 100'000;
  double laplacian_lambda_max = 0.0;  ///< of the network's graph
  std::optional<double> R;            ///< none: balanced at every restart
  std::optional<Count> epoch;         ///< steps from snapshot to snapshot, each with a restart; none: both by measures
  std::optional<Count> batch;         ///< rows a node a step; none: from the variance that the draws show
  std::optional<double> smoothness;   ///< L~; none: the problem's
  std::string inner = "projection";
  std::optional<double> tolerance;  ///< of the inner problems; none: in proportion to what is left
  double noise = 0.1;               ///< share of the optimality gap that sampling may make; falls where it must
  std::uint64_t seed = 1;
};

/// Variance-reduced I-PDS: a step evaluates a few rows a node, and all of them only where the noise has
/// become too large or a measure must be exact. docs/methods.md has the rules.
class IpdsVr final : public Method {
 public:
  IpdsVr(const Problem& problem, Network& network, const IpdsVrOptions& options);

  [[nodiscard]] std::string_view name() const override { return "ipds-vr"; }
  void step() override;
  [[nodiscard]] bool finished() const override { return steps_ >= options_.outer_steps; }
  [[nodiscard]] int steps_done() const override { return static_cast<int>(steps_); }
  [[nodiscard]] const Stacked& output() override { return sliding_.x_hat(); }
  /// At steps whose gradients are exact.
  [[nodiscard]] std::optional<Certificate> certificate() override { return certificate_; }
  void hope_for_certificate(double gap) override { hoped_gap_ = gap; }
  [[nodiscard]] const InnerWork* inner_work() const override { return &sliding_.inner_work(); }
  /// At most; a node that has not moved since its snapshot will not draw.
  [[nodiscard]] Count next_data_oracle_calls() const override;
  void visit_state(StateVisitor& visitor) override;

  [[nodiscard]] Count restarts() const { return restarts_; }
  [[nodiscard]] Count snapshots() const { return snapshots_; }
  /// How often an exact measure sent the method back to an earlier snapshot.
  [[nodiscard]] Count rejections() const { return rejections_; }
  /// The share of the gap that sampling may make now.
  [[nodiscard]] double noise() const { return noise_; }
  [[nodiscard]] double smoothness() const { return L_; }

 private:
  /// What the nodes agree on after a step, summed over them.
  enum Agreed { kWolfe, kCoupling, kDualMove, kPrimalMove, kDrawn, kNoise, kBatch, kAgreed };

  /// A point to come back to: the snapshot of smallest exact measure so far.
  struct Best {
    double rho;
    Stacked x, z, w, gradient;
    Vector values;
    Count has_snapshot = 0;
  };

  void count_rows();
  [[nodiscard]] bool take_snapshot();
  void take_subset_snapshot();
  void draw();
  void plan_batches();
  void begin_phase_here();
  void judge(double rho);
  void watch_for_stall(double rho);
  void observe_smoothness();
  void go_back();
  [[nodiscard]] double tolerance() const;
  [[nodiscard]] double exact_measure();
  [[nodiscard]] double agree();
  void decide(double rho, bool was_exact);
  void restart(double rho, bool exact);
  void plan(bool exact, double planned_rows);
  [[nodiscard]] Count batch_for(Index local, double k, double rho) const;
  [[nodiscard]] Count dealt_rows(Index local) const;

  const Problem& problem_;
  Network& network_;
  IpdsVrOptions options_;
  RestartRule rule_;
  double operator_norm_;
  DataOracle data_;
  Sliding sliding_;
  Matrix told_;  ///< kAgreed x local nodes
  Vector dual_move_, dual_pull_, drawn_variance_;
  std::vector<Count> draws_;
  std::optional<Certificate> certificate_;  ///< of the last step; not part of the saved state

  Count steps_ = 0, restarts_ = 0, snapshots_ = 0, rejections_ = 0;
  Count k_ = 0;                       ///< steps since the last restart
  Count since_snapshot_ = 0;          ///< steps
  Count rows_ = 0, active_rows_ = 0;  ///< over all nodes: in all, and of those that are dealt
  Count in_subset_ = 1;               ///< whether a part of the rows is dealt so far
  Count subset_restarts_ = 0;
  Count exact_next_ = 1;  ///< whether the next step takes all rows
  Count rejected_in_a_row_ = 0, without_fall_ = 0;
  double L_;        ///< in use: L_found_, or more after rejections
  double L_found_;  ///< as given, or as observed where that is more
  double r_ = 1.0;  ///< R |A| / L
  double noise_;
  double hoped_gap_ = 0.0;    ///< of a certificate; not part of the saved state
  double rho_of_hope_;        ///< the measure for which a certificate was last hoped
  double drawn_ = 0.0;        ///< rows, since the last snapshot, over all nodes
  double rho_first_ = 0.0;    ///< at the very first point
  double rho_before_;         ///< of the step before
  double rho_base_;           ///< at the last restart
  double rho_fall_;           ///< the exact measure that the next snapshots must fall below
  Vector sum_;                ///< what was agreed on; not part of the saved state
  Vector variance_;           ///< of one row's correction, at each node
  Vector values_;             ///< of f~ at the snapshot
  std::vector<Count> batch_;  ///< of the next step
  DataOracle::Snapshot snapshot_;
  Stacked v_;
  Stacked x_start_, z_start_, w_start_;  ///< of this phase
  Best best_;
};

}  // namespace slidemesh
