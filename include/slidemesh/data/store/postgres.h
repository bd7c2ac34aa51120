#pragma once

#include <memory>
#include <string>
#include <vector>

#include "slidemesh/base/errors.h"
#include "slidemesh/data/formats/row_reader.h"
#include "slidemesh/data/store/row_store.h"

namespace slidemesh {

/// Whether this build can talk to PostgreSQL. Without it the functions below throw a UsageError.
[[nodiscard]] bool has_postgres();

/// The server went away and stayed away for `retry_seconds`. A run that catches this saves its state.
class SourceLostError : public Error {
 public:
  explicit SourceLostError(const std::string& message) : Error(ErrorKind::kStopped, message) {}
};

/// Rows that stay in a database. A full pass streams them; a sampled step fetches its rows by key in
/// one round trip.
struct PostgresOptions {
  /// libpq's connection strings or URIs: one for all nodes, or one per node. `{node}` becomes the node's
  /// number, here and in `table`. Empty: the PG* variables. Passwords never appear in messages.
  std::vector<std::string> dsn = {};
  std::string table = {};       ///< a table or view, perhaps with its schema before a dot; or
  std::string query = {};       ///< a SELECT, run in read-only transactions
  std::string key = "id";       ///< a column without repeats, integers or text; rows are numbered in its order
  std::string label = "label";  ///< a column of numbers; empty: none, and labels are 0
  /// Columns of numbers, or one column that is an array of them. Empty: every other column.
  std::vector<std::string> features = {};
  /// For sparse rows: an array of column numbers, from 1 and ascending, beside one of values.
  std::string indices = {};
  Index max_rows = 0;           ///< the first so many by key; 0: all
  double retry_seconds = 30.0;  ///< how long a server may be gone
};

/// Connects, and reads keys and labels of the table of `node`: who its rows are and what their labels are, not what is
/// in them. The rows' fingerprints are kept as they are seen, so that a row that changes or goes between two looks at
/// it is a DataError.
[[nodiscard]] std::shared_ptr<RowStore> open_postgres(const PostgresOptions& options, Index node = 0);

/// Whether nodes have tables of their own: several connection strings, or `{node}` in one or in `table`.
[[nodiscard]] bool has_table_per_node(const PostgresOptions& options);

/// A connection string that can be shown: without passwords, or "(not shown)" if it cannot be read.
[[nodiscard]] std::string without_credentials(const std::string& dsn);

struct PostgresLoadOptions {
  std::string dsn = {};
  std::string table = {};
  bool replace = false;  ///< drop a table of that name first; otherwise one is an error
};

/// `slidemesh data load`: makes a table and fills it with COPY, in one transaction. Columns are id
/// (from 1, in the order of the file, or what the reader calls its rows), label, and f1, f2, ... where rows are dense
/// and at most 1,000 wide; wider ones are an array `features`, sparse ones two arrays `indices` and `features`. Gives
/// back the number of rows.
Index load_postgres(RowReader& reader, const PostgresLoadOptions& options);

}  // namespace slidemesh
