#pragma once

#include "slidemesh/core/row_numbers.h"
#include "slidemesh/core/rows.h"

namespace slidemesh {

/// All of some rows in memory.
inline RowBlock view_of(const Rows& rows) {
  RowBlock block;
  block.count = rows.count();
  block.features = rows.features;
  block.labels = rows.labels.data();
  block.values = rows.values.data();
  block.offsets = rows.is_sparse() ? rows.offsets.data() : nullptr;
  block.columns = rows.is_sparse() ? rows.columns.data() : nullptr;
  return block;
}

/// Empties `rows` for a new block.
inline void clear_rows(Rows& rows, Index features, bool sparse) {
  rows.features = features;
  rows.labels.clear();
  rows.values.clear();
  rows.columns.clear();
  rows.offsets.clear();
  if (sparse) {
    rows.offsets.push_back(0);
  }
}

}  // namespace slidemesh
