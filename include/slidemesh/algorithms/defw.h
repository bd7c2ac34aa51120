#pragma once

#include <vector>

#include "slidemesh/algorithms/baseline_method.h"
#include "slidemesh/algorithms/mixing.h"
#include "slidemesh/linalg/compact_vector.h"

namespace slidemesh {

struct DefwOptions {
  int outer_steps = 100;
  Weights weights = Weights::kMetropolis;
  double laplacian_lambda_max = 0.0;     ///< for Weights::kLaplacian; 0: the degree bound
  std::optional<int> mixing_rounds = 1;  ///< of each of the two exchanges; none: ceil(log t + 1)
  bool tracking = true;                  ///< false: each step mixes its own gradients only
  std::optional<Count> batch;            ///< rows per node and step; none: exact gradients
  bool cap_batches = true;               ///< a batch that reaches a node's row count becomes a full pass
  std::uint64_t seed = 1;
  double oracle_share = 0.1;  ///< of γ_t: by what share a vertex may miss the least, where vertices are of rank one
};

/// Of each of the two exchanges of step t: as many as asked for, or ceil(log t + 1).
[[nodiscard]] int defw_mixing_rounds(const std::optional<int>& rounds, Count t);

/// DeFW, decentralized Frank-Wolfe. defw.cpp has the algorithm line by line.
class Defw final : public BaselineMethod {
 public:
  Defw(const Problem& problem, Network& network, const DefwOptions& options);

  [[nodiscard]] std::string_view name() const override { return "defw"; }
  void step() override;
  /// θ_{t+1}.
  [[nodiscard]] const Stacked& output() override { return theta_; }
  void visit_state(StateVisitor& visitor) override;

 private:
  /// x becomes x W^rounds.
  void mix(Stacked& x);
  /// tracked_ += fresh − last_gradient_, which becomes `fresh`.
  void track(Stacked& fresh);

  std::optional<int> mixing_rounds_;
  bool tracking_;
  MixingWeights w_;
  Stacked theta_, tracked_, exchanged_;
  std::vector<CompactVector> last_gradient_;  ///< one for each local node
};

}  // namespace slidemesh
