#pragma once

#include <span>
#include <vector>

#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// A stacked variable most of whose rows hold one number per column, mostly zero: the other rows are kept, with their
/// places, and one more for all that are not. So memory, and what is done row by row, follow the rows that are kept.
class CompactStacked {
 public:
  CompactStacked() = default;
  /// Zero.
  CompactStacked(Index rows, Index columns) : rows_(rows), numbers_(Stacked::Zero(1, columns)) {}
  /// Every column is this one.
  CompactStacked(ConstVectorRef column, Index columns);
  explicit CompactStacked(const Stacked& whole);
  /// Zero but in the rows at these places, which ascend.
  CompactStacked(Index rows, std::vector<Index> places, const Stacked& kept);

  [[nodiscard]] Index rows() const { return rows_; }
  [[nodiscard]] Index columns() const { return numbers_.cols(); }
  /// Of the rows that are kept, ascending.
  [[nodiscard]] const std::vector<Index>& places() const { return places_; }
  [[nodiscard]] Index kept() const { return static_cast<Index>(places_.size()); }
  /// The rows that are kept, and behind them the one that all others are.
  [[nodiscard]] Stacked& numbers() { return numbers_; }
  [[nodiscard]] const Stacked& numbers() const { return numbers_; }
  /// What column i has in all rows that are not kept.
  [[nodiscard]] double rest(Index i) const { return numbers_(kept(), i); }
  [[nodiscard]] bool rest_is_zero() const { return (numbers_.row(kept()).array() == 0.0).all(); }

  /// Keeps these rows too; the places ascend.
  void include(std::span<const Index> places);
  /// Keeps no row that is, to the last bit, what the others are.
  void drop_ordinary_rows();

  /// All rows of a column that has these numbers: a number for each place, and behind them the rest's.
  void expand(ConstVectorRef numbers, VectorRef out) const;
  [[nodiscard]] Vector expanded(ConstVectorRef numbers) const;
  [[nodiscard]] Stacked whole() const;

 private:
  Index rows_ = 0;
  std::vector<Index> places_;
  Stacked numbers_;  ///< a row for each place, and the rest's
};

}  // namespace slidemesh
