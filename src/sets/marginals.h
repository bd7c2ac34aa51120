#pragma once

#include "slidemesh/linalg/types.h"

namespace slidemesh::detail {

/// How far a matrix, stored column by column, is from entries >= 0 with the given row and column sums: the largest
/// violation of one of these constraints.
[[nodiscard]] double marginals_violation(ConstVectorRef x, const Vector& row_sums, const Vector& column_sums);

}  // namespace slidemesh::detail
