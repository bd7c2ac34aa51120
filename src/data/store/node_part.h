#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "slidemesh/core/rows.h"
#include "slidemesh/data/partition.h"

namespace slidemesh {

/// Which rows of a table a node has: those that follow one another from the first on, or some from here and there.
class NodePart {
 public:
  NodePart(const Partition& places, Index node)
      : first_(places.first(node)),
        count_(places.count(node)),
        numbers_(places.order.empty() ? std::vector<Index>{} : places.rows(node)) {}

  [[nodiscard]] Index count() const { return count_; }
  [[nodiscard]] bool is_range() const { return numbers_.empty(); }
  /// The table's number of its r-th row.
  [[nodiscard]] Index row(Index r) const { return is_range() ? first_ + r : numbers_[static_cast<std::size_t>(r)]; }
  /// The table's numbers of `size` rows from the r-th on, where they are not a range.
  [[nodiscard]] std::span<const Index> rows(Index r, Index size) const {
    return std::span(numbers_).subspan(static_cast<std::size_t>(r), static_cast<std::size_t>(size));
  }
  /// Of these rows. Valid until the next call.
  std::span<const Index> rows(std::span<const Index> numbers) {
    wanted_.clear();
    for (const Index number : numbers) {
      wanted_.push_back(row(number));
    }
    return wanted_;
  }

 private:
  Index first_;
  Index count_;
  std::vector<Index> numbers_;  ///< none: a range
  std::vector<Index> wanted_;
};

/// The rows of one node in a table, which keeps them.
template <class Table>
class PartSource : public RowSource {
 public:
  PartSource(std::shared_ptr<Table> table, NodePart part) : table_(std::move(table)), part_(std::move(part)) {}

  [[nodiscard]] Index rows() const final { return part_.count(); }
  [[nodiscard]] Index features() const final { return table_->features(); }
  [[nodiscard]] std::optional<RowLengths> lengths() const final {
    if (!table_->is_sparse()) {
      return std::nullopt;
    }
    RowLengths lengths;
    for (Index r = 0; r < rows(); ++r) {
      lengths.add(table_->length(part_.row(r)));
    }
    return lengths;
  }

 protected:
  std::shared_ptr<Table> table_;
  NodePart part_;
};

/// A Source for each node, made of its table and its part.
template <class Source, class Table>
std::vector<std::shared_ptr<RowSource>> sources_of(const std::shared_ptr<Table>& table, const Partition& places) {
  std::vector<std::shared_ptr<RowSource>> sources;
  for (Index i = 0; i < places.nodes(); ++i) {
    sources.push_back(std::make_shared<Source>(table, NodePart(places, i)));
  }
  return sources;
}

}  // namespace slidemesh
