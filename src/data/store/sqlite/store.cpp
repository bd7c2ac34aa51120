#ifdef SLIDEMESH_SQLITE

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
#include <utility>

#include "../../row_views.h"
#include "../table_keys.h"
#include "handles.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/base/utf8.h"
#include "slidemesh/data/store/sqlite.h"

namespace slidemesh {
namespace sqlite {
namespace {

static_assert(std::endian::native == std::endian::little, "blobs hold numbers of the least byte first");

enum class Form { kColumns, kArray, kSparse };

/// What is selected of every row: key, label, then features (and indices).
struct Layout {
  Form form = Form::kColumns;
  std::string select;  ///< SELECT ... FROM ...
  std::string key;     ///< quoted
  std::vector<std::string> names;
};

class Describer {
 public:
  Describer(const Database& database, const SqliteOptions& options)
      : database_(database), options_(options), from_(source()) {
    const Statement all(database_, "SELECT * FROM " + from_ + " LIMIT 0");
    for (int c = 0; c < sqlite3_column_count(all.get()); ++c) {
      columns_.emplace_back(sqlite3_column_name(all.get(), c));
    }
  }

  Layout describe() const {
    Layout layout;
    layout.key = quoted(find(options_.key, "data.key"));
    layout.names = options_.features;
    for (const std::string& column : columns_) {
      if (options_.features.empty() && column != options_.key && column != options_.label &&
          column != options_.indices) {
        layout.names.push_back(column);
      }
    }
    if (layout.names.empty()) {
      slidemesh::fail<DataError>(database_.name(), "columns of features beside key and label", "none");
    }
    layout.select = "SELECT " + layout.key + ", " +
                    (options_.label.empty() ? "0.0" : quoted(find(options_.label, "data.label_column")));
    for (const std::string& name : layout.names) {
      layout.select += ", " + quoted(find(name, "data.features"));
    }
    if (!options_.indices.empty()) {
      layout.select += ", " + quoted(find(options_.indices, "data.indices"));
    }
    layout.select += " FROM " + from_;
    layout.form = form(layout);
    return layout;
  }

 private:
  [[nodiscard]] std::string source() const {
    if (options_.query.empty() == options_.table.empty()) {
      slidemesh::fail<UsageError>("data", "one of data.table and data.query",
                                  options_.table.empty() ? "neither" : "both");
    }
    if (!options_.table.empty()) {
      return quoted(options_.table);
    }
    std::string query = options_.query;
    query.erase(query.find_last_not_of(" ;\n\t") + 1);
    return "(" + query + "\n)";
  }

  [[nodiscard]] const std::string& find(const std::string& name, const char* key) const {
    if (std::find(columns_.begin(), columns_.end(), name) == columns_.end()) {
      slidemesh::fail<UsageError>(key, fmt::format("a column of {}", database_.name()), fmt::format("'{}'", name));
    }
    return name;
  }

  [[nodiscard]] Form form(const Layout& layout) const {
    if (!options_.indices.empty()) {
      if (layout.names.size() != 1) {
        slidemesh::fail<UsageError>("data.indices", "an array of column numbers beside one array of values",
                                    fmt::format("'{}'", options_.indices));
      }
      return Form::kSparse;
    }
    const Statement first(database_, layout.select + " LIMIT 1");
    const bool blob = layout.names.size() == 1 && first.step() && sqlite3_column_type(first.get(), 2) == SQLITE_BLOB;
    return blob ? Form::kArray : Form::kColumns;
  }

  const Database& database_;
  const SqliteOptions& options_;
  std::string from_;
  std::vector<std::string> columns_;
};

std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9E3779B97F4A7C15U;
  return hash ^ (hash >> 32U);
}

/// The row at which a statement stands.
class RowDecoder {
 public:
  RowDecoder(Form form, Index features, std::string name) : form_(form), features_(features), name_(std::move(name)) {}

  [[nodiscard]] RowKey key(const Statement& row) const {
    const int type = sqlite3_column_type(row.get(), 0);
    if (type == SQLITE_INTEGER) {
      return sqlite3_column_int64(row.get(), 0);
    }
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(row.get(), 0));
    std::string key(text == nullptr ? "" : text, static_cast<std::size_t>(sqlite3_column_bytes(row.get(), 0)));
    if (type != SQLITE_TEXT || !is_utf8(key)) {
      slidemesh::fail<DataError>(name_, "an integer or text as key in every row",
                                 type == SQLITE_NULL    ? "NULL"
                                 : type == SQLITE_FLOAT ? "a number with a fraction"
                                                        : "bytes");
    }
    return key;
  }
  [[nodiscard]] double label(const Statement& row) const { return number(row, 1, "label"); }
  /// How wide the row says it is.
  [[nodiscard]] Index width(const Statement& row) const {
    if (form_ == Form::kColumns) {
      return sqlite3_column_count(row.get()) - 2;
    }
    if (form_ == Form::kArray) {
      return count_in(row, 2, sizeof(double));
    }
    const Index count = count_in(row, 3, sizeof(std::int32_t));
    std::int32_t last = 0;
    if (count > 0) {
      std::memcpy(&last, bytes(row, 3) + sizeof last * static_cast<std::size_t>(count - 1), sizeof last);
    }
    return last;
  }

