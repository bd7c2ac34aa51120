#pragma once

#include <algorithm>
#include <string_view>

#include "slidemesh/linalg/leading_vector.h"
#include "slidemesh/sets/set_base.h"

namespace slidemesh {

// Sets of matrices, column-major. Their oracles need one or a few extreme singular or eigenvectors, found by Lanczos
// from where the last call ended; where that fails its residual check a dense eigendecomposition answers. Membership
// and projections need a full decomposition. Up to a side of kSmallSide that is cheap beside the many oracle calls that
// an inner solver would need in its place (docs/decisions/inner-solver.md), and `inner = "auto"` projects.

inline constexpr Index kSmallSide = 256;

/// For matrices whose smaller side is this.
[[nodiscard]] constexpr ProjectionKind spectral_projection_kind(Index side) {
  return side <= kSmallSide ? ProjectionKind::kClosedForm : ProjectionKind::kExpensive;
}

/// { X (rows x columns) : sum of the singular values of X <= radius }. Its extreme points are radius u v' for unit u,
/// v.
class NuclearBall final : public SetBase<NuclearBall> {
 public:
  static constexpr std::string_view kName = "nuclear-ball";
  NuclearBall(Index rows, Index columns, double radius);

  /// -radius u v' for the leading singular pair of G.
  void linear_minimizer(ConstVectorRef g, VectorRef v) override;
  [[nodiscard]] bool has_rank_one_vertices() const override { return true; }
  [[nodiscard]] LeadingVector& begin_rank_one_search(double accuracy) override;
  void rank_one_minimizer(const SparseColumns& places, ConstVectorRef numbers, VectorRef left,
                          VectorRef right) override;
  [[nodiscard]] ProjectionKind projection_kind() const override {
    return spectral_projection_kind(std::min(rows_, columns_));
  }
  void project(ConstVectorRef x, VectorRef nearest) override;
  [[nodiscard]] bool is_curved() const override { return true; }
  [[nodiscard]] double violation(ConstVectorRef x) const override;
  [[nodiscard]] double diameter() const override { return 2.0 * radius_; }
  void start(VectorRef x) const override { x.setZero(); }
  [[nodiscard]] Index matrix_rows() const override { return rows_; }
  void visit_state(StateVisitor& visitor) override;

 private:
  bool project_by_squaring(ConstVectorRef x, VectorRef nearest) const;
  void leading_left_vector(const double* g);
  void leading_left_vector_densely(const double* g);

  Index rows_;
  Index columns_;
  double radius_;
  Vector warm_;  ///< where the next search begins
  Vector left_;  // work, as are those below
  Vector right_;
  Vector scaled_;  ///< G, where its own scale is not safe to square
  LeadingVector search_;
};

/// What the sets of symmetric matrices share: the k smallest eigenvectors of the symmetric part of G.
class SymmetricOracle {
 public:
  SymmetricOracle(Index side, Index k);

  /// Smallest eigenvalues (of G scaled by its largest entry, smallest first) and their vectors; G = 0 gives unit
  /// vectors.
  void solve(ConstVectorRef g);
  [[nodiscard]] const Vector& values() const { return values_; }
  [[nodiscard]] const Matrix& vectors() const { return vectors_; }
  void visit_state(StateVisitor& visitor);

 private:
  Index side_;
  Index k_;
  Vector warm_;
  Matrix symmetric_;
  Vector values_;
  Matrix vectors_;
};

/// What those sets have in common.
template <class Derived>
class SymmetricSet : public SetBase<Derived> {
 public:
  [[nodiscard]] ProjectionKind projection_kind() const final { return spectral_projection_kind(side_); }
  [[nodiscard]] bool is_curved() const final { return true; }
  [[nodiscard]] Index matrix_rows() const final { return side_; }
  void visit_state(StateVisitor& visitor) final { oracle_.visit_state(visitor); }

 protected:
  SymmetricSet(Index side, Index k) : SetBase<Derived>(side * side), side_(side), oracle_(side, k) {}

  Index side_;
  SymmetricOracle oracle_;
};

/// { X symmetric, X >= 0 (positive semidefinite), trace X = total }.
class Spectraplex final : public SymmetricSet<Spectraplex> {
 public:
  static constexpr std::string_view kName = "spectraplex";
  Spectraplex(Index side, double total);

  /// total q q' for the eigenvector q of the smallest eigenvalue of G.
  void linear_minimizer(ConstVectorRef g, VectorRef v) override;
  void project(ConstVectorRef x, VectorRef nearest) override;
  [[nodiscard]] double violation(ConstVectorRef x) const override;
  [[nodiscard]] double diameter() const override;
  void start(VectorRef x) const override;

 private:
  double total_;
};

/// { X symmetric, X >= 0, trace X <= total }.
class Spectrahedron final : public SymmetricSet<Spectrahedron> {
 public:
  static constexpr std::string_view kName = "spectrahedron";
  Spectrahedron(Index side, double total);

  /// total q q' if the smallest eigenvalue of G is negative, else 0.
  void linear_minimizer(ConstVectorRef g, VectorRef v) override;
  void project(ConstVectorRef x, VectorRef nearest) override;
  [[nodiscard]] double violation(ConstVectorRef x) const override;
  [[nodiscard]] double diameter() const override;
  void start(VectorRef x) const override { x.setZero(); }

 private:
  double total_;
};

/// { X symmetric, 0 <= X <= I, trace X = k }: the hull of the projectors of rank k.
class Fantope final : public SymmetricSet<Fantope> {
 public:
  static constexpr std::string_view kName = "fantope";
  Fantope(Index side, Index k);

  /// The projector onto the k smallest eigenvectors of G.
  void linear_minimizer(ConstVectorRef g, VectorRef v) override;
  void project(ConstVectorRef x, VectorRef nearest) override;
  [[nodiscard]] double violation(ConstVectorRef x) const override;
  [[nodiscard]] double diameter() const override;
  void start(VectorRef x) const override;

 private:
  Index k_;
};

}  // namespace slidemesh
