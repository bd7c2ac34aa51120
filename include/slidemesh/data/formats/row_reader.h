#pragma once

#include <string>
#include <vector>

#include "slidemesh/core/rows.h"

namespace slidemesh {

/// Rows of a file, in its order, some at a time. Every reader gives the same form, whatever its file
/// looks like: sparse, columns ascending, numbers that are zero left out. So the same table read from
/// two formats is the same to the last bit.
class RowReader {
 public:
  virtual ~RowReader() = default;

  /// Appends at most `most` rows to `rows` and says how many; fewer only at the end of the file.
  virtual Index read(Index most, Rows& rows) = 0;

  /// Columns: what the file or the caller declared, else the largest seen so far.
  [[nodiscard]] virtual Index features() const = 0;

  /// Names of the columns, and of the classes where labels were words; empty where a file has none.
  [[nodiscard]] virtual std::vector<std::string> feature_names() const { return {}; }
  [[nodiscard]] virtual std::vector<std::string> label_names() const { return {}; }

  /// Whether the first line with something on it is not a row.
  [[nodiscard]] virtual bool has_header() const { return false; }

  /// The file, for messages.
  [[nodiscard]] virtual const std::string& name() const = 0;
};

/// Reads on to the end, or to `max_rows` rows (0: all). A table without a row or without a column is
/// a DataError.
[[nodiscard]] Rows read_all(RowReader& reader, Index max_rows = 0);

/// The most columns that a table may have: columns are numbered in 32 bits.
inline constexpr Index kMostFeatures = 2147483646;

}  // namespace slidemesh
