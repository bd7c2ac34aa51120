#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// The places of a matrix's numbers that may differ from zero, column by column; many matrices may share them.
class SparseColumns {
 public:
  /// Numbers that a register holds.
  template <class Real>
  static constexpr Index kTogether = 32 / Index{sizeof(Real)};

  SparseColumns() = default;
  /// From places in the column-major matrix of `rows` rows, ascending.
  SparseColumns(Index rows, Index columns, const std::vector<Count>& places);

  [[nodiscard]] Index rows() const { return rows_; }
  [[nodiscard]] Index columns() const { return static_cast<Index>(first_.size()) - 1; }

  /// Of the numbers of a column.
  [[nodiscard]] std::span<const std::int32_t> rows_of(Index column) const {
    const auto begin = static_cast<std::size_t>(first_[static_cast<std::size_t>(column)]);
    return {row_.data() + begin, static_cast<std::size_t>(first_[static_cast<std::size_t>(column) + 1]) - begin};
  }

  /// out = G'y, for a G with these numbers; out has columns() places.
  void multiply_transposed(const double* numbers, const double* y, double* out) const noexcept;
  /// out = G G'y for kTogether matrices at once, whose numbers lie side by side: those of the first place of each
  /// matrix, then those of the second. So do those of the vectors, of rows() places each. Of doubles or floats.
  template <class Real>
  void multiply_squares(const Real* numbers, const Real* y, Real* out) const noexcept;
  /// G in full.
  void expand(const double* numbers, Vector& out) const;

 private:
  Index rows_ = 0;
  std::vector<std::int32_t> first_ = {0};  ///< of each column, and one past the last
  std::vector<std::int32_t> row_;          ///< of each number
};

}  // namespace slidemesh
