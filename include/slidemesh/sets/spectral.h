#pragma once

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
  void project(ConstVectorRef x, VectorRef nearest) override;
  [[nodiscard]] double violation(ConstVectorRef x) const override;
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
  void visit_state(StateVisitor& visitor) final { oracle_.visit_state(visitor); }

 protected:
  SymmetricSet(Index side, Index k, double diameter)
      : SetBase<Derived>(side * side, {diameter, spectral_projection_kind(side), true, side}),
        side_(side),
        oracle_(side, k) {}

  /// trace / side times the identity.
  void start_at_centre(double trace, VectorRef x) const {
    x.setZero();
    for (Index i = 0; i < side_; ++i) {
      x[i * (side_ + 1)] = trace / static_cast<double>(side_);
    }
  }

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
  void start(VectorRef x) const override { start_at_centre(total_, x); }

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
  void start(VectorRef x) const override { start_at_centre(static_cast<double>(k_), x); }

 private:
  Index k_;
};

}  // namespace slidemesh
