#pragma once

#include <cstdint>
#include <vector>

#include "slidemesh/algorithms/vr_rules.h"
#include "slidemesh/core/data_oracle.h"
#include "slidemesh/core/variance_reduction.h"
#include "slidemesh/network/network.h"

namespace slidemesh {

/// The gradients of ipds-vr: those of a snapshot, corrected by a few rows,
///
///   vᵢ = ḡᵢ + (1/bᵢ) Σ over drawn rows j of (∇lⱼ(xᵢ) − ∇lⱼ(x̃ᵢ)),     x̃ᵢ the snapshot, ḡᵢ = ∇f̃ᵢ(x̃ᵢ),
///
/// with what a node knows of them: how they vary, and the values at the snapshot.
class SnapshotGradient {
 public:
  SnapshotGradient(const Problem& problem, Network& network, const VrParameters& parameters, std::uint64_t seed);
  SnapshotGradient(const SnapshotGradient&) = delete;
  SnapshotGradient& operator=(const SnapshotGradient&) = delete;

  /// Exact gradients, which become the snapshot.
  void take_all(const Stacked& x, Stacked& v);
  /// Over a part of the rows, which alone are dealt until the next `take_all`.
  void take_subset(const Stacked& x, Stacked& v);
  /// As above from the planned batches; a node that has not moved since the snapshot draws nothing.
  void draw(const Stacked& x, Stacked& v);
  /// Tells the sources which rows will be drawn next if those are as many as `draw` took.
  void prefetch() { reduction_.prefetch(draws_); }

  /// The rows that node `local` will draw next.
  void plan(Index local, Count batch) { batch_[static_cast<std::size_t>(local)] = batch; }
  void plan_all(Count batch) { batch_.assign(batch_.size(), batch); }
  [[nodiscard]] Count planned(Index local) const { return batch_[static_cast<std::size_t>(local)]; }
  /// The rows that it drew last.
  [[nodiscard]] Count drawn(Index local) const { return draws_[static_cast<std::size_t>(local)]; }

  [[nodiscard]] Count rows(Index local) const { return data_.rows(local); }
  [[nodiscard]] bool in_subset() const { return in_subset_; }
  void leave_subset() { in_subset_ = false; }
  /// All rows, or those of the subset.
  [[nodiscard]] Count dealt_rows(Index local) const;

  /// σᵢ² of one row's correction at x, κᵢ |x − x̃ᵢ|²: with derivatives that are Lipschitz it is at most in proportion to
  /// the squared distance from the snapshot. κᵢ is what draws have shown, and outlives snapshots.
  [[nodiscard]] double variance_at(Index local, ConstVectorRef x);
  /// The same where it drew last.
  [[nodiscard]] double variance(Index local) const { return variance_(local); }
  /// Whether any draw has shown κᵢ.
  [[nodiscard]] bool knows_variance(Index local) const { return seen_(local) > 0.0; }
  /// Of f~ at the snapshot.
  [[nodiscard]] const Vector& values() const { return values_; }
  /// How curved each node's function is between the last snapshot of all rows and the one before: 1 x local nodes.
  [[nodiscard]] const Matrix& observed_smoothness() const { return observed_; }
  [[nodiscard]] Count snapshots() const { return snapshots_; }
  [[nodiscard]] Count steps_since_snapshot() const { return since_snapshot_; }

  /// Sets the snapshot aside, to come back to it with its gradient and values.
  void set_aside() { reduction_.set_snapshot_aside(); }
  void return_to(const KeptColumns& x, const KeptColumns& gradient, const Vector& values, bool was_set_aside);

  void visit_state(StateVisitor& visitor);

 private:
  [[nodiscard]] double squared_move(Index local, ConstVectorRef x);
  void learn_variance(Index local, ConstVectorRef x);

  VrParameters p_;
  DataOracle data_;
  VarianceReduction reduction_;
  VarianceReduction::Snapshot snapshot_;
  Matrix observed_;  ///< not part of the saved state
  Vector variance_, drawn_variance_, values_;
  Vector ratio_, seen_;                ///< κᵢ, and how many rows have shown it
  Vector x_before_, gradient_before_;  ///< a node's snapshot, for a moment
  std::vector<Count> batch_, draws_;
  bool in_subset_ = true;
  Count snapshots_ = 0;
  Count since_snapshot_ = 0;
};

}  // namespace slidemesh