  /// put(column, value) for its numbers that are not zero. Gives its fingerprint, never 0.
  template <class Put>
  std::uint64_t read(const Statement& row, Put&& put) const {
    std::uint64_t fingerprint = mix(1, std::bit_cast<std::uint64_t>(label(row)));
    const auto push = [&](Index column, double value) {
      fingerprint = mix(fingerprint, std::bit_cast<std::uint64_t>(value) + static_cast<std::uint64_t>(column));
      if (value != 0.0) {
        put(column, value);
      }
    };
    if (form_ == Form::kColumns) {
      for (int c = 2; c < sqlite3_column_count(row.get()); ++c) {
        push(c - 2, number(row, c, sqlite3_column_name(row.get(), c)));
      }
    } else {
      read_arrays(row, push);
    }
    return fingerprint == 0 ? 1 : fingerprint;
  }

 private:
  template <class Push>
  void read_arrays(const Statement& row, Push&& push) const {
    const Index count = count_in(row, 2, sizeof(double));
    if (form_ == Form::kArray ? features_ > 0 && count != features_ : count != count_in(row, 3, sizeof(std::int32_t))) {
      fail(row,
           form_ == Form::kArray ? "an array of " + std::to_string(features_) + " numbers"
                                 : "as many column numbers as values",
           std::to_string(count));
    }
    Index previous = 0;
    for (Index k = 0; k < count; ++k) {
      double value = 0.0;
      std::memcpy(&value, bytes(row, 2) + sizeof value * static_cast<std::size_t>(k), sizeof value);
      auto column = static_cast<std::int32_t>(k + 1);
      if (form_ == Form::kSparse) {
        std::memcpy(&column, bytes(row, 3) + sizeof column * static_cast<std::size_t>(k), sizeof column);
      }
      if (column <= previous || (features_ > 0 && column > features_)) {
        fail(row, "column numbers that ascend from 1", std::to_string(column));
      }
      if (!std::isfinite(value)) {
        fail(row, "a finite number in feature " + std::to_string(column), "another");
      }
      previous = column;
      push(column - 1, value);
    }
  }

  static const char* bytes(const Statement& row, int column) {
    return static_cast<const char*>(sqlite3_column_blob(row.get(), column));
  }

  [[nodiscard]] Index count_in(const Statement& row, int column, std::size_t element) const {
    const int size = sqlite3_column_bytes(row.get(), column);
    if (sqlite3_column_type(row.get(), column) != SQLITE_BLOB || size % static_cast<int>(element) != 0) {
      fail(row, "a blob of numbers of " + std::to_string(element) + " bytes", "another");
    }
    return size / static_cast<int>(element);
  }

  [[nodiscard]] double number(const Statement& row, int column, const std::string& what) const {
    const int type = sqlite3_column_type(row.get(), column);
    const double value = sqlite3_column_double(row.get(), column);
    if ((type != SQLITE_INTEGER && type != SQLITE_FLOAT) || !std::isfinite(value)) {
      fail(row, "a finite number in column '" + what + "'",
           type == SQLITE_NULL   ? "NULL"
           : type == SQLITE_TEXT ? "text"
                                 : "another");
    }
    return value;
  }

  [[noreturn]] void fail(const Statement& row, const std::string& expected, const std::string& got) const {
    slidemesh::fail<DataError>(fmt::format("{}: row with key {}", name_, shown(key(row))), expected, got);
  }

  Form form_;
  Index features_;  ///< 0: as yet unknown
  std::string name_;
};

class SqliteStore final : public RowStore, public std::enable_shared_from_this<SqliteStore> {
 public:
  explicit SqliteStore(const SqliteOptions& options)
      : path_(options.path), name_(options.path.string() + (options.table.empty() ? "" : " table " + options.table)) {
    const Database database(path_, Database::Mode::kRead);
    layout_ = Describer(database, options).describe();
    read_index(database, options.max_rows);
    if (keys_.size() == 0) {
      slidemesh::fail<DataError>(name_, "rows", "none");
    }
    if (features_ == 0) {
      slidemesh::fail<DataError>(name_, "a feature in some row", "labels alone");
    }
    dense_ = dense_is_faster(rows(), features_, nonzeros_);
  }

