#pragma once

#include <memory>
#include <string>

#include "slidemesh/base/errors.h"
#include "slidemesh/data/formats/row_reader.h"
#include "slidemesh/data/store/database.h"
#include "slidemesh/data/store/row_store.h"

namespace slidemesh {

/// Whether this build can talk to PostgreSQL. Without it the functions below throw a UsageError.
[[nodiscard]] bool has_postgres();

/// The server went away and stayed away for `retry_seconds`. A run that catches this saves its state.
class SourceLostError : public Error {
 public:
  explicit SourceLostError(const std::string& message) : Error(ErrorKind::kStopped, message) {}
};

/// Rows that stay at a server. A full pass streams them; a sampled step fetches its rows by key in one round trip.
///
/// Connects, and reads keys and labels of the table of `node`: who its rows are and what their labels are, not what is
/// in them. The rows' fingerprints are kept as they are seen, so that a row that changes or goes between two looks at
/// it is a DataError.
[[nodiscard]] std::shared_ptr<RowStore> open_postgres(const DatabaseOptions& options, Index node = 0);

/// Whether nodes have tables of their own: several connection strings, or `{node}` in one or in `table`.
[[nodiscard]] bool has_table_per_node(const DatabaseOptions& options);

/// A connection string that can be shown: without passwords, or "(not shown)" if it cannot be read.
[[nodiscard]] std::string without_credentials(const std::string& dsn);

/// Fills the table with COPY. Gives back the number of rows.
Index load_postgres(RowReader& reader, const TableLoadOptions& options);

}  // namespace slidemesh
