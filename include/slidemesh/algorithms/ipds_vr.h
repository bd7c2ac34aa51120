#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "slidemesh/algorithms/restart.h"
#include "slidemesh/algorithms/sliding_phase.h"
#include "slidemesh/algorithms/snapshot_gradient.h"
#include "slidemesh/algorithms/vr_rules.h"
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
  std::optional<Count> batch;         ///< rows per node and step; none: from the variance that the draws show
  std::optional<double> smoothness;   ///< L~; none: the problem's
  std::string inner = "projection";
  std::optional<double> tolerance;  ///< of the inner problems; none: in proportion to what is left
  double noise = 0.1;               ///< share of the optimality gap that sampling may make; falls where it must
  std::uint64_t seed = 1;
  VrParameters parameters = {};  ///< of the rules
};

/// Variance-reduced I-PDS: a step evaluates a few rows per node, and all of them only where the noise has
/// become too large or a measure must be exact. docs/ipds.md has the rules.
class IpdsVr final : public Method {
 public:
  IpdsVr(const Problem& problem, Network& network, const IpdsVrOptions& options);

  [[nodiscard]] std::string_view name() const override { return "ipds-vr"; }
  void step() override;
  [[nodiscard]] bool finished() const override { return steps_ >= options_.outer_steps; }
  [[nodiscard]] int steps_done() const override { return static_cast<int>(steps_); }
  [[nodiscard]] const Stacked& output() override { return phase_.sliding().x_hat(); }
  /// At steps whose gradients are exact.
  [[nodiscard]] std::optional<Certificate> certificate() override { return certificate_; }
  void request_certificate_below(double gap) override { requested_gap_ = gap; }
  [[nodiscard]] const InnerWork* inner_work() const override { return &phase_.sliding().inner_work(); }
  [[nodiscard]] const Dual* dual() const override { return &phase_.sliding().dual(); }
  bool start_with_dual(const Stacked& s) override;
  [[nodiscard]] std::optional<Vector> known_values() const override { return gradient_.values(); }
  [[nodiscard]] bool uses_smoothness() const override { return !options_.smoothness; }
  /// At most; a node that has not moved since its snapshot will not draw.
  [[nodiscard]] Count next_data_oracle_calls() const override;
  void visit_state(StateVisitor& visitor) override;

  [[nodiscard]] Count restarts() const { return phase_.restarts(); }
  [[nodiscard]] Count snapshots() const { return gradient_.snapshots(); }
  /// How often an exact measure sent the method back to an earlier snapshot.
  [[nodiscard]] Count rejections() const { return control_.rejections(); }
  /// The share of the gap that sampling may make now.
  [[nodiscard]] double noise() const { return control_.noise(); }
  [[nodiscard]] double smoothness() const { return control_.smoothness(); }

 private:
  /// What the nodes agree on after a step beside the phase's own, summed over them.
  enum Statistic : Index { kDrawn = kPhaseStatistics, kNoise, kBatch, kStatistics };

  /// A point to come back to: the snapshot of smallest exact measure so far.
  struct Best {
    KeptColumns x;
    KeptDual dual;
    KeptColumns gradient;
    Vector values;
    bool has_snapshot = false;  ///< false: nothing but where the run began

    void visit_state(StateVisitor& visitor);
  };

  void count_rows();
  [[nodiscard]] bool take_snapshot();
  void plan_batches();
  void judge(double rho);
  void go_back(Count k);
  [[nodiscard]] double tolerance() const;
  [[nodiscard]] double exact_measure();
  [[nodiscard]] double agree();
  void decide(double rho, bool was_exact);
  void restart(double rho, bool exact);
  void plan(bool exact, double planned_rows);
  [[nodiscard]] Count batch_for(Index local, double k, double variance, double rho) const;

  const Problem& problem_;
  Network& network_;
  IpdsVrOptions options_;
  const VrParameters& p_;
  RestartRule rule_;
  NoiseControl control_;
  SnapshotGradient gradient_;
  SlidingPhase phase_;
  Matrix contributions_;                    ///< kStatistics x local nodes
  Vector totals_;                           ///< their sums over all nodes; not part of the saved state
  std::optional<Certificate> certificate_;  ///< of the last step; not part of the saved state

  Count steps_ = 0;
  Count rows_ = 0, active_rows_ = 0;  ///< over all nodes: in all, and of those that are dealt
  Count subset_restarts_ = 0;
  bool exact_next_ = true;      ///< whether the next step takes all rows
  bool has_fallen_ = false;     ///< whether exact gradients showed ρ fall in the last phase
  double requested_gap_ = 0.0;  ///< of a certificate; not part of the saved state
  double rho_of_request_;       ///< the measure at which a certificate was last tried for
  double drawn_ = 0.0;          ///< rows, since the last snapshot, over all nodes
  double rho_first_ = 0.0;      ///< at the very first point
  double rho_before_;           ///< of the step before
  double rho_base_;             ///< at the last restart
  Stacked v_;
  Vector x_next_;  ///< working memory
  Best best_;
};

}  // namespace slidemesh
