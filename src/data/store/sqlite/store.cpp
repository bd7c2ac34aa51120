#ifdef SLIDEMESH_SQLITE

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "../node_part.h"
#include "slidemesh/base/fail.h"
#include "table.h"

namespace slidemesh {
namespace sqlite {
namespace {

class Describer {
 public:
  Describer(const Database& database, const DatabaseOptions& options)
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
    require<DataError>(!layout.names.empty(), database_.name(), "columns of features beside key and label", "none");
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
    require<UsageError>(options_.query.empty() != options_.table.empty(), "data", "one of data.table and data.query",
                        options_.table.empty() ? "neither" : "both");
    if (!options_.table.empty()) {
      return quoted(options_.table);
    }
    std::string query = options_.query;
    query.erase(query.find_last_not_of(" ;\n\t") + 1);
    return "(" + query + "\n)";
  }

  [[nodiscard]] const std::string& find(const std::string& name, const char* key) const {
    require<UsageError>(std::find(columns_.begin(), columns_.end(), name) != columns_.end(), key,
                        fmt::format("a column of {}", database_.name()), fmt::format("'{}'", name));
    return name;
  }

  [[nodiscard]] Form form(const Layout& layout) const {
    if (!options_.indices.empty()) {
      require<UsageError>(layout.names.size() == 1, "data.indices",
                          "an array of column numbers beside one array of values",
                          fmt::format("'{}'", options_.indices));
      return Form::kSparse;
    }
    const Statement first(database_, layout.select + " LIMIT 1");
    const bool blob = layout.names.size() == 1 && first.step() && sqlite3_column_type(first.get(), 2) == SQLITE_BLOB;
    return blob ? Form::kArray : Form::kColumns;
  }

  const Database& database_;
  const DatabaseOptions& options_;
  std::string from_;
  std::vector<std::string> columns_;
};

class SqliteStore final : public TableStore, public std::enable_shared_from_this<SqliteStore> {
 public:
  explicit SqliteStore(const DatabaseOptions& options)
      : TableStore(options.path.string() + (options.table.empty() ? "" : " table " + options.table)),
        path_(options.path) {
    const Database database(path_, Database::Mode::kRead);
    layout_ = Describer(database, options).describe();
    read_index(database, options.max_rows);
    finish_index();
  }

  [[nodiscard]] bool has_fixed_width() const override { return layout_.form != Form::kSparse; }
  [[nodiscard]] std::vector<std::string> feature_names() const override {
    return layout_.form == Form::kColumns ? layout_.names : std::vector<std::string>{};
  }
  [[nodiscard]] std::vector<std::shared_ptr<RowSource>> sources(const Partition& places) override;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const Layout& layout() const { return layout_; }
  [[nodiscard]] RowDecoder decoder() const { return {layout_.form, features(), name()}; }

 private:
  void read_index(const Database& database, Index max_rows) {
    const Statement all(database, layout_.select + " ORDER BY " + layout_.key +
                                      (max_rows > 0 ? " LIMIT " + std::to_string(max_rows) : ""));
    const RowDecoder decoder(layout_.form, 0, name());
    Rows row;
    while (all.step()) {
      clear_rows(row, 0, true);
      const std::uint64_t fingerprint = decoder.read(all, false, row);
      append({decoder.key(all), decoder.label(all), decoder.width(all), row.nonzeros(), fingerprint},
             layout_.form == Form::kArray);
    }
  }

  std::filesystem::path path_;
  Layout layout_;
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
class SqliteSource final : public PartSource<SqliteStore> {
 public:
  SqliteSource(std::shared_ptr<SqliteStore> store, NodePart part)
      : PartSource(std::move(store), std::move(part)),
        database_(table_->path(), Database::Mode::kRead),
        decoder_(table_->decoder()),
        by_key_(database_, table_->layout().select + " WHERE " + table_->layout().key + " = ?1"),
        by_range_(database_, table_->layout().select + " WHERE " + table_->layout().key +
                                 " BETWEEN ?1 AND ?2 ORDER BY " + table_->layout().key) {}

  void scan(AccessPurpose /*purpose*/, const Visit& visit) override {
    for (Index at = 0; at < rows(); at += kPieceRows) {
      const Index size = std::min(kPieceRows, rows() - at);
      if (part_.is_range()) {
        read_range(part_.row(at), size);
      } else {
        read_rows(part_.rows(at, size), block_);
      }
      visit(view_of(block_), at);
    }
  }

  RowBlock fetch(AccessPurpose /*purpose*/, std::span<const Index> numbers) override {
    const auto asked = part_.rows(numbers);
    wanted_.assign(asked.begin(), asked.end());
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
    const TableKeys& keys = table_->keys();
    if (keys.are_text()) {
      statement.bind(place, std::string_view(keys.text(row)));
    } else {
      statement.bind(place, keys.number(row));
    }
  }

  void read_range(Index first, Index size) {
    clear_rows(block_, table_->features(), table_->is_sparse());
    const Reset reset(by_range_);
    bind(by_range_, 1, first);
    bind(by_range_, 2, first + size - 1);
    Index row = first;
    for (; by_range_.step(); ++row) {
      table_->expect_key(decoder_.key(by_range_), row, first + size);
      append(by_range_, row, block_);
    }
    if (row != first + size) {
      table_->fail_gone(row);
    }
  }

  void read_rows(std::span<const Index> table_rows, Rows& out) {
    clear_rows(out, table_->features(), table_->is_sparse());
    const Reset reset(by_key_);
    for (const Index row : table_rows) {
      by_key_.reset();
      bind(by_key_, 1, row);
      if (!by_key_.step()) {
        table_->fail_gone(row);
      }
      append(by_key_, row, out);
    }
  }

  /// The row at which the statement stands.
  void append(const Statement& statement, Index row, Rows& out) {
    table_->recognize(row, decoder_.read(statement, !table_->is_sparse(), out));
    out.labels.push_back(table_->label(row));
  }

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
  return sources_of<SqliteSource>(shared_from_this(), places);
}

}  // namespace
}  // namespace sqlite

bool has_sqlite() { return true; }

std::shared_ptr<RowStore> open_sqlite(const DatabaseOptions& options) {
  return std::make_shared<sqlite::SqliteStore>(options);
}

}  // namespace slidemesh

#endif  // SLIDEMESH_SQLITE
