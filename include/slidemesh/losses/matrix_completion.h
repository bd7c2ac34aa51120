#pragma once

#include <span>

#include "slidemesh/core/rows.h"
#include "slidemesh/losses/least_squares.h"

namespace slidemesh {

/// One known entry of an unknown matrix.
struct MatrixEntry {
  Index row = 0;
  Index column = 0;
  double value = 0.0;
};

/// l(y, X) = (X_rc - y)^2 / 2 for a known entry y at (r, c): least squares on data rows that have a
/// single 1, at the place of (r, c) in the column-major X. Its own name, so that a config can say what
/// is meant; `entry_rows` makes the data. As for every loss, f~_i is the mean over a node's entries,
/// so L~ = (most often an entry is repeated at a node) / n_i.
class MatrixCompletion final : public LeastSquares {
 public:
  [[nodiscard]] std::string_view name() const override { return "matrix-completion"; }
  [[nodiscard]] bool has_single_features() const override { return true; }
};

/// The data row of each entry, sparse, `matrix_rows * matrix_columns` features. DataError for an entry
/// outside of the matrix or a value that is not finite.
[[nodiscard]] Rows entry_rows(Index matrix_rows, Index matrix_columns, std::span<const MatrixEntry> entries);

}  // namespace slidemesh
