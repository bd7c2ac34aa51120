#ifdef SLIDEMESH_POSTGRES

#include "table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "slidemesh/base/fail.h"
#include "slidemesh/data/load/own_rows.h"
#include "worker.h"

namespace slidemesh::postgres {
namespace {

// A server's default is 100 sessions in all.
constexpr std::size_t kMostConnections = 32;
// Rows are asked for by key or by a range of keys. A server may think it cheaper to read the whole table and drop the
// rest, again for each node; but these are rows that nobody asked for, and a ledger that is checked against the
// server's own statistics would not know of them. (Where there is no other way it reads all the same; compiling such a
// plan because it is said to be expensive would take longer than running it.)
constexpr const char* kByIndex =
    "SELECT set_config(name, 'off', false) FROM pg_settings WHERE name IN ('enable_seqscan', 'jit')";

std::string dsn_of(const DatabaseOptions& options, Index node) {
  if (options.dsn.empty()) {
    return "";
  }
  require<UsageError>(options.dsn.size() <= 1 || node < static_cast<Index>(options.dsn.size()), "data.dsn",
                      "a connection string for each node",
                      fmt::format("{} and none for node {}", options.dsn.size(), node));
  return with_node(options.dsn[options.dsn.size() > 1 ? static_cast<std::size_t>(node) : 0], node);
}

std::string describe_table(const DatabaseOptions& options, Index node) {
  std::string name = options.table.empty() ? "query" : "table \"" + with_node(options.table, node) + "\"";
  for (char& c : name) {
    c = static_cast<unsigned char>(c) < 0x20 ? '?' : c;
  }
  return "postgres " + name.substr(0, 200) + (has_table_per_node(options) ? " of node " + std::to_string(node) : "");
}

constexpr int kArrayHeader = 20;  // dimensions, flags, element type, size, lower bound

}  // namespace

RowKey read_key(const Field& field, bool is_text) {
  return is_text ? RowKey(std::string(field.data, static_cast<std::size_t>(field.length)))
                 : RowKey(read_int64(field.data));
}

void Decoder::start(Rows& rows) const { clear_rows(rows, features_, !dense_); }

std::uint64_t Decoder::append(std::span<const Field> fields, Rows& rows) const {
  const Field& key = fields[0];
  expect(fields[1].length == 8, key, "a label", "NULL");
  NewRow row(rows, dense_, read_double(fields[1].data));
  if (form_ == Layout::Form::kColumns) {
    append_columns(fields.subspan(2), key, row);
  } else {
    append_arrays(fields.subspan(2), key, row);
  }
  return row.finish();
}

void Decoder::append_columns(std::span<const Field> fields, const Field& key, NewRow& row) const {
  for (std::size_t j = 0; j < fields.size(); ++j) {
    if (fields[j].length != 8) {
      fail(key, "a number in feature " + std::to_string(j + 1), "NULL");
    }
    row.put(static_cast<Index>(j), finite(fields[j].data, key, static_cast<Index>(j)));
  }
}

/// Of all values, or of those beside their column numbers.
void Decoder::append_arrays(std::span<const Field> fields, const Field& key, NewRow& row) const {
  const Index size = array_size(fields[0], key, 8);
  const bool is_sparse = form_ == Layout::Form::kSparse;
  expect(!is_sparse || array_size(fields[1], key, 4) == size, key, "as many column numbers as values",
         "another number of them");
  if (!is_sparse && size != features_) {
    fail(key, "an array of " + std::to_string(features_) + " numbers", std::to_string(size));
  }
  Index previous = 0;
  for (Index k = 0; k < size; ++k) {
    const Index column = is_sparse ? read_int32(fields[1].data + kArrayHeader + 8 * k + 4) : k + 1;
    if (column <= previous || column > features_) {
      fail(key, "column numbers that ascend from 1 to " + std::to_string(features_), std::to_string(column));
    }
    previous = column;
    row.put(column - 1, finite(fields[0].data + kArrayHeader + 12 * k + 4, key, column - 1));
  }
}

/// The number of elements of a one-dimensional array without NULLs.
Index Decoder::array_size(const Field& field, const Field& key, int element_bytes) const {
  expect(field.length >= 12, key, "an array", "NULL");
  const std::int32_t dimensions = read_int32(field.data);
  if (dimensions == 0) {
    return 0;
  }
  expect(dimensions == 1 && field.length >= kArrayHeader && read_int32(field.data + 4) == 0, key,
         "an array of one dimension and without NULL", "another");
  const Index size = read_int32(field.data + 12);
  expect(field.length == kArrayHeader + (4 + element_bytes) * size, key, "an array of numbers", "another");
  return size;
}

double Decoder::finite(const char* data, const Field& key, Index column) const {
  const double value = read_double(data);
  if (!std::isfinite(value)) {
    fail(key, "a finite number in feature " + std::to_string(column + 1), std::isnan(value) ? "NaN" : "infinity");
  }
  return value;
}

void Decoder::fail(const Field& key, const std::string& expected, const std::string& got) const {
  slidemesh::fail<DataError>(fmt::format("{}: row with key {}", what_, shown(read_key(key, text_keys_))), expected,
                             got);
}

Table::Table(const DatabaseOptions& options, Index node)
    : TableStore(describe_table(options, node)),
      dsn_(dsn_of(options, node)),
      retry_seconds_(options.retry_seconds),
      connection_(std::make_shared<Connection>(dsn_, name(), retry_seconds_)) {
  layout_ = describe(*connection_, options, with_node(options.table, node));
  if (layout_.key_is_indexed) {
    connection_->set_up_sessions(kByIndex);
  }
  connection_->with_retries([&](PGconn* session) {
    clear_index();
    connection_->copy_out(session, layout_.select_index(options.max_rows), Layout::kIndexColumns,
                          [&](std::span<const Field> fields) { append_index(fields); });
  });
  finish_index();
}

void Table::append_index(std::span<const Field> fields) {
  const RowKey key = key_of(fields);
  const double label = fields[1].length == 8 ? read_double(fields[1].data) : std::nan("");
  if (!std::isfinite(label)) {
    fail_at(key, "a label that is a finite number", fields[1].length == 8 ? "another" : "NULL");
  }
  if (fields[2].length != 8 || fields[3].length != 8) {
    fail_at(key, "features", "NULL");
  }
  append({key, label, read_int64(fields[3].data), read_int64(fields[2].data)}, layout_.form == Layout::Form::kArray);
}

RowKey Table::key_of(std::span<const Field> fields) const {
  const bool is_text = layout_.key_type->is_text;
  require<DataError>(is_text ? fields[0].length >= 0 : fields[0].length == 8, name(), "a key in every row", "NULL");
  return read_key(fields[0], is_text);
}

Index Table::block_rows() const {
  constexpr Index kBlockBytes = Index{2} << 20U;
  const Index row_bytes = 8 * (is_sparse() ? nonzeros() / rows() + 1 : features());
  return kBlockRows * std::clamp<Index>(kBlockBytes / (kBlockRows * row_bytes), 1, 16);
}

std::vector<std::shared_ptr<RowSource>> Table::sources(const Partition& places) {
  const Index count = places.nodes();
  std::vector<std::shared_ptr<Connection>> connections = {connection_};
  while (connections.size() < std::min(kMostConnections, static_cast<std::size_t>(count))) {
    connections.push_back(std::make_shared<Connection>(dsn_, name(), retry_seconds_));
    connections.back()->set_up_sessions(connection_->session_setup());
  }
  const bool shared = static_cast<std::size_t>(count) > connections.size();
  const auto worker = shared ? nullptr : std::make_shared<Worker>();
  std::vector<std::shared_ptr<RowSource>> sources;
  for (Index i = 0; i < count; ++i) {
    const auto& connection = connections[static_cast<std::size_t>(i) % connections.size()];
    sources.push_back(make_source(shared_from_this(), connection, worker, NodePart(places, i)));
  }
  return sources;
}

}  // namespace slidemesh::postgres

namespace slidemesh {

bool has_postgres() { return true; }

bool has_table_per_node(const DatabaseOptions& options) {
  return options.dsn.size() > 1 || names_parts_of_nodes(options.table) ||
         std::any_of(options.dsn.begin(), options.dsn.end(), names_parts_of_nodes);
}

std::shared_ptr<RowStore> open_postgres(const DatabaseOptions& options, Index node) {
  return std::make_shared<postgres::Table>(options, node);
}

}  // namespace slidemesh

#endif  // SLIDEMESH_POSTGRES
