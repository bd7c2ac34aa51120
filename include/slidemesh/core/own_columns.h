#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "slidemesh/core/rows.h"

namespace slidemesh {

/// A node's rows over those columns alone that they have, numbered anew in the same order: what is computed from them
/// has the same bits, and costs what the rows cost however wide the table is. Which columns these are, the first pass
/// tells: it shows the rows as they are and takes note. Rows that have most columns are shown as they are for good.
///
/// Beside the columns it keeps four bytes for each number of the rows, or for each column of the table where these are
/// fewer.
class OwnColumns final : public RowSource {
 public:
  explicit OwnColumns(std::shared_ptr<RowSource> rows) : source_(std::move(rows)) {}

  [[nodiscard]] Index rows() const override { return source_->rows(); }
  /// Of the table; once the columns are known, as many as there are of them.
  [[nodiscard]] Index features() const override {
    return is_known_ ? static_cast<Index>(columns_.size()) : source_->features();
  }
  void scan(AccessPurpose purpose, const Visit& visit) override;
  RowBlock fetch(AccessPurpose purpose, std::span<const Index> numbers) override;

  [[nodiscard]] bool is_known() const { return is_known_; }
  /// Ascending, once they are known.
  [[nodiscard]] const std::vector<Index>& columns() const { return columns_; }

 private:
  using Slot = std::int32_t;

  void take_note(const RowBlock& block);
  void mark(const Slot* columns, std::size_t count);
  void number_columns();
  void show(const RowBlock& block, Index first, const Visit& visit);
  /// The new numbers of the columns of a row's numbers, the next of the pass.
  void append_slots(const Slot* columns, std::size_t count);

  std::shared_ptr<RowSource> source_;
  bool is_known_ = false;
  bool has_all_ = false;  ///< or most: rows are shown as they are
  std::vector<Index> columns_;
  std::vector<Slot> by_number_;  ///< the slots of all numbers in the order of the rows, where these are few
  std::vector<Slot> by_column_;  ///< or of all columns
  std::size_t next_ = 0;         ///< number of the pass under way
  Rows some_;                    ///< of the pass under way
};

}  // namespace slidemesh
