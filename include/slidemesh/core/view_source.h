#pragma once

#include <memory>
#include <span>
#include <vector>

#include "slidemesh/core/rows.h"

namespace slidemesh {

/// Rows that someone else holds in memory, without a copy: those from `first` on of `storage` (which has no selection),
/// or those of the given numbers in that order. `owner` keeps the memory alive. The same bits as from a copy.
class ViewSource final : public RowSource {
 public:
  ViewSource(const RowBlock& storage, std::shared_ptr<const void> owner, Index first, Index count);
  ViewSource(const RowBlock& storage, std::shared_ptr<const void> owner, std::vector<Index> numbers);

  [[nodiscard]] Index rows() const override { return block_.count; }
  [[nodiscard]] Index features() const override { return block_.features; }
  [[nodiscard]] std::optional<RowLengths> lengths() const override { return lengths_of(block_); }
  void scan(AccessPurpose purpose, const Visit& visit) override;
  RowBlock fetch(AccessPurpose purpose, std::span<const Index> numbers) override;

 private:
  RowBlock block_;  ///< this source's rows
  std::shared_ptr<const void> owner_;
  std::vector<Index> numbers_;   ///< of the storage; empty: one after the other
  std::vector<Index> selected_;  ///< what the last fetch asked for, in numbers of the storage
};

}  // namespace slidemesh
