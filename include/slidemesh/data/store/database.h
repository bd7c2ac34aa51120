#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// Which rows of a database, and which of their columns: of an SQLite file, or of a PostgreSQL server.
struct DatabaseOptions {
  std::filesystem::path path = {};  ///< the file
  /// The server: libpq's connection strings or URIs, one for all nodes or one per node. `{node}` becomes the node's
  /// number, here and in `table`. Empty: the PG* variables. Passwords never appear in messages.
  std::vector<std::string> dsn = {};
  std::string table = {};       ///< a table or view, of a server perhaps with its schema before a dot; or
  std::string query = {};       ///< a SELECT, run in read-only transactions
  std::string key = "id";       ///< a column without repeats, integers or text; rows are numbered in its order
  std::string label = "label";  ///< a column of numbers; empty: none, and labels are 0
  /// Columns of numbers, or one column that is an array of them (in a file, a blob of doubles). Empty: every other
  /// column.
  std::vector<std::string> features = {};
  /// For sparse rows: an array of column numbers (in a file, a blob of 32-bit ones), from 1 and ascending, beside one
  /// of values.
  std::string indices = {};
  Index max_rows = 0;           ///< the first so many by key; 0: all
  double retry_seconds = 30.0;  ///< how long a server may be gone
};

/// `slidemesh data load`: a table to be made of a file's rows, in one transaction. Its columns are id (from 1, in the
/// order of the file, or what the reader calls its rows), label, and the features by their names (or f1, f2, ...) where
/// rows are dense and at most 1,000 wide; wider ones are an array `features`, sparse ones two arrays `indices` and
/// `features`.
struct TableLoadOptions {
  std::filesystem::path path = {};  ///< the file, which is made if it is not there
  std::string dsn = {};             ///< the server
  std::string table = {};
  bool replace = false;  ///< drop a table of that name first; otherwise one is an error
};

}  // namespace slidemesh
