#ifdef SLIDEMESH_POSTGRES

#include "table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "slidemesh/base/fail.h"
#include "worker.h"

namespace slidemesh::postgres {
namespace {

// A server's default is 100 sessions in all.
constexpr std::size_t kMostConnections = 32;
constexpr std::string_view kNode = "{node}";
// Rows are asked for by key or by a range of keys. A server may think it cheaper to read the whole table and drop the
// rest, again for each node; but these are rows that nobody asked for, and a ledger that is checked against the
// server's own statistics would not know of them. (Where there is no other way it reads all the same; compiling such a
// plan because it is said to be expensive would take longer than running it.)
constexpr const char* kByIndex =
    "SELECT set_config(name, 'off', false) FROM pg_settings WHERE name IN ('enable_seqscan', 'jit')";

std::string with_node(std::string text, Index node) {
  const std::string number = std::to_string(node);
  for (std::size_t at = text.find(kNode); at != std::string::npos; at = text.find(kNode, at + number.size())) {
    text.replace(at, kNode.size(), number);
  }
  return text;
}

std::string dsn_of(const PostgresOptions& options, Index node) {
  if (options.dsn.empty()) {
    return "";
  }
  if (options.dsn.size() > 1 && node >= static_cast<Index>(options.dsn.size())) {
    slidemesh::fail<UsageError>("data.dsn", "a connection string for each node",
                                fmt::format("{} and none for node {}", options.dsn.size(), node));
  }
  return with_node(options.dsn[options.dsn.size() > 1 ? static_cast<std::size_t>(node) : 0], node);
}

std::string describe_table(const PostgresOptions& options, Index node) {
  std::string name = options.table.empty() ? "query" : "table \"" + with_node(options.table, node) + "\"";
  for (char& c : name) {
    c = static_cast<unsigned char>(c) < 0x20 ? '?' : c;
  }
  return "postgres " + name.substr(0, 200) + (has_table_per_node(options) ? " of node " + std::to_string(node) : "");
}

}  // namespace

Table::Table(const PostgresOptions& options, Index node)
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
  if (is_text ? fields[0].length < 0 : fields[0].length != 8) {
    slidemesh::fail<DataError>(name(), "a key in every row", "NULL");
  }
  return read_key(fields[0], is_text);
}

Index Table::block_rows() const {
  constexpr Index kBlockBytes = Index{2} << 20U;
  const Index row_bytes = 8 * (is_dense() ? features() : nonzeros() / rows() + 1);
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

bool has_table_per_node(const PostgresOptions& options) {
  const auto varies = [](const std::string& text) { return text.find(postgres::kNode) != std::string::npos; };
  return options.dsn.size() > 1 || varies(options.table) || std::any_of(options.dsn.begin(), options.dsn.end(), varies);
}

std::shared_ptr<RowStore> open_postgres(const PostgresOptions& options, Index node) {
  return std::make_shared<postgres::Table>(options, node);
}

}  // namespace slidemesh

#endif  // SLIDEMESH_POSTGRES
