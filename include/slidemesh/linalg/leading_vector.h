#pragma once

#include "slidemesh/linalg/lanczos.h"
#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// The leading eigenvector of a positive semidefinite operator on R^n by Lanczos from where the last search ended, to
/// no more accuracy than is asked for and without allocating anything once it is warm.
///
/// A search goes on step by step, and its caller applies the operator: so several searches can share that work.
class LeadingVector {
 public:
  enum class State { kSearching, kFound, kFailed };

  explicit LeadingVector(Index n);

  /// Begins near `start` (of another size than n: anywhere).
  void begin(double accuracy, const Vector& start);
  [[nodiscard]] State state() const { return state_; }
  /// While searching: what S is to be applied to next, n numbers.
  [[nodiscard]] const double* direction() const { return basis_.col(steps_ - 1).data(); }
  /// `image` is S direction(). At least a few applications are made whatever the accuracy: near an eigenvector that is
  /// not the leading one nothing tells so.
  void advance(const double* image);
  /// Once found: has length 1, and v'Sv misses the largest eigenvalue by a share of at most the accuracy, by Lanczos'
  /// own estimate: its residual is no more, or another application gained next to nothing.
  [[nodiscard]] const Vector& vector() const { return next_; }

  /// All of it: true and the vector, or false where it took too long or S is 0 or not finite.
  [[nodiscard]] bool find(const SymmetricOperator& apply, double accuracy, Vector& vector);

 private:
  static constexpr Index kBasis = 20;

  /// next_ becomes the next vector of the basis, if it has a length.
  void extend_basis(double length);
  /// next_ becomes the best vector that the basis has.
  void combine_basis();
  /// value_ and weights_ become those of the tridiagonal matrix with one row and column more.
  void extend_tridiagonal();

  Matrix basis_;  ///< n x kBasis
  Vector next_;
  Vector noise_;  ///< a fixed vector: a warm start may be orthogonal to what is now the leading vector
  State state_ = State::kFailed;
  double accuracy_ = 0.0;
  double size_ = 0.0;   ///< of S, as far as it has been seen
  double value_ = 0.0;  ///< the largest eigenvalue of the tridiagonal matrix
  Index steps_ = 0;     ///< vectors in the basis
  int rounds_ = 0;      ///< of a full basis each
  double alpha_[kBasis] = {};
  double beta_[kBasis] = {};
  double weights_[kBasis] = {};  ///< its eigenvector: what the best vector has of each of the basis
};

}  // namespace slidemesh
