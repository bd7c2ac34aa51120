#pragma once

#include <string_view>
#include <utility>

#include "slidemesh/linalg/leading_vector.h"
#include "slidemesh/sets/set_base.h"
#include "slidemesh/sets/simplices.h"

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
  void remember(ConstVectorRef left);

  Index rows_;
  Index columns_;
  double radius_;
  Vector warm_;  ///< where the next search begins
  Vector left_;  // work, as are those below
  Vector right_;
  Vector scaled_;  ///< G, where its own scale is not safe to square
  LeadingVector search_;
};

namespace detail {

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

/// The start of `where` as the diagonal of a matrix.
void start_on_diagonal(const FeasibleSet& where, VectorRef x);
/// The nearest matrix of those whose eigenvalues are in `where`: projects them, keeps the vectors.
void project_eigenvalues(FeasibleSet& where, ConstVectorRef x, VectorRef nearest);

}  // namespace detail

/// The symmetric matrices whose eigenvalues lie in a set of vectors, `Eigenvalues`.
template <class Derived, class Eigenvalues>
class SymmetricSet : public SetBase<Derived> {
 public:
  void project(ConstVectorRef x, VectorRef nearest) final { detail::project_eigenvalues(where_, x, nearest); }
  void start(VectorRef x) const final { detail::start_on_diagonal(where_, x); }
  void visit_state(StateVisitor& visitor) final { oracle_.visit_state(visitor); }

 protected:
  /// An extreme point of it has rank k.
  SymmetricSet(Eigenvalues where, Index k)
      : SetBase<Derived>(where.dimension() * where.dimension(),
                         {where.diameter(), spectral_projection_kind(where.dimension()), true, where.dimension()}),
        oracle_(where.dimension(), k),
        where_(std::move(where)) {}

  [[nodiscard]] Index side() const { return where_.dimension(); }

  detail::SymmetricOracle oracle_;

 private:
  Eigenvalues where_;
};

/// { X symmetric, X >= 0 (positive semidefinite), trace X = total }.
class Spectraplex final : public SymmetricSet<Spectraplex, Simplex> {
 public:
  static constexpr std::string_view kName = "spectraplex";
  Spectraplex(Index side, double total);

  /// total q q' for the eigenvector q of the smallest eigenvalue of G.
  void linear_minimizer(ConstVectorRef g, VectorRef v) override;
  [[nodiscard]] double violation(ConstVectorRef x) const override;

 private:
  double total_;
};

/// { X symmetric, X >= 0, trace X <= total }.
class Spectrahedron final : public SymmetricSet<Spectrahedron, CappedSimplex> {
 public:
  static constexpr std::string_view kName = "spectrahedron";
  Spectrahedron(Index side, double total);

  /// total q q' if the smallest eigenvalue of G is negative, else 0.
  void linear_minimizer(ConstVectorRef g, VectorRef v) override;
  [[nodiscard]] double violation(ConstVectorRef x) const override;

 private:
  double total_;
};

/// { X symmetric, 0 <= X <= I, trace X = k }: the hull of the projectors of rank k.
class Fantope final : public SymmetricSet<Fantope, Hypersimplex> {
 public:
  static constexpr std::string_view kName = "fantope";
  Fantope(Index side, Index k);

  /// The projector onto the k smallest eigenvectors of G.
  void linear_minimizer(ConstVectorRef g, VectorRef v) override;
  [[nodiscard]] double violation(ConstVectorRef x) const override;

 private:
  Index k_;
};

}  // namespace slidemesh
