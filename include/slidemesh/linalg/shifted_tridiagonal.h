#pragma once

#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// A symmetric positive definite matrix as Q = E T E', E orthogonal and T tridiagonal: O(n^3) once, then O(n) for every
/// system with T + shift. Columns are reduced from the largest diagonal to the smallest, so that rounding in each is
/// relative to its own size (R. Martin, C. Reinsch, J. Wilkinson, "Householder's tridiagonalization of a symmetric
/// matrix", 1968, on graded matrices).
class ShiftedTridiagonal {
 public:
  void decompose(const Matrix& Q);
  [[nodiscard]] Index size() const { return diagonal_.size(); }

  /// out = E'v. The two may not be one, here and below.
  void rotate(ConstVectorRef v, VectorRef out) const;
  /// out = E v.
  void rotate_back(ConstVectorRef v, VectorRef out) const;
  /// out = T v.
  void multiply(ConstVectorRef v, VectorRef out) const;

  /// What `solve` is for from now on: T + shift, shift >= 0.
  void shift(double shift);
  /// r = (T + shift)^{-1} r.
  void solve(VectorRef r) const;

 private:
  Matrix E_;
  Vector diagonal_;     ///< of T
  Vector beside_;       ///< below it
  double least_ = 0.0;  ///< that a pivot may be: T's own diagonal may have become 0 or less by rounding
  Vector pivots_;       ///< T + shift = L diag(pivots) L', 1 on L's diagonal
  Vector lower_;        ///< below it
};

}  // namespace slidemesh
