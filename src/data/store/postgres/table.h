#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "../node_part.h"
#include "../table_store.h"
#include "connection.h"
#include "slidemesh/data/store/postgres.h"

namespace slidemesh::postgres {

/// A type of keys.
struct KeyType {
  Oid type;
  Oid array;         ///< of arrays of it, in which keys are asked for
  const char* name;  ///< in SQL
  bool is_text;      ///< keys come as text; else as whole numbers
};

/// The columns that are asked for, in SQL, and what comes back for them.
struct Layout {
  enum class Form { kColumns, kArray, kSparse };
  Form form = Form::kColumns;
  std::string source;  ///< behind FROM
  std::string key;     ///< quoted
  /// How the key is asked for and what it is compared with. Text comes in the order in which the server sorts it.
  const KeyType* key_type = nullptr;
  std::string label;
  std::vector<std::string> features;  ///< quoted; one for arrays
  std::vector<std::string> names;     ///< as they are; none for arrays
  std::string indices;
  bool key_is_indexed = false;

  /// SELECT with key, label and features of every row.
  [[nodiscard]] std::string select_rows() const;
  [[nodiscard]] int row_columns() const;
  /// SELECT with key, label, the number of nonzeros and the width of every row.
  [[nodiscard]] std::string select_index(Index max_rows) const;
  static constexpr int kIndexColumns = 4;
};

/// Reads names and types of the columns and settles what is what.
[[nodiscard]] Layout describe(Connection& connection, const DatabaseOptions& options, const std::string& table);

/// The key of a row as it came.
[[nodiscard]] RowKey read_key(const Field& field, bool is_text);

/// Fields of a row into numbers, refusing what a row of data cannot hold.
class Decoder {
 public:
  Decoder(const Layout& layout, Index features, bool dense, std::string what)
      : form_(layout.form),
        text_keys_(layout.key_type->is_text),
        features_(features),
        dense_(dense),
        what_(std::move(what)) {}

  /// Empties `rows` for a new block.
  void start(Rows& rows) const;
  /// Appends the features of a row and gives its fingerprint, never 0. The label is the caller's.
  std::uint64_t append(std::span<const Field> fields, Rows& rows) const;

 private:
  void append_columns(std::span<const Field> fields, const Field& key, NewRow& row) const;
  void append_arrays(std::span<const Field> fields, const Field& key, NewRow& row) const;
  void expect(bool holds, const Field& key, const char* expected, const char* got) const {
    if (!holds) {
      fail(key, expected, got);
    }
  }
  [[noreturn]] void fail(const Field& key, const std::string& expected, const std::string& got) const;
  [[nodiscard]] double finite(const char* data, const Field& key, Index column) const;
  [[nodiscard]] Index array_size(const Field& field, const Field& key, int element_bytes) const;

  Layout::Form form_;
  bool text_keys_;
  Index features_;
  bool dense_;
  std::string what_;
};

/// The table that `open_postgres` gives.
class Table final : public TableStore, public std::enable_shared_from_this<Table> {
 public:
  Table(const DatabaseOptions& options, Index node);

  /// A list of indices and values can be part of a wider table; columns and whole arrays cannot.
  [[nodiscard]] bool has_fixed_width() const override { return layout_.form != Layout::Form::kSparse; }
  [[nodiscard]] std::vector<std::string> feature_names() const override { return layout_.names; }
  [[nodiscard]] std::vector<std::shared_ptr<RowSource>> sources(const Partition& places) override;

  [[nodiscard]] const Layout& layout() const { return layout_; }
  [[nodiscard]] Decoder decoder() const { return {layout_, features(), !is_sparse(), name()}; }
  [[nodiscard]] Index block_rows() const;
  /// The key of a row that the server sent.
  [[nodiscard]] RowKey key_of(std::span<const Field> fields) const;

 private:
  void append_index(std::span<const Field> fields);

  std::string dsn_;
  double retry_seconds_;
  Layout layout_;
  std::shared_ptr<Connection> connection_;
};

class Worker;

/// The rows of one node. A worker takes in what is asked for ahead; none where another source has the same connection,
/// which has no room for two questions.
[[nodiscard]] std::shared_ptr<RowSource> make_source(std::shared_ptr<Table> table,
                                                     std::shared_ptr<Connection> connection,
                                                     std::shared_ptr<Worker> worker, NodePart part);

}  // namespace slidemesh::postgres
