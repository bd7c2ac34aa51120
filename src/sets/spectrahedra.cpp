#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "checks.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/linalg/decompositions.h"
#include "slidemesh/linalg/kernels.h"
#include "slidemesh/linalg/lanczos.h"
#include "slidemesh/linalg/no_allocation.h"
#include "slidemesh/sets/spectral.h"

namespace slidemesh {
namespace {

using ConstMatrixMap = Eigen::Map<const Matrix>;

/// Eigenvectors that are not orthonormal to this would make a point that is not in the set.
constexpr double kOrthogonality = 1e-11;

double asymmetry(const ConstMatrixMap& x) { return (x - x.transpose()).cwiseAbs().maxCoeff(); }

/// v = factor q q', exactly symmetric.
void rank_one(double factor, const Vector& q, VectorRef v) {
  const Index n = q.size();
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i <= j; ++i) {
      const double entry = factor * (q[i] * q[j]);
      v[i + j * n] = entry;
      v[j + i * n] = entry;
    }
  }
}

Index require_rank(Index k, Index side) {
  require<UsageError>(k >= 1 && k <= side, "fantope", fmt::format("1 <= k <= {}", side), std::to_string(k));
  return k;
}

}  // namespace

namespace detail {

void start_on_diagonal(const FeasibleSet& where, VectorRef x) {
  Vector diagonal(where.dimension());
  where.start(diagonal);
  Eigen::Map<Matrix>(x.data(), diagonal.size(), diagonal.size()) = diagonal.asDiagonal();
}

void project_eigenvalues(FeasibleSet& where, ConstVectorRef x, VectorRef nearest) {
  allow_allocation();
  const Index side = where.dimension();
  auto [values, vectors] = symmetric_eigen(ConstMatrixMap(x.data(), side, side));
  where.project(values, values);
  const Matrix result = vectors * values.asDiagonal() * vectors.transpose();
  Eigen::Map<Matrix>(nearest.data(), side, side) = 0.5 * (result + result.transpose());
}

SymmetricOracle::SymmetricOracle(Index side, Index k) : side_(side), k_(k), symmetric_(side, side) {}

void SymmetricOracle::solve(ConstVectorRef g) {
  allow_allocation();
  const double largest = std::abs(g[largest_magnitude(g.data(), g.size())]);
  if (largest == 0.0) {
    values_.setZero(k_);
    vectors_ = Matrix::Identity(side_, k_);
    return;
  }
  for (Index j = 0; j < side_; ++j) {
    for (Index i = 0; i < side_; ++i) {
      symmetric_(i, j) = -0.5 * (g[i + j * side_] / largest + g[j + i * side_] / largest);
    }
  }
  const auto apply = [this](const double* x, double* y) {
    for (Index j = 0; j < side_; ++j) {
      y[j] = dot(symmetric_.col(j).data(), x, side_);
    }
  };
  if (side_ >= kSmallestForLanczos && 3 * k_ <= side_) {
    const auto pairs = leading_eigenpairs(side_, apply, warm_, {.pairs = k_});
    if (pairs && (pairs->vectors.transpose() * pairs->vectors - Matrix::Identity(k_, k_)).cwiseAbs().maxCoeff() <=
                     kOrthogonality) {
      values_ = -pairs->values;
      vectors_ = pairs->vectors;
      return;
    }
  }
  const auto [values, vectors] = symmetric_eigen(symmetric_);
  values_ = -values.tail(k_).reverse();
  vectors_ = vectors.rightCols(k_).rowwise().reverse();
}

void SymmetricOracle::visit_state(StateVisitor& visitor) {
  visitor.visit("symmetric_oracle.warm", warm_);
  require_warm_start(warm_, side_);
}

}  // namespace detail

// ---- spectraplex -------------------------------------------------------------------------------

Spectraplex::Spectraplex(Index side, double total)
    : SymmetricSet(Simplex(detail::require_dimension(side, kName), detail::require_positive(total, kName, "total")), 1),
      total_(total) {}

void Spectraplex::linear_minimizer(ConstVectorRef g, VectorRef v) {
  oracle_.solve(g);
  rank_one(total_ / squared_norm(oracle_.vectors().col(0)), oracle_.vectors().col(0), v);
}

double Spectraplex::violation(ConstVectorRef x) const {
  const ConstMatrixMap matrix(x.data(), side(), side());
  return std::max({std::abs(matrix.trace() - total_), -symmetric_eigenvalues(matrix)[0], asymmetry(matrix)});
}

// ---- spectrahedron -----------------------------------------------------------------------------

Spectrahedron::Spectrahedron(Index side, double total)
    : SymmetricSet(
          CappedSimplex(detail::require_dimension(side, kName), detail::require_positive(total, kName, "total")), 1),
      total_(total) {}

void Spectrahedron::linear_minimizer(ConstVectorRef g, VectorRef v) {
  oracle_.solve(g);
  if (oracle_.values()[0] >= 0.0) {
    v.setZero();
    return;
  }
  rank_one(total_ / squared_norm(oracle_.vectors().col(0)), oracle_.vectors().col(0), v);
}

double Spectrahedron::violation(ConstVectorRef x) const {
  const ConstMatrixMap matrix(x.data(), side(), side());
  return std::max({matrix.trace() - total_, -symmetric_eigenvalues(matrix)[0], asymmetry(matrix)});
}

// ---- fantope -----------------------------------------------------------------------------------

Fantope::Fantope(Index side, Index k)
    : SymmetricSet(Hypersimplex(detail::require_dimension(side, kName), require_rank(k, side)), k), k_(k) {}

void Fantope::linear_minimizer(ConstVectorRef g, VectorRef v) {
  oracle_.solve(g);
  const Matrix& vectors = oracle_.vectors();
  const Index n = side();
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i <= j; ++i) {
      double entry = 0.0;
      for (Index l = 0; l < k_; ++l) {
        entry += vectors(i, l) * vectors(j, l);
      }
      v[i + j * n] = entry;
      v[j + i * n] = entry;
    }
  }
}

double Fantope::violation(ConstVectorRef x) const {
  const ConstMatrixMap matrix(x.data(), side(), side());
  const Vector values = symmetric_eigenvalues(matrix);
  return std::max(
      {std::abs(matrix.trace() - static_cast<double>(k_)), -values[0], values[side() - 1] - 1.0, asymmetry(matrix)});
}

}  // namespace slidemesh
