#pragma once

#include <string>
#include <vector>

#include "slidemesh/core/rows.h"
#include "slidemesh/data/feature_map.h"

namespace slidemesh {

/// What a reader knows of its table beside the rows; empty where a file has none.
struct TableFacts {
  std::vector<FeatureColumn> columns = {};    ///< what became of the columns
  std::string label = {};                     ///< the name of the label's column
  std::vector<std::string> label_words = {};  ///< of the classes, where labels were words
  std::vector<std::string> notes = {};        ///< for people: what was guessed when it was opened
  bool has_header = false;                    ///< the first line with something on it is not a row
};

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

  /// Whether every row has so many, so that no other part of the table can have more.
  [[nodiscard]] virtual bool has_fixed_width() const { return false; }
  /// Rows that were read so far, those that were only counted or surveyed among them.
  [[nodiscard]] virtual Count rows_read() const = 0;

  [[nodiscard]] virtual TableFacts facts() const { return {}; }
  [[nodiscard]] std::vector<std::string> feature_names() const { return slidemesh::feature_names(facts().columns); }

  /// What the rows that were read since the last call are called, where a column names them (data.id); empty: nothing.
  [[nodiscard]] virtual std::vector<std::string> take_ids() { return {}; }

  /// The file, for messages.
  [[nodiscard]] virtual const std::string& name() const = 0;
};

/// Reads at most `most` rows; memory that does not suffice is a DataError that says how many rows fitted.
void read_into_memory(RowReader& reader, Index most, Rows& rows);

/// Reads on to the end, or to `max_rows` rows (0: all). A table without a row or without a column is
/// a DataError.
[[nodiscard]] Rows read_all(RowReader& reader, Index max_rows = 0);

/// The most columns that a table may have: columns are numbered in 32 bits.
inline constexpr Index kMostFeatures = 2147483646;

}  // namespace slidemesh
