#pragma once

// Small dense systems, of tens to hundreds of unknowns, solved over and over: one order of summation, nothing
// allocated.

#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// out += the sum of v_j a_j over the columns a_j of a matrix whose columns are `stride` apart, in their order. Columns
/// of v_j = 0 are not looked at.
void add_columns(const double* columns, Index stride, ConstVectorRef v, double* out, Index n) noexcept;

/// A lower triangle L, its columns `stride` apart, with the reciprocals of its diagonal.
struct LowerTriangle {
  const double* columns = nullptr;
  Index stride = 0;
  const double* reciprocals = nullptr;
  Index size = 0;
};

/// r = L^{-1} r.
void solve_lower(const LowerTriangle& L, double* r) noexcept;
/// r = L'^{-1} r.
void solve_lower_transposed(const LowerTriangle& L, double* r) noexcept;
/// The same for s too, with the bits of one after the other in little more than the time of one.
void solve_lower(const LowerTriangle& L, double* r, double* s) noexcept;
void solve_lower_transposed(const LowerTriangle& L, double* r, double* s) noexcept;

}  // namespace slidemesh
