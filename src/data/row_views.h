#pragma once

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

/// body(column, value) for every stored number of a block's row.
template <class Body>
void for_each_number(const RowBlock& block, Index r, Body&& body) {
  const Index row = block.storage_row(r);
  if (block.offsets == nullptr) {
    for (Index j = 0; j < block.features; ++j) {
      body(j, block.values[row * block.features + j]);
    }
    return;
  }
  for (Index k = block.offsets[row]; k < block.offsets[row + 1]; ++k) {
    body(block.columns[k], block.values[k]);
  }
}

}  // namespace slidemesh
