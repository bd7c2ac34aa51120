#pragma once

#include <memory>

#include "slidemesh/data/formats/row_reader.h"
#include "slidemesh/data/store/database.h"
#include "slidemesh/data/store/row_store.h"

namespace slidemesh {

/// Whether this build can read SQLite's files. Without it the functions below throw a UsageError.
[[nodiscard]] bool has_sqlite();

/// Rows that stay in a file of SQLite's: a database without a server. A full pass streams them; a sampled step fetches
/// its rows by key.
///
/// Opens the file, which is not written to, and passes over the rows once for keys, labels and density. The rows'
/// fingerprints are kept, so that a row that changes or goes is a DataError when it is looked at again.
[[nodiscard]] std::shared_ptr<RowStore> open_sqlite(const DatabaseOptions& options);

/// Gives back the number of rows.
Index load_sqlite(RowReader& reader, const TableLoadOptions& options);

}  // namespace slidemesh
