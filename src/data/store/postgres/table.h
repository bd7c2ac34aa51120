#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "../table_keys.h"
#include "connection.h"
#include "slidemesh/core/rows.h"
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
[[nodiscard]] Layout describe(Connection& connection, const PostgresOptions& options, const std::string& table);

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
  std::uint64_t append(std::span<const Field> fields, Rows& rows);

 private:
  void append_columns(std::span<const Field> fields, const Field& key, Rows& rows);
  void append_array(const Field& values, const Field& key, Rows& rows);
  void append_sparse(const Field& values, const Field& indices, const Field& key, Rows& rows);
  void push(Index column, double value, Rows& rows);
  [[noreturn]] void fail(const Field& key, const std::string& expected, const std::string& got) const;
  [[nodiscard]] double finite(const char* data, const Field& key, Index column) const;
  [[nodiscard]] Index array_size(const Field& field, const Field& key, int element_bytes) const;

  Layout::Form form_;
  bool text_keys_;
  Index features_;
  bool dense_;
  std::string what_;
  std::uint64_t fingerprint_ = 0;
  std::size_t row_ = 0;
};

/// The table that `open_postgres` gives.
class Table final : public RowStore, public std::enable_shared_from_this<Table> {
 public:
  Table(const PostgresOptions& options, Index node);

  [[nodiscard]] Index rows() const override { return keys_.size(); }
  [[nodiscard]] Index features() const override { return features_; }
  [[nodiscard]] Count nonzeros() const override { return nonzeros_; }
  [[nodiscard]] RowKey key(Index row) const override { return keys_.at(row); }
  [[nodiscard]] const TableKeys& keys() const { return keys_; }
  [[nodiscard]] std::vector<double>& labels() override { return labels_; }
  /// A list of indices and values can be part of a wider table; columns and whole arrays cannot.
  [[nodiscard]] bool has_fixed_width() const override { return layout_.form != Layout::Form::kSparse; }
  [[nodiscard]] std::vector<std::string> feature_names() const override { return layout_.names; }
  void set_table_shape(Index features, bool dense) override {
    features_ = features;
    dense_ = dense;
  }
  [[nodiscard]] std::vector<std::shared_ptr<RowSource>> sources(const Partition& places) override;

  [[nodiscard]] const Layout& layout() const { return layout_; }
  [[nodiscard]] double label(Index row) const { return labels_[static_cast<std::size_t>(row)]; }
  [[nodiscard]] Decoder decoder() const { return {layout_, features_, dense_, what_}; }
  [[nodiscard]] Index block_rows() const;
  /// Compares a row with what it was when it was first seen.
  void recognize(Index row, std::uint64_t fingerprint);
  /// The key of a row that the server sent.
  [[nodiscard]] RowKey key_of(std::span<const Field> fields) const;
  [[noreturn]] void fail_gone(Index row) const;
  [[noreturn]] void fail_new(const RowKey& key) const;
  [[nodiscard]] const std::string& what() const { return what_; }

 private:
  void read_index(const PostgresOptions& options);
  void append_index(std::span<const Field> fields);

  std::string dsn_;
  std::string what_;
  double retry_seconds_;
  Layout layout_;
  std::shared_ptr<Connection> connection_;
  TableKeys keys_;
  std::vector<double> labels_;
  std::vector<std::uint64_t> fingerprints_;
  Index features_ = 0;
  Count nonzeros_ = 0;
  bool dense_ = true;
};

class Worker;

/// The rows of one node. `numbers` empty: the table's rows from `first` on. A worker takes in what is asked for ahead;
/// none where another source has the same connection, which has no room for two questions.
[[nodiscard]] std::shared_ptr<RowSource> make_source(std::shared_ptr<Table> table,
                                                     std::shared_ptr<Connection> connection,
                                                     std::shared_ptr<Worker> worker, Index first, Index count,
                                                     std::vector<Index> numbers);

}  // namespace slidemesh::postgres