  [[nodiscard]] Index rows() const override { return keys_.size(); }
  [[nodiscard]] Index features() const override { return features_; }
  [[nodiscard]] Count nonzeros() const override { return nonzeros_; }
  [[nodiscard]] bool has_fixed_width() const override { return layout_.form != Form::kSparse; }
  [[nodiscard]] std::vector<double>& labels() override { return labels_; }
  [[nodiscard]] RowKey key(Index row) const override { return keys_.at(row); }
  [[nodiscard]] const TableKeys& keys() const { return keys_; }
  [[nodiscard]] std::vector<std::string> feature_names() const override {
    return layout_.form == Form::kColumns ? layout_.names : std::vector<std::string>{};
  }
  void set_table_shape(Index features, bool dense) override {
    features_ = features;
    dense_ = dense;
  }
  [[nodiscard]] std::vector<std::shared_ptr<RowSource>> sources(const Partition& places) override;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const Layout& layout() const { return layout_; }
  [[nodiscard]] RowDecoder decoder() const { return {layout_.form, features_, name_}; }
  [[nodiscard]] bool is_dense() const { return dense_; }

  /// Appends the row at which the statement stands, which must be this one, unchanged.
  void append(const Statement& statement, const RowDecoder& decoder, Index row, Rows& out) const {
    const std::size_t begin = out.values.size();
    if (dense_) {
      out.values.resize(begin + static_cast<std::size_t>(features_), 0.0);
    }
    const std::uint64_t fingerprint = decoder.read(statement, [&](Index column, double value) {
      if (dense_) {
        out.values[begin + static_cast<std::size_t>(column)] = value;
      } else {
        out.columns.push_back(static_cast<std::int32_t>(column));
        out.values.push_back(value);
      }
    });
    if (!dense_) {
      out.offsets.push_back(static_cast<std::int64_t>(out.values.size()));
    }
    out.labels.push_back(labels_[static_cast<std::size_t>(row)]);
    if (fingerprint != fingerprints_[static_cast<std::size_t>(row)]) {
      fail(row, "it to stay as it was", "a change during the run");
    }
  }

  [[noreturn]] void fail(Index row, const char* expected, const char* got) const {
    slidemesh::fail<DataError>(fmt::format("{}: row with key {}", name_, shown(key(row))), expected, got);
  }

 private:
  void read_index(const Database& database, Index max_rows) {
    const Statement all(database, layout_.select + " ORDER BY " + layout_.key +
                                      (max_rows > 0 ? " LIMIT " + std::to_string(max_rows) : ""));
    const RowDecoder decoder(layout_.form, 0, name_);
    while (all.step()) {
      const RowKey key = decoder.key(all);
      const auto fail = [&](const std::string& expected, const std::string& got) {
        slidemesh::fail<DataError>(fmt::format("{}: row with key {}", name_, shown(key)), expected, got);
      };
      const bool is_first = keys_.size() == 0;
      if (!is_first && keys_.are_text() != std::holds_alternative<std::string>(key)) {
        fail("keys that are all integers or all text", "both");
      }
      if (!is_first && keys_.is(rows() - 1, key)) {
        fail("no other row with this key", "one");
      }
      const Index width = decoder.width(all);
      if (layout_.form == Form::kArray && !is_first && width != features_) {
        fail(fmt::format("an array of {} numbers as in the first row", features_), std::to_string(width));
      }
      features_ = std::max(features_, width);
      fingerprints_.push_back(decoder.read(all, [&](Index, double) { ++nonzeros_; }));
      labels_.push_back(decoder.label(all));
      keys_.push(key);
    }
    keys_.finish();
  }

  std::filesystem::path path_;
  std::string name_;
  Layout layout_;
  TableKeys keys_;
  std::vector<double> labels_;
  std::vector<std::uint64_t> fingerprints_;
  Index features_ = 0;
  Count nonzeros_ = 0;
  bool dense_ = true;
};

/// Lets go of the file's lock when a statement has been used, whatever came of it.
class Reset {
 public:
  explicit Reset(const Statement& statement) : statement_(statement) {}
  Reset(const Reset&) = delete;
  Reset& operator=(const Reset&) = delete;
  ~Reset() { statement_.reset(); }

