#ifdef SLIDEMESH_SQLITE

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "../../row_views.h"
#include "../table_keys.h"
#include "slidemesh/base/fail.h"
#include "table.h"

namespace slidemesh {
namespace sqlite {
namespace {

class SqliteStore final : public RowStore, public std::enable_shared_from_this<SqliteStore> {
 public:
  explicit SqliteStore(const SqliteOptions& options)
      : path_(options.path), name_(options.path.string() + (options.table.empty() ? "" : " table " + options.table)) {
    const Database database(path_, Database::Mode::kRead);
    layout_ = layout_of(database, options);
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
