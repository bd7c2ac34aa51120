#pragma once

#include "slidemesh/algorithms/dpg.h"

namespace slidemesh {

/// NIDS. nids.cpp has the algorithm line by line.
class Nids final : public BaselineMethod {
 public:
  Nids(const Problem& problem, Network& network, const ProjectedOptions& options);

  [[nodiscard]] std::string_view name() const override { return "nids"; }
  void step() override;
  /// x^k.
  [[nodiscard]] const Stacked& output() override { return x_; }
  void visit_state(StateVisitor& visitor) override;

 private:
  double alpha_;
  MixingWeights w_tilde_;
  Stacked x_, z_, last_x_, last_gradient_, gradient_, sent_, mixed_;
};

}  // namespace slidemesh
