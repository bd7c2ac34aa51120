#include "slidemesh/losses/matrix_completion.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "slidemesh/base/fail.h"

namespace slidemesh {

Rows entry_rows(Index matrix_rows, Index matrix_columns, std::span<const MatrixEntry> entries) {
  require<DataError>(matrix_rows >= 1 && matrix_columns >= 1 &&
                         matrix_columns <= std::numeric_limits<std::int32_t>::max() / matrix_rows,
                     "matrix", "at least 1 x 1 and at most 2^31 entries",
                     fmt::format("{} x {}", matrix_rows, matrix_columns));
  Rows rows;
  rows.features = matrix_rows * matrix_columns;
  rows.values.assign(entries.size(), 1.0);
  rows.offsets.push_back(0);
  for (const MatrixEntry& entry : entries) {
    const bool inside = entry.row >= 0 && entry.row < matrix_rows && entry.column >= 0 && entry.column < matrix_columns;
    if (!inside || !std::isfinite(entry.value)) {
      fail<DataError>(fmt::format("matrix entry {}", rows.columns.size()),
                      fmt::format("a finite value within {} x {}", matrix_rows, matrix_columns),
                      fmt::format("{} at ({}, {})", entry.value, entry.row, entry.column));
    }
    rows.labels.push_back(entry.value);
    rows.columns.push_back(static_cast<std::int32_t>(entry.column * matrix_rows + entry.row));
    rows.offsets.push_back(static_cast<std::int64_t>(rows.columns.size()));
  }
  return rows;
}

}  // namespace slidemesh
