#pragma once

#include "slidemesh/network/network.h"

namespace slidemesh {

/// All nodes in this process. Nothing is copied: a neighbour's column is read where it lies.
class InProcessNetwork final : public Network {
 public:
  explicit InProcessNetwork(const Graph& graph);

  [[nodiscard]] double control_sum(ConstVectorRef per_local_node) override;
  [[nodiscard]] double control_max(ConstVectorRef per_local_node) override;
  void control_mean(const Stacked& x, Vector& mean) override;
  [[nodiscard]] MeterTotals control_totals() override { return meters().totals(); }
  [[nodiscard]] std::vector<NodeMeters> control_node_meters() override { return meters().node; }
  void control_gather(const Stacked& x, Stacked& all) override { all = x; }
  [[nodiscard]] bool control_any(bool here) override { return here; }
  [[nodiscard]] double control_from_root(double here) override { return here; }

 protected:
  void start_exchange(const Stacked& x, Traffic traffic) override;
  void finish_exchange() override {}
  [[nodiscard]] const double* column(Index node) const override { return columns_ + node * dimension_; }
  Vector reduce_over_tree(const Matrix& values, Reduction reduction) override;

 private:
  const double* columns_ = nullptr;
  Index dimension_ = 0;
};

}  // namespace slidemesh
