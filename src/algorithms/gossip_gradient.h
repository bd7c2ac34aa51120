#pragma once

#include "baseline_keys.h"

namespace slidemesh {

/// What methods of gradient steps, rounds of gossip and one projection per step have in common.
class GossipGradient : public BaselineMethod {
 public:
  using Options = BaselineOptions;

  [[nodiscard]] const Stacked& output() override { return x_; }

 protected:
  GossipGradient(std::string_view name, const Problem& problem, Network& network, const Options& options,
                 Sets sets = Sets::kCommon)
      : BaselineMethod(name, problem, network, options.outer_steps, {}, sets),
        alpha_(step_size(problem, options)),
        w_(mixing_weights(network.graph(), options.weights, options.laplacian_lambda_max)),
        x_(start()) {
    require_projection();
    uses_smoothness_ = !options.step;
    mixed_ = gradient_ = zero();
  }

  double alpha_;  ///< the step size
  MixingWeights w_;
  Stacked x_;  ///< the iterates
  Stacked mixed_, gradient_;
};

}  // namespace slidemesh
