#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "slidemesh/core/data_oracle.h"
#include "slidemesh/core/row_dealer.h"
#include "slidemesh/core/state.h"
#include "slidemesh/linalg/kept_columns.h"
#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// Gradients from a snapshot of all rows, corrected by a few of them: the way to the data of a variance-reduced method
/// (SVRG, R. Johnson and T. Zhang 2013). Charged by the data oracle.
///
/// A node deals its rows out from a permutation. It keeps each row's derivative at the snapshot, so that a corrected
/// gradient evaluates a drawn row once. An objective that has no such derivatives is asked for a drawn row at both
/// points, and both are charged.
class VarianceReduction {
 public:
  /// Draws are a function of (seed, node).
  VarianceReduction(DataOracle& data, std::uint64_t seed);

  /// Gradients over all rows into v, and what `corrected_gradient` needs is kept. All rows are dealt from now on.
  void snapshot(const Stacked& x, Stacked& v);
  /// The same over the first rows[i] rows of node i's permutation alone: v_i is their mean gradient and
  /// only they are dealt, until the next `snapshot`.
  void subset_snapshot(const Stacked& x, std::span<const Count> rows, Stacked& v);

  /// A snapshot, node by node: where it was taken, and the gradient there.
  struct Snapshot {
    KeptColumns x;
    KeptColumns gradient;
  };

  /// v_i = snapshot gradient_i + (1/b_i) sum over b_i dealt rows of (gradient at x_i - gradient at the
  /// snapshot), b_i = batch[i]. variance(i) becomes the sample variance of one such difference: the
  /// mean of |difference - mean difference|^2, for a draw of one. b_i = 0 leaves the snapshot's gradient
  /// and asks for nothing. A node whose batch is all its rows takes a new snapshot for the same price.
  void corrected_gradient(const Stacked& x, std::span<const Count> batch, Snapshot& snapshot, Stacked& v,
                          Vector& variance);
  /// Tells the sources which rows a `corrected_gradient` of these batches would be dealt now. Changes no answer and
  /// is charged nothing. Rows beyond the next reshuffle are not known yet, and are not asked for.
  void prefetch(std::span<const Count> batch);

  /// Sets the snapshot aside, and makes the one set aside current again.
  void set_snapshot_aside();
  void return_to_snapshot();

  /// The snapshots and the place in each node's permutation.
  void visit_state(StateVisitor& visitor);

 private:
  struct Kept {
    std::vector<double> derivatives;  ///< at the snapshot; or the snapshot itself, for objectives without
    std::vector<double> aside;
  };

  void snapshot_at(Index local, const Stacked& x, Stacked& v);
  /// As LocalObjective::corrected_gradient; returns the sample variance.
  double correction(Index local, ConstVectorRef x, std::span<const Index> rows, VectorRef g);
  double correction_at_both_points(Index local, ConstVectorRef x, std::span<const Index> rows, VectorRef g);
  [[nodiscard]] LocalObjective& objective(Index local) { return data_.objective(local); }
  [[nodiscard]] bool keeps_derivatives(Index local) { return objective(local).derivative_count() > 0; }
  void require_sensible(Index local);

  DataOracle& data_;
  std::vector<Kept> kept_;
  std::vector<RowDealer> dealers_;
  std::vector<std::vector<Index>> drawn_;
};

}  // namespace slidemesh
