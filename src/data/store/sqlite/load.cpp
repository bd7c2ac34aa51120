#include <fmt/format.h>

#include <algorithm>

#include "slidemesh/base/fail.h"
#include "slidemesh/data/store/sqlite.h"

#ifdef SLIDEMESH_SQLITE

#include "../table_columns.h"
#include "handles.h"
#include "slidemesh/data/store/streamed.h"

namespace slidemesh {
namespace sqlite {
namespace {

void insert_row(const Statement& insert, const Rows& block, Index r, Index number, Index features, bool as_columns) {
  insert.bind(2, block.labels[static_cast<std::size_t>(r)]);
  if (!block.is_sparse()) {
    const auto values =
        std::span(block.values).subspan(static_cast<std::size_t>(r * features), static_cast<std::size_t>(features));
    if (!as_columns) {
      insert.bind(3, std::as_bytes(std::span(values)));
    }
    for (std::size_t j = 0; as_columns && j < values.size(); ++j) {
      insert.bind(static_cast<int>(j) + 3, values[j]);
    }
  } else {
    const SparseRow row = sparse_row(block, r, number);
    insert.bind(3, std::as_bytes(std::span(row.indices)));
    insert.bind(4, std::as_bytes(std::span(row.values)));
  }
  (void)insert.step();
}

}  // namespace
}  // namespace sqlite

Index load_sqlite(RowReader& reader, const TableLoadOptions& options) {
  require<UsageError>(!options.table.empty(), "data.table", "the name of a table to make", "nothing");
  const StoredRows rows(reader);
  const sqlite::Database database(options.path, sqlite::Database::Mode::kWrite);
  const std::string table = sqlite::quoted(options.table);
  const std::vector<std::string> names = table_columns(rows, reader.feature_names());
  const bool as_columns = !rows.is_sparse() && static_cast<Index>(names.size()) == rows.features();
  const std::vector<std::string> ids = reader.take_ids();
  std::string columns = std::string("id ") + (ids.empty() ? "INTEGER PRIMARY KEY" : "TEXT PRIMARY KEY NOT NULL") +
                        ", label REAL NOT NULL";
  std::string places = "?, ?";
  for (const std::string& name : names) {
    columns += ", " + sqlite::quoted(name) + (as_columns ? " REAL NOT NULL" : " BLOB NOT NULL");
    places += ", ?";
  }
  database.execute("BEGIN IMMEDIATE");
  const sqlite::Statement there(database, "SELECT 1 FROM sqlite_master WHERE name = ?1");
  there.bind(1, std::string_view(options.table));
  require<DataError>(options.replace || !there.step(), options.path.string(),
                     fmt::format("no table called '{}'", options.table), "one (--replace drops it first)");
  there.reset();
  database.execute("DROP TABLE IF EXISTS " + table);
  database.execute("CREATE TABLE " + table + " (" + columns + ")");
  const sqlite::Statement insert(database, "INSERT INTO " + table + " VALUES (" + places + ")");
  Rows block;
  for (Index first = 0; first < rows.rows(); first += block.count()) {
    rows.read(first, std::min(kBlockRows, rows.rows() - first), block);
    for (Index r = 0; r < block.count(); ++r) {
      insert.reset();
      if (ids.empty()) {
        insert.bind(1, static_cast<std::int64_t>(first + r + 1));
      } else {
        insert.bind(1, std::string_view(ids[static_cast<std::size_t>(first + r)]));
      }
      sqlite::insert_row(insert, block, r, first + r, rows.features(), as_columns);
    }
  }
  insert.reset();
  database.execute("COMMIT");
  return rows.rows();
}

}  // namespace slidemesh

#else

namespace slidemesh {
namespace {
[[noreturn]] void fail() {
  slidemesh::fail<UsageError>(
      "data.source", "a build with SQLite for \"sqlite\"",
      "one without; install libsqlite3-dev (Debian), configure with -DSLIDEMESH_SQLITE=ON and build again");
}
}  // namespace

bool has_sqlite() { return false; }
std::shared_ptr<RowStore> open_sqlite(const DatabaseOptions& /*options*/) { fail(); }
Index load_sqlite(RowReader& /*reader*/, const TableLoadOptions& /*options*/) { fail(); }

}  // namespace slidemesh

#endif  // SLIDEMESH_SQLITE
