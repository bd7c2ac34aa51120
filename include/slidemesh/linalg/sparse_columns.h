#pragma once

#include <cstdint>
#include <vector>

#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// The places of a matrix's numbers that may differ from zero, column by column; many matrices may share them.
class SparseColumns {
 public:
  static constexpr Index kTogether = 4;  ///< that a register holds

  SparseColumns() = default;
  /// From places in the column-major matrix of `rows` rows, ascending.
  SparseColumns(Index rows, Index columns, const std::vector<Count>& places);

  [[nodiscard]] Index rows() const { return rows_; }
  [[nodiscard]] Index columns() const { return static_cast<Index>(first_.size()) - 1; }

  /// out = G'y, for a G with these numbers; out has columns() places.
  void multiply_transposed(const double* numbers, const double* y, double* out) const noexcept;
  /// out = G G'y for kTogether matrices at once, whose numbers lie side by side: those of the first place of each
  /// matrix, then those of the second. So do those of the vectors, of rows() places each.
  void multiply_squares(const double* numbers, const double* y, double* out) const noexcept;
  /// G in full.
  void expand(const double* numbers, Vector& out) const;

 private:
  Index rows_ = 0;
  std::vector<std::int32_t> first_ = {0};  ///< of each column, and one past the last
  std::vector<std::int32_t> row_;          ///< of each number
};

}  // namespace slidemesh
