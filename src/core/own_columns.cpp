#include "slidemesh/core/own_columns.h"

#include <algorithm>
#include <numeric>

#include "slidemesh/base/errors.h"
#include "slidemesh/base/fail.h"

namespace slidemesh {

namespace {

constexpr std::int32_t kNone = -1;

}  // namespace

void OwnColumns::scan(AccessPurpose purpose, const Visit& visit) {
  if (has_all_) {
    source_->scan(purpose, visit);
    return;
  }
  if (is_known_) {
    next_ = 0;
    source_->scan(purpose, [&](const RowBlock& block, Index first) { show(block, first, visit); });
    return;
  }
  source_->scan(purpose, [&](const RowBlock& block, Index first) {
    take_note(block);
    visit(block, first);
  });
  number_columns();
}

RowBlock OwnColumns::fetch(AccessPurpose, std::span<const Index>) {
  throw InternalError("drawn rows were asked of a source that numbers columns anew");
}

void OwnColumns::take_note(const RowBlock& block) {
  if (block.offsets == nullptr) {
    has_all_ = true;
    return;
  }
  for (Index r = 0; r < block.count; ++r) {
    const Index row = block.storage_row(r);
    const auto count = static_cast<std::size_t>(block.offsets[row + 1] - block.offsets[row]);
    mark(block.columns + block.offsets[row], count);
  }
}

/// A list of the numbers' columns, until a table of all columns is the shorter one.
void OwnColumns::mark(const Slot* columns, std::size_t count) {
  const auto features = static_cast<std::size_t>(source_->features());
  if (by_column_.empty() && by_number_.size() + count <= features) {
    by_number_.insert(by_number_.end(), columns, columns + count);
    return;
  }
  if (by_column_.empty()) {
    by_column_.assign(features, kNone);
    for (const Slot column : by_number_) {
      by_column_[static_cast<std::size_t>(column)] = 0;
    }
    std::vector<Slot>().swap(by_number_);
  }
  for (std::size_t k = 0; k < count; ++k) {
    by_column_[static_cast<std::size_t>(columns[k])] = 0;
  }
}

void OwnColumns::number_columns() {
  if (!by_column_.empty()) {
    for (std::size_t j = 0; j < by_column_.size(); ++j) {
      if (by_column_[j] != kNone) {
        by_column_[j] = static_cast<Slot>(columns_.size());
        columns_.push_back(static_cast<Index>(j));
      }
    }
  } else {
    columns_.assign(by_number_.begin(), by_number_.end());
    std::sort(columns_.begin(), columns_.end());
    columns_.erase(std::unique(columns_.begin(), columns_.end()), columns_.end());
    columns_.shrink_to_fit();
    by_number_.shrink_to_fit();
    for (Slot& slot : by_number_) {
      slot = static_cast<Slot>(std::lower_bound(columns_.begin(), columns_.end(), slot) - columns_.begin());
    }
  }
  constexpr std::size_t kMost = 2;  // columns of the table for one of the node's, and numbering anew saves nothing
  const auto features = static_cast<std::size_t>(source_->features());
  has_all_ = has_all_ || kMost * columns_.size() >= features;
  if (has_all_) {
    std::vector<Slot>().swap(by_number_);
    std::vector<Slot>().swap(by_column_);
    columns_.resize(features);
    std::iota(columns_.begin(), columns_.end(), Index{0});
  }
  is_known_ = true;
}

/// Few rows at a time: what is numbered anew is read while it is near.
void OwnColumns::show(const RowBlock& block, Index first, const Visit& visit) {
  for (Index begin = 0; begin < block.count; begin += kBlockRows) {
    const Index end = std::min(begin + kBlockRows, block.count);
    clear_rows(some_, features(), true);
    for (Index r = begin; r < end; ++r) {
      const Index row = block.storage_row(r);
      const auto count = static_cast<std::size_t>(block.offsets[row + 1] - block.offsets[row]);
      append_slots(block.columns + block.offsets[row], count);
      const double* values = block.values + block.offsets[row];
      some_.values.insert(some_.values.end(), values, values + count);
      some_.labels.push_back(block.label(r));
      some_.offsets.push_back(static_cast<std::int64_t>(some_.values.size()));
    }
    visit(view_of(some_), first + begin);
  }
}

/// A source whose rows are not those of the first pass must not lead anywhere.
void OwnColumns::append_slots(const Slot* columns, std::size_t count) {
  const bool has_list = by_column_.empty();
  bool is_known = !has_list || count <= by_number_.size() - next_;
  for (std::size_t k = 0; k < count && is_known; ++k) {
    const Slot slot = has_list ? by_number_[next_ + k] : by_column_[static_cast<std::size_t>(columns[k])];
    is_known = slot != kNone && columns_[static_cast<std::size_t>(slot)] == columns[k];
    some_.columns.push_back(slot);
  }
  require<DataError>(is_known, "a node's data", "rows with the columns of their first pass", "other columns");
  next_ += count;
}

}  // namespace slidemesh
