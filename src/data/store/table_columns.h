#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "slidemesh/base/text.h"
#include "slidemesh/data/store/streamed.h"

namespace slidemesh {

inline constexpr Index kMostTableColumns = 1000;

/// The columns that a database's table for these rows has beside id and label: the features by their names, or f1, f2,
/// ... where names are none or would not do; one array where rows are wider than a table may be; two where they are
/// sparse.
inline std::vector<std::string> table_columns(const StoredRows& rows, std::vector<std::string> names) {
  constexpr std::size_t kLongestName = 63;
  if (rows.is_sparse()) {
    return {"indices", "features"};
  }
  if (rows.features() > kMostTableColumns) {
    return {"features"};
  }
  std::set<std::string> taken = {"id", "label"};
  const bool usable =
      static_cast<Index>(names.size()) == rows.features() &&
      std::all_of(names.begin(), names.end(), [&](const std::string& name) {
        return !name.empty() && name.size() <= kLongestName && taken.insert(text::lower_case(name)).second;
      });
  if (!usable) {
    names.clear();
    for (Index j = 1; j <= rows.features(); ++j) {
      names.push_back(std::string("f").append(std::to_string(j)));
    }
  }
  return names;
}

/// What a database keeps of a sparse row, which has `number` in its table: column numbers from 1, and values.
struct SparseRow {
  std::vector<std::int32_t> indices;
  std::vector<double> values;
};

inline SparseRow sparse_row(const Rows& block, Index r, Index number) {
  const auto begin = block.offsets[static_cast<std::size_t>(r)];
  const auto end = block.offsets[static_cast<std::size_t>(r) + 1];
  SparseRow row{{block.columns.begin() + begin, block.columns.begin() + end},
                {block.values.begin() + begin, block.values.begin() + end}};
  // The first row spells out a zero in the last column, so that the table knows its width.
  if (number == 0 && (row.indices.empty() || row.indices.back() + 1 < block.features)) {
    row.indices.push_back(static_cast<std::int32_t>(block.features - 1));
    row.values.push_back(0.0);
  }
  for (std::int32_t& index : row.indices) {
    ++index;
  }
  return row;
}

}  // namespace slidemesh
