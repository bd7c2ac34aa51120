#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "slidemesh/core/rows.h"
#include "slidemesh/data/partition.h"

namespace slidemesh {

/// One feature's numbers, zeros included.
struct ColumnSummary {
  Count nonzeros = 0;
  double low = 0.0;
  double high = 0.0;
};

/// What `slidemesh data inspect` says about a table.
struct TableSummary {
  Index rows = 0;
  Index features = 0;
  Count nonzeros = 0;
  double density = 0.0;
  bool stored_dense = false;

  Index distinct_labels = 0;                     ///< counted up to 1,000
  std::vector<std::pair<double, Count>> labels;  ///< the most frequent, at most 20
  double label_min = 0.0;
  double label_max = 0.0;

  double value_min = 0.0;  ///< over all entries, zeros included
  double value_max = 0.0;
  std::vector<ColumnSummary> columns;
  Index empty_features = 0;     ///< zero in every row
  Index constant_features = 0;  ///< one value in every row, not zero
  Index empty_rows = 0;
  double largest_row_norm = 0.0;

  /// lambda_max(A'A / n). A loss of curvature c has the smoothness constant c times this: 1/4 for
  /// logistic, 1 for least squares.
  double smoothness = 0.0;
};

/// Reads the table once (and for the smoothness as often as the eigenvalue takes).
[[nodiscard]] TableSummary inspect(RowSource& table);

/// How different nodes are under a split.
struct SplitSummary {
  SplitRule rule = SplitRule::kContiguous;
  Index smallest = 0;  ///< rows of a node
  Index largest = 0;
  double smoothness = 0.0;  ///< the largest of the nodes' lambda_max(A_i'A_i / n_i)
  /// With g_i = (1/n_i) sum b_j a_j, the descent direction of a linear model at 0, seen by node i:
  /// sqrt(mean |g_i - g|^2) / |g| for the mean g of the g_i. 0: nodes agree; above 1: they hardly do.
  double heterogeneity = 0.0;
  double lowest_label_mean = 0.0;  ///< of a node
  double highest_label_mean = 0.0;
};

[[nodiscard]] SplitSummary inspect_split(const std::vector<std::shared_ptr<RowSource>>& nodes, SplitRule rule);

}  // namespace slidemesh
