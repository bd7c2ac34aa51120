#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "slidemesh/base/hash.h"
#include "slidemesh/data/store/row_store.h"
#include "table_keys.h"

namespace slidemesh {

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

/// A table of a database: in memory are its rows' keys, labels and fingerprints.
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
  [[nodiscard]] bool is_dense() const { return dense_; }

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
  Index features_ = 0;
  Count nonzeros_ = 0;
  bool dense_ = true;
};

}  // namespace slidemesh
