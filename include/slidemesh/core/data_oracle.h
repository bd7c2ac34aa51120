#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "slidemesh/core/meters.h"
#include "slidemesh/core/problem.h"
#include "slidemesh/core/state.h"
#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// The only way for an algorithm to its data. Every call is charged to `meters`: one row,
/// one evaluation, one call. Nodes are worked on in parallel; sums over rows have a fixed order.
class DataOracle {
 public:
  /// The local nodes are `first_node` and those that follow it.
  DataOracle(const Problem& problem, Meters& meters, Index first_node, std::uint64_t seed);

  /// v_i = gradient of f~_i at x_i over all rows; the values f~_i(x_i) come with it.
  void gradient(const Stacked& x, Stacked& v);
  [[nodiscard]] const Vector& values() const { return values_; }

  /// v_i = mean gradient over `batch` rows drawn uniformly with replacement, the draws a function of
  /// (seed, node, step, draw). With `cap`, a node of at most `batch` rows takes all of them once
  /// instead, and is charged for that.
  void sampled_gradient(const Stacked& x, Count batch, int step, bool cap, Stacked& v);
  /// The batch of a step.
  using BatchOf = std::function<Count(int)>;
  /// Tells the sources which rows the `sampled_gradient` of step `next` will want, so that they can be on their
  /// way meanwhile, and with them those of further steps up to `last` while that makes no more than kReadAhead rows
  /// a node: small batches would each wait for a round trip. Changes no answer and is charged nothing.
  void prefetch(const BatchOf& batch, int next, int last, bool cap);
  static constexpr std::size_t kReadAhead = 32;

  // ---- touching: rows and their predictions, for methods that keep a model of every row ----

  /// Shows node `local`'s given rows with their predictions at x (see LocalObjective::touch), and charges for them.
  void touch(Index local, ConstVectorRef x, std::span<const Index> rows, const LocalObjective::TouchVisit& visit);
  /// A hint that `touch` will want these rows next. Changes no answer and is charged nothing.
  void prefetch_touch(Index local, std::span<const Index> rows);

  // ---- variance reduction: a snapshot, and gradients corrected from it by a few rows ----
  //
  // A node deals its rows out from a permutation that is reshuffled when used up. It keeps each row's
  // derivative at the snapshot, so that a corrected gradient evaluates a drawn row once. An objective
  // that has no such derivatives is asked for a drawn row at both points, and both are charged.

  /// Like `gradient`, and keeps what `corrected_gradient` needs. All rows are dealt from now on.
  void snapshot(const Stacked& x, Stacked& v);
  /// The same over the first rows[i] rows of node i's permutation alone: v_i is their mean gradient and
  /// only they are dealt, until the next `snapshot`.
  void subset_snapshot(const Stacked& x, std::span<const Count> rows, Stacked& v);

  /// A snapshot, node by node: where it was taken, and the gradient there.
  struct Snapshot {
    Stacked x;
    Stacked gradient;
  };

  /// v_i = snapshot gradient_i + (1/b_i) sum over b_i dealt rows of (gradient at x_i - gradient at the
  /// snapshot), b_i = batch[i]. variance(i) becomes the sample variance of one such difference: the
  /// mean of |difference - mean difference|^2, for a draw of one. b_i = 0 leaves the snapshot's gradient
  /// and asks for nothing. A node whose batch is all its rows takes a new snapshot for the same price.
  void corrected_gradient(const Stacked& x, std::span<const Count> batch, Snapshot& snapshot, Stacked& v,
                          Vector& variance);
  /// Tells the sources which rows a `corrected_gradient` of these batches would be dealt now. Changes no answer and
  /// is charged nothing. Rows beyond the next reshuffle are not known yet, and are not asked for.
  void prefetch_correction(std::span<const Count> batch);

  /// Sets the snapshot aside, and makes the one set aside current again.
  void set_snapshot_aside();
  void return_to_snapshot();

  [[nodiscard]] Index nodes() const { return static_cast<Index>(meters_.node.size()); }
  [[nodiscard]] Index rows(Index local) const { return problem_.objectives[static_cast<std::size_t>(local)]->rows(); }

  /// The snapshots and the position in each node's permutation. Not visited by methods that use none.
  void visit_state(StateVisitor& visitor);

 private:
  struct Dealer {
    std::vector<double> derivatives;  ///< at the snapshot; or the snapshot itself, for objectives without
    std::vector<double> aside;
    std::vector<Index> order;  ///< a function of the numbers below; not part of the saved state
    Count dealt_rows = 0;      ///< how many of the permutation's rows are dealt; 0: all
    Count position = 0;
    Count epoch = 0;
  };

  void full_gradient(Index local, const Stacked& x, Stacked& v, std::span<double> derivatives);
  void snapshot_at(Index local, const Stacked& x, Stacked& v);
  /// As LocalObjective::corrected_gradient; returns the sample variance.
  double correction(Index local, ConstVectorRef x, std::span<const Index> rows, VectorRef g);
  double correction_at_both_points(Index local, ConstVectorRef x, std::span<const Index> rows, VectorRef g);
  [[nodiscard]] bool keeps_derivatives(Index local) const;
  [[nodiscard]] bool gains_from_prefetch(Index local) const;
  void charge(Index local, Count calls);
  void deal_all(Index local);
  /// Appends the rows of a sampled gradient.
  void draw(Index local, Count batch, int step, std::vector<Index>& rows) const;
  void deal(Index local, Count batch, std::vector<Index>& rows);
  void reshuffle(Index local);
  void require_sensible(Index local) const;

  const Problem& problem_;
  Meters& meters_;
  Index first_node_;
  std::uint64_t seed_;
  Vector values_;
  std::vector<std::vector<Index>> drawn_;
  std::vector<int> ahead_until_;  ///< the last step whose rows a node has been told to ask for
  std::vector<Dealer> dealers_;
};

}  // namespace slidemesh
