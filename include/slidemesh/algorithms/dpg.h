#pragma once

#include "slidemesh/algorithms/baseline_method.h"
#include "slidemesh/algorithms/mixing.h"

namespace slidemesh {

/// Of the methods that take gradient steps and project: DPG, PG-EXTRA and NIDS.
struct ProjectedOptions {
  int outer_steps = 100;
  Weights weights = Weights::kMetropolis;
  double laplacian_lambda_max = 0.0;  ///< for Weights::kLaplacian; 0: the degree bound
  std::optional<double> step;         ///< α; none: 1 / (L~ + mu), or a multiple of it that the method's file gives
  bool decaying = true;               ///< DPG alone: α / sqrt(t), or the same α every step
};

/// α of the options or of the problem; UsageError unless positive.
[[nodiscard]] double step_size(const Problem& problem, const ProjectedOptions& options);

/// DPG, decentralized projected gradient. dpg.cpp has the algorithm.
class Dpg final : public BaselineMethod {
 public:
  Dpg(const Problem& problem, Network& network, const ProjectedOptions& options);

  void step() override;
  /// θ_{t+1}.
  [[nodiscard]] const Stacked& output() override { return theta_; }
  void visit_state(StateVisitor& visitor) override;

 private:
  double alpha_;
  bool decaying_;
  MixingWeights w_;
  Stacked theta_, mixed_, gradient_;
};

}  // namespace slidemesh
