#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "slidemesh/algorithms/inner/tolerance.h"
#include "slidemesh/algorithms/schedule.h"
#include "slidemesh/algorithms/sliding.h"
#include "slidemesh/core/data_oracle.h"
#include "slidemesh/core/method.h"
#include "slidemesh/core/problem.h"
#include "slidemesh/network/network.h"

namespace slidemesh {

enum class Output {
  kAverage,  ///< (sum_k beta_k x̂_k) / (sum_k beta_k): what the theorem is about
  kLast,     ///< x̂_k
};

struct IpdsOptions {
  int outer_steps = 100;    ///< N
  std::optional<double> R;  ///< none: R |A| / L~ = 1
  Gossip gossip = Gossip::kLaplacian;
  Profile profile = Profile::kPaper;
  Output output = Output::kAverage;
  std::optional<double> c;            ///< sampled gradients, with batches c_k from it; none: exact
  bool cap_batches = true;            ///< a batch that reaches a node's row count becomes a full pass
  std::optional<double> smoothness;   ///< L~; none: the problem's
  double laplacian_lambda_max = 0.0;  ///< of the network's graph
  std::string inner = "projection";
  double tolerance = 1e-3;                    ///< eps_k^t, for solvers that are not exact
  std::optional<AdaptiveTolerance> adaptive;  ///< in its place: from how far a node moved last
  std::uint64_t seed = 1;
};

/// What the step sizes are computed from.
[[nodiscard]] ScheduleParameters schedule_parameters(const Problem& problem, const IpdsOptions& options);

/// I-PDS, inexact primal-dual sliding, as in the paper. ipds.cpp has the outer step line by line,
/// sliding.cpp what is inside its two moves.
class Ipds final : public Method {
 public:
  Ipds(const Problem& problem, Network& network, const IpdsOptions& options);

  [[nodiscard]] std::string_view name() const override { return "ipds"; }
  void step() override;
  [[nodiscard]] bool finished() const override { return k_ >= schedule_.outer_steps(); }
  [[nodiscard]] int steps_done() const override { return static_cast<int>(k_); }
  [[nodiscard]] const Stacked& output() override;
  [[nodiscard]] std::optional<Certificate> certificate() override;
  [[nodiscard]] const InnerWork* inner_work() const override { return &sliding_.inner_work(); }
  [[nodiscard]] const Dual* dual() const override { return &sliding_.dual(); }
  bool start_with_dual(const Stacked& s) override;
  [[nodiscard]] bool uses_smoothness() const override { return !options_.smoothness; }
  [[nodiscard]] Count next_data_oracle_calls() const override;
  void visit_state(StateVisitor& visitor) override;

  [[nodiscard]] const Schedule& schedule() const { return schedule_; }

 private:
  void evaluate_gradient(const Step& s);

  IpdsOptions options_;
  Schedule schedule_;
  DataOracle data_;
  Sliding sliding_;

  Count k_ = 0;
  Stacked v_;
  Stacked weighted_sum_, output_;
  double weight_ = 0.0;
};

}  // namespace slidemesh
