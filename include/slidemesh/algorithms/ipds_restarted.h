#pragma once

#include <optional>
#include <string>

#include "slidemesh/algorithms/restart.h"
#include "slidemesh/algorithms/sliding_phase.h"
#include "slidemesh/core/data_oracle.h"
#include "slidemesh/core/method.h"
#include "slidemesh/core/problem.h"
#include "slidemesh/network/network.h"

namespace slidemesh {

/// Nothing needs to be set but the eigenvalue.
struct IpdsRestartedOptions {
  int outer_steps = 100'000;
  double laplacian_lambda_max = 0.0;  ///< of the network's graph
  std::optional<double> R;            ///< none: balanced at every restart
  std::optional<Count> epoch;         ///< steps from restart to restart; none: by a measure of optimality
  std::optional<double> smoothness;   ///< an upper bound on L~; none: the problem's
  std::string inner = "projection";
  std::optional<double> tolerance;  ///< of the inner problems; none: in proportion to what is left
};

/// I-PDS with exact gradients, restarted, with smoothness and R estimated as it goes. docs/ipds.md
/// has the rules.
class IpdsRestarted final : public Method {
 public:
  IpdsRestarted(const Problem& problem, Network& network, const IpdsRestartedOptions& options);

  [[nodiscard]] std::string_view name() const override { return "ipds-restarted"; }
  void step() override;
  [[nodiscard]] bool finished() const override { return steps_ >= options_.outer_steps; }
  [[nodiscard]] int steps_done() const override { return static_cast<int>(steps_); }
  [[nodiscard]] const Stacked& output() override { return phase_.sliding().x_hat(); }
  [[nodiscard]] std::optional<Certificate> certificate() override { return certificate_; }
  [[nodiscard]] const InnerWork* inner_work() const override { return &phase_.sliding().inner_work(); }
  [[nodiscard]] const Dual* dual() const override { return &phase_.sliding().dual(); }
  bool start_with_dual(const Stacked& s) override;
  [[nodiscard]] std::optional<Vector> known_values() const override { return data_.values(); }
  [[nodiscard]] bool uses_smoothness() const override { return !options_.smoothness; }
  [[nodiscard]] Count next_data_oracle_calls() const override;
  void visit_state(StateVisitor& visitor) override;

  [[nodiscard]] Count restarts() const { return phase_.restarts(); }
  [[nodiscard]] double smoothness() const { return L_; }

 private:
  void observe_smoothness();
  [[nodiscard]] double tolerance() const;
  void agree();
  void restart();
  void undo();

  Network& network_;
  IpdsRestartedOptions options_;
  RestartRule rule_;
  double given_bound_;  ///< on L~: as given,
  double bound_;        ///< and as it is now, which is no less
  DataOracle data_;
  SlidingPhase phase_;
  Matrix contributions_;                    ///< kPhaseStatistics x local nodes
  Vector totals_;                           ///< their sums over all nodes; not part of the saved state
  Matrix observed_;                         ///< 1 x local nodes
  std::optional<Certificate> certificate_;  ///< of the last step; not part of the saved state

  Count steps_ = 0;
  double L_;          ///< in use
  double rho_ = 0.0;  ///< the measure of optimality: now,
  double rho_before_ = 0.0;
  double rho_reference_;    ///< at the last restart,
  double rho_best_;         ///< and the smallest
  double rho_first_ = 0.0;  ///< at the very first point
  Count undone_in_a_row_ = 0;
  double largest_observed_ = 0.0;  ///< smoothness, since the last restart
  Vector values_before_;
  Stacked v_;
  KeptColumns v_before_, x_under_before_;
  Vector node_v_before_, node_x_before_;  ///< of one node, for a moment
};

}  // namespace slidemesh
