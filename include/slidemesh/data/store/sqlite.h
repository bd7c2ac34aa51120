#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "slidemesh/data/formats/row_reader.h"
#include "slidemesh/data/store/row_store.h"

namespace slidemesh {

/// Whether this build can read SQLite's files. Without it the functions below throw a UsageError.
[[nodiscard]] bool has_sqlite();

/// Rows that stay in a file of SQLite's: a database without a server. A full pass streams them; a sampled step fetches
/// its rows by key.
struct SqliteOptions {
  std::filesystem::path path = {};
  std::string table = {};       ///< a table or view; or
  std::string query = {};       ///< a SELECT
  std::string key = "id";       ///< a column without repeats, integers or text; rows are numbered in its order
  std::string label = "label";  ///< a column of numbers; empty: none, and labels are 0
  /// Columns of numbers, or one column of blobs that are arrays of doubles. Empty: every other column.
  std::vector<std::string> features = {};
  /// For sparse rows: a column of blobs that are arrays of 32-bit column numbers, from 1 and ascending.
  std::string indices = {};
  Index max_rows = 0;  ///< the first so many by key; 0: all
};

/// Opens the file, which is not written to, and passes over the rows once for keys, labels and density. The rows'
/// fingerprints are kept, so that a row that changes or goes is a DataError when it is looked at again.
[[nodiscard]] std::shared_ptr<RowStore> open_sqlite(const SqliteOptions& options);

struct SqliteLoadOptions {
  std::filesystem::path path = {};  ///< made if it is not there
  std::string table = {};
  bool replace = false;  ///< drop a table of that name first; otherwise one is an error
};

/// `slidemesh data load --sqlite FILE`: makes a table and fills it, in one transaction. Columns are id (from 1, in the
/// order of the file, or what the reader calls its rows), label, and the features by their names (or f1, f2, ...) where
/// rows are dense and at most 1,000 wide; wider ones are a blob `features`, sparse ones two, `indices` and `features`.
/// Gives back the number of rows.
Index load_sqlite(RowReader& reader, const SqliteLoadOptions& options);

}  // namespace slidemesh
