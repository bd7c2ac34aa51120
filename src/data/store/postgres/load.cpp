#ifdef SLIDEMESH_POSTGRES

#include <algorithm>

#include "../table_columns.h"
#include "connection.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/data/store/postgres.h"
#include "slidemesh/data/store/streamed.h"

namespace slidemesh {
namespace postgres {
namespace {

constexpr std::size_t kSendBytes = std::size_t{1} << 18U;
constexpr std::int32_t kFloat8 = 701;
constexpr std::int32_t kInt4 = 23;

/// Rows in the binary form of COPY.
class CopyWriter {
 public:
  /// `ids` are what rows are called; empty: 1, 2, ...
  CopyWriter(PGconn* session, const StoredRows& rows, const std::vector<std::string>& ids)
      : session_(session), rows_(rows), ids_(ids) {
    out_.assign("PGCOPY\n\377\r\n\0", 11);
    write_int32(out_, 0);
    write_int32(out_, 0);
  }

  /// False if the server no longer listens.
  bool write() {
    Rows block;
    for (Index first = 0; first < rows_.rows(); first += block.count()) {
      rows_.read(first, std::min(kBlockRows, rows_.rows() - first), block);
      for (Index r = 0; r < block.count(); ++r) {
        write_row(block, r, first + r);
        if (out_.size() >= kSendBytes && !send()) {
          return false;
        }
      }
    }
    write_int16(out_, -1);
    return send() && PQputCopyEnd(session_, nullptr) == 1;
  }

 private:
  bool send() {
    const bool sent = PQputCopyData(session_, out_.data(), static_cast<int>(out_.size())) == 1;
    out_.clear();
    return sent;
  }

  void write_row(const Rows& block, Index r, Index number) {
    const Index d = rows_.features();
    const bool columns = !rows_.is_sparse() && d <= kMostTableColumns;
    write_int16(out_, static_cast<std::int16_t>(columns ? d + 2 : rows_.is_sparse() ? 4 : 3));
    if (ids_.empty()) {
      write_int32(out_, 8);
      write_int64(out_, number + 1);
    } else {
      const std::string& id = ids_[static_cast<std::size_t>(number)];
      write_int32(out_, static_cast<std::int32_t>(id.size()));
      out_ += id;
    }
    write_field(block.labels[static_cast<std::size_t>(r)]);
    if (rows_.is_sparse()) {
      write_sparse(sparse_row(block, r, number));
      return;
    }
    if (!columns) {
      write_array_header(kFloat8, d, 12);
    }
    for (Index j = 0; j < d; ++j) {
      write_field(block.values[static_cast<std::size_t>(r * d + j)]);
    }
  }

  void write_sparse(const SparseRow& row) {
    const auto size = static_cast<Index>(row.indices.size());
    write_array_header(kInt4, size, 8);
    for (const std::int32_t index : row.indices) {
      write_int32(out_, 4);
      write_int32(out_, index);
    }
    write_array_header(kFloat8, size, 12);
    for (const double value : row.values) {
      write_field(value);
    }
  }
  void write_field(double value) {
    write_int32(out_, 8);
    write_double(out_, value);
  }

  void write_array_header(std::int32_t type, Index size, Index element_bytes) {
    if (size == 0) {
      write_int32(out_, 12);
      write_int32(out_, 0);
      write_int32(out_, 0);
      write_int32(out_, type);
      return;
    }
    write_int32(out_, static_cast<std::int32_t>(20 + element_bytes * size));
    for (const std::int32_t word : {1, 0, type, static_cast<std::int32_t>(size), 1}) {
      write_int32(out_, word);
    }
  }

  PGconn* session_;
  const StoredRows& rows_;
  const std::vector<std::string>& ids_;
  std::string out_;
};

std::string column_list(Connection& connection, const StoredRows& rows, const std::vector<std::string>& names,
                        bool text_ids) {
  std::string columns =
      std::string("id ") + (text_ids ? "text" : "bigint") + " PRIMARY KEY, label double precision NOT NULL";
  const bool arrays = rows.is_sparse() || rows.features() > kMostTableColumns;
  for (const std::string& name : names) {
    columns += ", " + connection.quoted(name) + (arrays && name == "indices" ? " integer" : " double precision") +
               (arrays ? "[]" : "") + " NOT NULL";
  }
  return columns;
}

}  // namespace
}  // namespace postgres

Index load_postgres(RowReader& reader, const TableLoadOptions& options) {
  require<UsageError>(!options.table.empty(), "data.table", "the name of a table to make", "nothing");
  constexpr bool kMayWrite = false;
  postgres::refuse_nul(options.table, "data.table");
  postgres::Connection connection(options.dsn, "postgres table \"" + options.table.substr(0, 200) + "\"", 0.0,
                                  kMayWrite);
  const StoredRows rows(reader);
  const std::string table = connection.quoted_table(options.table);
  const std::vector<std::string> ids = reader.take_ids();
  const std::string columns =
      postgres::column_list(connection, rows, table_columns(rows, reader.feature_names()), !ids.empty());
  connection.with_retries([&](PGconn* session) {
    connection.execute(session, "BEGIN", PGRES_COMMAND_OK);
    const std::string there = "SELECT 1 WHERE to_regclass(" + connection.literal(table) + ") IS NOT NULL";
    require<DataError>(options.replace || PQntuples(connection.execute(session, there, PGRES_TUPLES_OK).get()) == 0,
                       connection.what(), "no table of this name", "one (--replace drops it first)");
    if (options.replace) {
      connection.execute(session, "DROP TABLE IF EXISTS " + table, PGRES_COMMAND_OK);
    }
    connection.execute(session, "CREATE TABLE " + table + " (" + columns + ")", PGRES_COMMAND_OK);
    connection.execute(session, "COPY " + table + " FROM STDIN (FORMAT binary)", PGRES_COPY_IN);
    if (!postgres::CopyWriter(session, rows, ids).write()) {
      throw postgres::ConnectionLost{"the connection broke while rows were sent"};
    }
    connection.last_result(session, PGRES_COMMAND_OK);
    connection.execute(session, "COMMIT", PGRES_COMMAND_OK);
    connection.execute(session, "ANALYZE " + table, PGRES_COMMAND_OK);
  });
  return rows.rows();
}

}  // namespace slidemesh

#endif  // SLIDEMESH_POSTGRES