 private:
  const Statement& statement_;
};

/// The rows of one node, through a connection of its own.
class SqliteSource final : public RowSource {
 public:
  SqliteSource(std::shared_ptr<const SqliteStore> store, Index first, Index count, std::vector<Index> numbers)
      : store_(std::move(store)),
        first_(first),
        count_(count),
        numbers_(std::move(numbers)),
        database_(store_->path(), Database::Mode::kRead),
        decoder_(store_->decoder()),
        by_key_(database_, store_->layout().select + " WHERE " + store_->layout().key + " = ?1"),
        by_range_(database_, store_->layout().select + " WHERE " + store_->layout().key +
                                 " BETWEEN ?1 AND ?2 ORDER BY " + store_->layout().key) {}

  [[nodiscard]] Index rows() const override { return count_; }
  [[nodiscard]] Index features() const override { return store_->features(); }

  void scan(AccessPurpose /*purpose*/, const Visit& visit) override {
    for (Index at = 0; at < count_; at += kPieceRows) {
      const Index size = std::min(kPieceRows, count_ - at);
      if (numbers_.empty()) {
        read_range(first_ + at, size);
      } else {
        read_rows(std::span(numbers_).subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(size)), block_);
      }
      visit(view_of(block_), at);
    }
  }

  RowBlock fetch(AccessPurpose /*purpose*/, std::span<const Index> numbers) override {
    wanted_.clear();
    for (const Index number : numbers) {
      wanted_.push_back(numbers_.empty() ? first_ + number : numbers_[static_cast<std::size_t>(number)]);
    }
    // A row that is asked for twice is read once.
    distinct_ = wanted_;
    std::sort(distinct_.begin(), distinct_.end());
    distinct_.erase(std::unique(distinct_.begin(), distinct_.end()), distinct_.end());
    read_rows(distinct_, fetched_);
    for (Index& row : wanted_) {
      row = std::lower_bound(distinct_.begin(), distinct_.end(), row) - distinct_.begin();
    }
    RowBlock block = view_of(fetched_);
    block.count = static_cast<Index>(wanted_.size());
    block.selection = wanted_.data();
    return block;
  }

 private:
  static constexpr Index kPieceRows = 4 * kBlockRows;

  void bind(const Statement& statement, int place, Index row) const {
    const TableKeys& keys = store_->keys();
    if (keys.are_text()) {
      statement.bind(place, std::string_view(keys.text(row)));
    } else {
      statement.bind(place, keys.number(row));
    }
  }

  void read_range(Index first, Index size) {
    clear_rows(block_, store_->features(), !store_->is_dense());
    const Reset reset(by_range_);
    bind(by_range_, 1, first);
    bind(by_range_, 2, first + size - 1);
    Index row = first;
    for (; by_range_.step(); ++row) {
      const RowKey key = decoder_.key(by_range_);
      if (row == first + size || !store_->keys().is(row, key)) {
        const std::optional<Index> known = store_->keys().find(key);
        if (row == first + size || !known || *known < row) {
          slidemesh::fail<DataError>(fmt::format("{}: row with key {}", database_.name(), shown(key)), "no new rows",
                                     "this one during the run");
        }
        break;
      }
      store_->append(by_range_, decoder_, row, block_);
    }
    if (row != first + size) {
      store_->fail(row, "it to stay", "it deleted during the run");
    }
  }

  void read_rows(std::span<const Index> table_rows, Rows& out) {
    clear_rows(out, store_->features(), !store_->is_dense());
    const Reset reset(by_key_);
    for (const Index row : table_rows) {
      by_key_.reset();
      bind(by_key_, 1, row);
      if (!by_key_.step()) {
        store_->fail(row, "it to stay", "it deleted during the run");
      }
      store_->append(by_key_, decoder_, row, out);
    }
  }

  std::shared_ptr<const SqliteStore> store_;
  Index first_;
  Index count_;
  std::vector<Index> numbers_;
  Database database_;
  RowDecoder decoder_;
  Statement by_key_;
  Statement by_range_;
  Rows block_;
  Rows fetched_;
  std::vector<Index> wanted_;
  std::vector<Index> distinct_;
};

std::vector<std::shared_ptr<RowSource>> SqliteStore::sources(const Partition& places) {
  std::vector<std::shared_ptr<RowSource>> sources;
  for (Index i = 0; i < places.nodes(); ++i) {
    sources.push_back(std::make_shared<SqliteSource>(std::static_pointer_cast<const SqliteStore>(shared_from_this()),
                                                     places.first(i), places.count(i), places.numbers(i)));
  }
  return sources;
}

}  // namespace
}  // namespace sqlite

bool has_sqlite() { return true; }

std::shared_ptr<RowStore> open_sqlite(const SqliteOptions& options) {
  return std::make_shared<sqlite::SqliteStore>(options);
}

}  // namespace slidemesh

#endif  // SLIDEMESH_SQLITE
