#pragma once

#include <span>
#include <string>
#include <vector>

#include "slidemesh/core/rows.h"
#include "slidemesh/data/preparation.h"
#include "slidemesh/network/network.h"

namespace slidemesh {

/// What is noticed of the columns of a node's rows as they pass by.
class ColumnWatch {
 public:
  /// `node` is its number among all.
  ColumnWatch(Index features, Index node);

  /// A block of rows, `first` the number of its first at the node.
  void add(const RowBlock& block, Index first);

  [[nodiscard]] Vector lowest() const;  ///< zeros included
  [[nodiscard]] Vector highest() const;
  /// Numbers that are the same for columns that are the same, and hardly ever else.
  [[nodiscard]] Vector fingerprints() const;

 private:
  struct Column {
    double low = 0.0;
    double high = 0.0;
    Count nonzeros = 0;
    std::uint64_t fingerprint = 0;
  };
  Index node_;
  Count rows_ = 0;
  std::vector<Column> columns_;
};

/// Wider tables are not looked at: what follows is a few numbers per column over the network.
inline constexpr Index kMostColumnsWatched = 10'000;

/// What a user should know of the columns of all nodes' rows together: constant ones, two that are the same, numbers of
/// a time stamp's size, scales that are far apart; each with the key of [data] that mends it. Three numbers per column
/// are agreed over the network: the largest, the smallest, a sum of fingerprints. `names` may be empty.
[[nodiscard]] std::vector<std::string> agree_on_column_notes(std::span<const ColumnWatch> local_nodes, Network& network,
                                                             std::span<const std::string> names,
                                                             const PreparationOptions& preparation);

}  // namespace slidemesh
