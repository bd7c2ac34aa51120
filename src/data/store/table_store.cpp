#include "table_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "slidemesh/base/fail.h"
#include "slidemesh/data/formats/row_reader.h"

namespace slidemesh {

NewRow::NewRow(Rows& rows, bool dense, double label) : rows_(rows), begin_(rows.values.size()), dense_(dense) {
  hash_.add(label);
  if (dense_) {
    rows_.values.resize(begin_ + static_cast<std::size_t>(rows_.features), 0.0);
  }
}

void NewRow::put(Index column, double value) {
  hash_.add(value);
  hash_.add(static_cast<std::uint64_t>(column));
  if (value == 0.0) {
    return;
  }
  if (dense_) {
    rows_.values[begin_ + static_cast<std::size_t>(column)] = value;
  } else {
    rows_.columns.push_back(static_cast<std::int32_t>(column));
    rows_.values.push_back(value);
  }
}

std::uint64_t NewRow::finish() {
  if (!dense_) {
    rows_.offsets.push_back(static_cast<std::int64_t>(rows_.values.size()));
  }
  return std::max<std::uint64_t>(hash_.value(), 1);
}

void TableStore::fail_at(const RowKey& key, const std::string& expected, const std::string& got) const {
  fail<DataError>(fmt::format("{}: row with key {}", name_, shown(key)), expected, got);
}

void TableStore::append(Entry entry, bool of_one_width) {
  const bool is_first = rows() == 0;
  if (!is_first && keys_.are_text() != std::holds_alternative<std::string>(entry.key)) {
    fail_at(entry.key, "keys that are all integers or all text", "both");
  }
  if (!is_first && keys_.is(rows() - 1, entry.key)) {
    fail_at(entry.key, "no other row with this key", "one");
  }
  if (of_one_width && !is_first && entry.width != features_) {
    fail_at(entry.key, fmt::format("an array of {} numbers as in the first row", features_),
            std::to_string(entry.width));
  }
  if (entry.width > kMostFeatures) {
    fail_at(entry.key, fmt::format("at most {} features", kMostFeatures), std::to_string(entry.width));
  }
  features_ = std::max(features_, entry.width);
  nonzeros_ += entry.nonzeros;
  keys_.push(std::move(entry.key));
  labels_.push_back(entry.label);
  fingerprints_.push_back(entry.fingerprint);
  lengths_.push_back(static_cast<std::int32_t>(entry.nonzeros));
}

void TableStore::clear_index() {
  keys_.clear();
  labels_.clear();
  fingerprints_.clear();
  lengths_.clear();
  nonzeros_ = 0;
  features_ = 0;
}

void TableStore::finish_index() {
  require<DataError>(rows() > 0, name_, "rows", "none");
  require<DataError>(features_ > 0, name_, "a feature in some row", "labels alone");
  keys_.finish();
  dense_ = dense_is_faster(rows(), features_, nonzeros_);
}

void TableStore::recognize(Index row, std::uint64_t fingerprint) {
  std::uint64_t& known = fingerprints_[static_cast<std::size_t>(row)];
  if (known == 0) {
    known = fingerprint;
  } else if (known != fingerprint) {
    fail_at(key(row), "it to stay as it was", "a change during the run");
  }
}

void TableStore::expect_key(const RowKey& key, Index row, Index end) const {
  if (row < end && keys_.is(row, key)) {
    return;
  }
  const std::optional<Index> known = keys_.find(key);
  if (row == end || !known || *known < row) {
    fail_new(key);
  }
  fail_gone(row);
}

}  // namespace slidemesh
