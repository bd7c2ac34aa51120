#pragma once

#include <algorithm>
#include <cstdint>

#include "slidemesh/base/random.h"
#include "slidemesh/core/rows.h"

namespace slidemesh::testing {

/// Random sparse rows of about 5 % density with labels -1 and +1; row 3 is empty.
inline Rows sparse_table(Index rows, Index features, std::uint64_t seed = 1) {
  RandomStream random(seed, Purpose::kTest);
  Rows table;
  table.features = features;
  table.offsets.push_back(0);
  for (Index r = 0; r < rows; ++r) {
    table.labels.push_back(random.unit() < 0.5 ? -1.0 : 1.0);
    for (Index j = 0; j < features; ++j) {
      if (r != 3 && random.unit() < 0.05) {
        table.columns.push_back(static_cast<std::int32_t>(j));
        table.values.push_back(random.uniform(-2.0, 2.0));
      }
    }
    table.offsets.push_back(static_cast<std::int64_t>(table.values.size()));
  }
  return table;
}

/// A block as dense rows that own their numbers.
inline Rows copy_of(const RowBlock& block) {
  Rows out;
  out.features = block.features;
  for (Index r = 0; r < block.count; ++r) {
    const Index at = block.storage_row(r);
    out.labels.push_back(block.label(r));
    const std::size_t row = out.values.size();
    out.values.resize(row + static_cast<std::size_t>(block.features), 0.0);
    if (block.offsets == nullptr) {
      std::copy_n(block.values + at * block.features, block.features, out.values.begin() + static_cast<Index>(row));
    } else {
      for (Index k = block.offsets[at]; k < block.offsets[at + 1]; ++k) {
        out.values[row + static_cast<std::size_t>(block.columns[k])] = block.values[k];
      }
    }
  }
  return out;
}

/// All rows of a source, dense.
inline Rows collect(RowSource& source, AccessPurpose purpose = AccessPurpose::kValue) {
  Rows all;
  all.features = source.features();
  source.scan(purpose, [&](const RowBlock& block, Index) {
    const Rows piece = copy_of(block);
    all.labels.insert(all.labels.end(), piece.labels.begin(), piece.labels.end());
    all.values.insert(all.values.end(), piece.values.begin(), piece.values.end());
  });
  return all;
}

}  // namespace slidemesh::testing
