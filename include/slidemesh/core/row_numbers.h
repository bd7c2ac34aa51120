#pragma once

#include "slidemesh/core/rows.h"
#include "slidemesh/linalg/types.h"

namespace slidemesh {

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
    body(static_cast<Index>(block.columns[k]), block.values[k]);
  }
}

}  // namespace slidemesh
