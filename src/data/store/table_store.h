#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "slidemesh/base/hash.h"
#include "slidemesh/base/text.h"
#include "slidemesh/data/row_key.h"
#include "slidemesh/data/store/row_store.h"
#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// In a message: text in quotes, and without bytes that a terminal would obey.
[[nodiscard]] inline std::string shown(const RowKey& key) {
  return std::holds_alternative<std::string>(key) ? text::quoted(std::get<std::string>(key)) : to_text(key);
}

/// The keys of a database's table in its own order: all numbers, which ascend, or all text, in whatever order the
/// database sorts it. None is there twice.
class TableKeys {
 public:
  void clear() { *this = {}; }
  [[nodiscard]] Index size() const { return static_cast<Index>(numbers_.empty() ? texts_.size() : numbers_.size()); }
  [[nodiscard]] bool are_text() const { return !texts_.empty(); }
  [[nodiscard]] RowKey at(Index row) const {
    const auto place = static_cast<std::size_t>(row);
    return are_text() ? RowKey(texts_[place]) : RowKey(numbers_[place]);
  }
  [[nodiscard]] std::int64_t number(Index row) const { return numbers_[static_cast<std::size_t>(row)]; }
  [[nodiscard]] const std::string& text(Index row) const { return texts_[static_cast<std::size_t>(row)]; }
  [[nodiscard]] bool is(Index row, const RowKey& key) const {
    const auto* number = std::get_if<std::int64_t>(&key);
    return number != nullptr ? !are_text() && numbers_[static_cast<std::size_t>(row)] == *number
                             : are_text() && texts_[static_cast<std::size_t>(row)] == std::get<std::string>(key);
  }

  /// Of the same kind as those before it.
  void push(RowKey key) {
    if (auto* number = std::get_if<std::int64_t>(&key)) {
      numbers_.push_back(*number);
    } else {
      texts_.push_back(std::move(std::get<std::string>(key)));
    }
  }

  /// When all are there: text is looked up in the order of its bytes.
  void finish() { by_bytes_ = stable_order(std::span<const std::string>(texts_)); }

  [[nodiscard]] std::optional<Index> find(const RowKey& key) const {
    if (const auto* number = std::get_if<std::int64_t>(&key)) {
      const auto found = std::lower_bound(numbers_.begin(), numbers_.end(), *number);
      return found != numbers_.end() && *found == *number ? std::optional<Index>(found - numbers_.begin())
                                                          : std::nullopt;
    }
    const auto& wanted = std::get<std::string>(key);
    const auto found = std::lower_bound(by_bytes_.begin(), by_bytes_.end(), wanted,
                                        [this](Index row, const std::string& other) { return text(row) < other; });
    return found != by_bytes_.end() && text(*found) == wanted ? std::optional(*found) : std::nullopt;
  }

 private:
  std::vector<std::int64_t> numbers_;
  std::vector<std::string> texts_;
  std::vector<Index> by_bytes_;  ///< rows
};

/// A row that is appended to others, number by number. Its fingerprint is of all numbers, its label first.
class NewRow {
 public:
  NewRow(Rows& rows, bool dense, double label);

  void put(Index column, double value);
  /// Its fingerprint, never 0. The label of the row is the caller's to append: that of the table may be another.
  [[nodiscard]] std::uint64_t finish();

 private:
  Rows& rows_;
  std::size_t begin_;
  bool dense_;
  Hash hash_;
};

/// A table of a database: in memory are its rows' keys, labels, fingerprints and lengths.
class TableStore : public RowStore {
 public:
  [[nodiscard]] Index rows() const final { return keys_.size(); }
  [[nodiscard]] Index features() const final { return features_; }
  [[nodiscard]] Count nonzeros() const final { return nonzeros_; }
  [[nodiscard]] RowKey key(Index row) const final { return keys_.at(row); }
  [[nodiscard]] std::vector<double>& labels() final { return labels_; }
  void set_table_shape(Index features, bool dense) final {
    features_ = features;
    dense_ = dense;
  }

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const TableKeys& keys() const { return keys_; }
  [[nodiscard]] double label(Index row) const { return labels_[static_cast<std::size_t>(row)]; }
  [[nodiscard]] bool is_sparse() const { return !dense_; }
  /// How many numbers a row has that are not zero.
  [[nodiscard]] std::int64_t length(Index row) const { return lengths_[static_cast<std::size_t>(row)]; }

  /// Compares a row with what it was when it was first seen.
  void recognize(Index row, std::uint64_t fingerprint);
  /// Of a row that came in the order of keys, as the next of those before `end`: it is `row`.
  void expect_key(const RowKey& key, Index row, Index end) const;
  [[noreturn]] void fail_at(const RowKey& key, const std::string& expected, const std::string& got) const;
  [[noreturn]] void fail_gone(Index row) const { fail_at(key(row), "it to stay", "it deleted during the run"); }
  [[noreturn]] void fail_new(const RowKey& key) const { fail_at(key, "no new rows", "this one during the run"); }

 protected:
  explicit TableStore(std::string name) : name_(std::move(name)) {}

  /// What is known of one row, when the table is first read.
  struct Entry {
    RowKey key;
    double label = 0.0;
    Index width = 0;
    Count nonzeros = 0;
    std::uint64_t fingerprint = 0;  ///< 0: as yet unknown
  };
  /// Rows of one width are as wide as the first.
  void append(Entry entry, bool of_one_width);
  /// Begins again.
  void clear_index();
  void finish_index();

 private:
  std::string name_;
  TableKeys keys_;
  std::vector<double> labels_;
  std::vector<std::uint64_t> fingerprints_;
  std::vector<std::int32_t> lengths_;
  Index features_ = 0;
  Count nonzeros_ = 0;
  bool dense_ = true;
};

}  // namespace slidemesh
