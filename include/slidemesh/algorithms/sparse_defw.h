#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "slidemesh/algorithms/defw.h"
#include "slidemesh/core/own_columns.h"
#include "slidemesh/linalg/compact_stacked.h"
#include "slidemesh/linalg/sparse_vector.h"

namespace slidemesh {

/// DeFW for wide rows over sets whose vertices are sparse: the steps of Defw to the last bit, with time and memory that
/// follow the numbers that are not zero. sparse_defw.cpp says how.
class SparseDefw final : public BaselineMethod {
 public:
  /// Whether it takes such problems, and whether there is something to gain.
  [[nodiscard]] static bool fits(const Problem& problem, const Network& network, const DefwOptions& options);
  static constexpr Index kFewestColumns = 2000;

  /// Of a problem and options that `can_take` says yes to.
  SparseDefw(const Problem& problem, Network& network, const DefwOptions& options);
  [[nodiscard]] static bool can_take(const Problem& problem, const Network& network, const DefwOptions& options);

  void step() override;
  /// θ_{t+1}, with all its zeros.
  [[nodiscard]] const Stacked& output() override;
  [[nodiscard]] const CompactStacked* compact_output() override { return &theta_; }
  void visit_state(StateVisitor& visitor) override;

  /// How many numbers it keeps of iterates, tracked gradients and gradients, at all nodes.
  [[nodiscard]] Count numbers_kept() const;

 private:
  struct Node {
    std::shared_ptr<OwnColumns> columns;
    std::unique_ptr<LocalObjective> objective;  ///< over these columns
    std::vector<Index> row;                     ///< of each of them in tracked_
    Vector x, fresh, last;                      ///< θ̄, its gradient and the one before, at these columns
    SparseVector resumed;                       ///< the last gradient, until the columns are known
    SparseVector vertex;
  };

  void gradients();
  void first_gradient(Index i);
  void gradient_at_own_columns(Index i);
  void use_columns();
  void track();
  void find_vertices();
  void move(double gamma);
  void mix(CompactStacked& x);
  void visit_last_gradient(StateVisitor& visitor, Node& node) const;

  std::optional<int> mixing_rounds_;
  MixingWeights w_;
  CompactStacked theta_, tracked_;
  std::vector<Node> nodes_;
  bool knows_columns_ = false;
  Stacked whole_;  ///< θ_{t+1}, where somebody asked for all of it
};

}  // namespace slidemesh
