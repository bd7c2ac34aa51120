#pragma once

#include <cstdint>
#include <functional>

#include "slidemesh/data/partition.h"
#include "slidemesh/data/row_key.h"

namespace slidemesh {

/// Rows that are kept apart to judge a model by: those whose number in [0, 1), drawn from the seed and the row's key,
/// is in [from, to). So it does not matter how rows are dealt, or to how many nodes and processes.
struct HoldOut {
  double from = 0.0;
  double to = 0.0;
  std::uint64_t seed = 1;

  [[nodiscard]] bool is_empty() const { return !(to > from); }
  [[nodiscard]] bool takes(const RowKey& key) const;
};

/// What is left of each node's rows, and of every node that has any, those that are held out.
struct SplitPartition {
  Partition kept;
  Partition held_out;
};
/// `key` tells what the table's rows are called.
[[nodiscard]] SplitPartition hold_out_rows(const Partition& places, const HoldOut& rule,
                                           const std::function<RowKey(Index)>& key);

}  // namespace slidemesh
