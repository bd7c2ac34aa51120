#pragma once

#include "slidemesh/linalg/lanczos.h"
#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// The leading eigenvector of a positive semidefinite operator on R^n by Lanczos from where the last search ended, to
/// no more accuracy than is asked for and without allocating anything once it is warm.
class LeadingVector {
 public:
  explicit LeadingVector(Index n);

  /// True, and `vector` has length 1 and v'Sv misses the largest eigenvalue by a share of at most `accuracy`, by
  /// Lanczos' own estimate: its residual is no more, or another application gained next to nothing. Or false, where
  /// that took too long or S is 0 or not finite, and then `vector` is of no use. At least a few applications are made
  /// whatever the accuracy: near an eigenvector that is not the leading one neither says anything.
  [[nodiscard]] bool find(const SymmetricOperator& apply, double accuracy, Vector& vector);

 private:
  static constexpr Index kBasis = 20;

  /// The largest eigenvalue of the tridiagonal matrix of j steps, and its eigenvector into weights_.
  double top_of_tridiagonal(Index j);

  Matrix basis_;  ///< n x kBasis
  Vector next_;
  Vector noise_;  ///< a fixed vector: a warm start may be orthogonal to what is now the leading vector
  double alpha_[kBasis] = {};
  double beta_[kBasis] = {};
  double weights_[kBasis] = {};
};

}  // namespace slidemesh
