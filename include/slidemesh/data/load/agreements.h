#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "slidemesh/core/rows.h"
#include "slidemesh/data/column_range.h"
#include "slidemesh/data/feature_map.h"
#include "slidemesh/data/preparation.h"
#include "slidemesh/data/store/row_store.h"
#include "slidemesh/network/network.h"

namespace slidemesh {

// What nodes agree on before a run. All of it goes from neighbour to neighbour over the network, whose meters charge
// it. No row leaves its node.

/// What is noticed of the columns of a node's rows as they pass by.
class ColumnWatch {
 public:
  /// `node` is its number among all.
  ColumnWatch(Index features, Index node);

  /// A block of rows, `first` the number of its first at the node.
  void add(const RowBlock& block, Index first);

  [[nodiscard]] Index columns() const { return static_cast<Index>(columns_.size()); }
  [[nodiscard]] double lowest(Index j) const { return column(j).range.lowest(rows_); }  ///< zeros included
  [[nodiscard]] double highest(Index j) const { return column(j).range.highest(rows_); }
  /// A number that is the same for columns that are the same, and hardly ever else.
  [[nodiscard]] double fingerprint(Index j) const;

 private:
  struct Column {
    ColumnRange range;
    std::uint64_t fingerprint = 0;
  };
  [[nodiscard]] const Column& column(Index j) const { return columns_[static_cast<std::size_t>(j)]; }

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

/// The different labels of all nodes, ascending, from those of the nodes of this process: one agreement over the
/// network for each. No more than one beyond what `kind` allows: that is enough to refuse them (make_label_map).
[[nodiscard]] std::vector<double> agree_on_classes(std::span<const double> labels, LabelKind kind, Network& network);

/// Parts of one table get its shape: the largest width, and dense rows where that is faster for the whole. Parts of a
/// fixed width that differ in it are a DataError; `where` names the data in it. Four numbers per node.
void agree_on_shape(std::span<const std::shared_ptr<RowStore>> parts, Network& network, const std::string& where);

/// Each node passes over its own rows (max-abs once, standard twice; purpose "preparation"), and all
/// agree on the result by max- or sum-consensus over the network. The first of its passes shows the rows to `watches`,
/// one per node, if there are any.
[[nodiscard]] Preparation agree_preparation(std::span<const std::shared_ptr<RowSource>> local_nodes, Network& network,
                                            const PreparationOptions& options, std::span<ColumnWatch> watches = {});

}  // namespace slidemesh
