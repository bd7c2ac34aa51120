#pragma once

#include "slidemesh/algorithms/dpg.h"

namespace slidemesh {

/// PG-EXTRA. pg_extra.cpp has the algorithm line by line.
class PgExtra final : public BaselineMethod {
 public:
  PgExtra(const Problem& problem, Network& network, const ProjectedOptions& options);

  [[nodiscard]] std::string_view name() const override { return "pg-extra"; }
  void step() override;
  /// x^k.
  [[nodiscard]] const Stacked& output() override { return x_; }
  void visit_state(StateVisitor& visitor) override;

 private:
  double alpha_;
  MixingWeights w_;
  Stacked x_, half_, last_x_, last_mixed_, last_gradient_, mixed_, gradient_;
};

}  // namespace slidemesh
