#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "slidemesh/core/network.h"
#include "slidemesh/core/problem.h"
#include "slidemesh/core/types.h"

namespace slidemesh {

/// The only way for an algorithm to its data. Every call is charged to the network's meters: one row,
/// one evaluation, one call. Nodes are worked on in parallel; sums over rows have a fixed order.
class DataOracle {
 public:
  DataOracle(const Problem& problem, Network& network, std::uint64_t seed);

  /// v_i = gradient of f~_i at x_i over all rows; the values f~_i(x_i) come with it.
  void gradient(const Stacked& x, Stacked& v);
  [[nodiscard]] const Vector& values() const { return values_; }

  /// v_i = mean gradient over `batch` rows drawn uniformly with replacement, the draws a function of
  /// (seed, node, step, draw). With `cap`, a node of at most `batch` rows takes all of them once
  /// instead, and is charged for that.
  void sampled_gradient(const Stacked& x, Count batch, int step, bool cap, Stacked& v);
  /// Tells the sources which rows a later `sampled_gradient` of these arguments will want, so that they
  /// can be on their way meanwhile. Changes no answer and is charged nothing.
  void prefetch(Count batch, int step, bool cap);

  /// Like `gradient`, and keeps each row's derivative for `corrected_gradient`.
  void snapshot(const Stacked& x, Stacked& v);
  /// v_i = snapshot gradient_i + (1/b) sum over b rows of (l'(x_i) - kept l') a: rows from a
  /// permutation of the node's rows that is dealt out in turn and reshuffled when used up.
  void corrected_gradient(const Stacked& x, const Stacked& snapshot_gradient, Count batch, Stacked& v);

  [[nodiscard]] Index rows(Index local) const { return problem_.objectives[static_cast<std::size_t>(local)]->rows(); }

  /// What a checkpoint must keep: the kept derivatives and the position in each node's permutation.
  struct Dealer {
    std::vector<double> derivatives;
    std::vector<Index> order;   ///< derivable from `epoch`; not part of the saved state
    Count position = 0;
    Count epoch = 0;
  };
  [[nodiscard]] std::vector<Dealer>& dealers() { return dealers_; }
  /// After a checkpoint was read: rebuilds each permutation from its epoch.
  void restore_dealers();

 private:
  void full_gradient(Index local, const Stacked& x, Stacked& v, std::span<double> derivatives);
  void charge(Index local, Count calls);
  /// The rows of a sampled gradient, into drawn_.
  std::vector<Index>& draw(Index local, Count batch, int step);
  void deal(Index local, Count batch, std::vector<Index>& rows);
  void reshuffle(Index local);

  const Problem& problem_;
  Network& network_;
  std::uint64_t seed_;
  Vector values_;
  std::vector<std::vector<Index>> drawn_;
  std::vector<Dealer> dealers_;
};

}  // namespace slidemesh
