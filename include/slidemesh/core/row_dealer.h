#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "slidemesh/core/rows.h"
#include "slidemesh/core/state.h"
#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// Deals a node's rows out from a permutation that is reshuffled when used up: sampling without replacement, a function
/// of (seed, node, epoch).
class RowDealer {
 public:
  RowDealer(std::uint64_t seed, Index node, Index rows) : seed_(seed), node_(node), rows_(rows) {}

  /// All rows are dealt from now on. Nothing happens where they are already.
  void deal_all();
  /// Only the first `count` rows of the permutation are dealt from now on, from the first of them.
  void deal_subset(Count count);

  /// The next `batch` rows, or as many as are dealt where those are fewer.
  void deal(Count batch, std::vector<Index>& rows);
  /// What `deal` would answer now; nothing where a reshuffle comes in between, since that is not known yet.
  void foresee(Count batch, std::vector<Index>& rows) const;
  /// The rows that are dealt, in the order of this epoch.
  [[nodiscard]] std::span<const RowNumber> dealt() const { return order_; }

  void visit_state(StateVisitor& visitor);

 private:
  void reshuffle();
  void require_sensible() const;

  std::uint64_t seed_;
  Index node_;
  Index rows_;
  std::vector<RowNumber> order_;  ///< a function of the numbers below; not part of the saved state
  Count subset_ = 0;              ///< how many of the permutation's rows are dealt; 0: all
  Count position_ = 0;
  Count epoch_ = 0;
};

}  // namespace slidemesh
