#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "checks.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/linalg/decompositions.h"
#include "slidemesh/linalg/kernels.h"
#include "slidemesh/linalg/lanczos.h"
#include "slidemesh/linalg/no_allocation.h"
#include "slidemesh/sets/simplices.h"
#include "slidemesh/sets/spectral.h"

namespace slidemesh {
namespace {

using ConstMatrixMap = Eigen::Map<const Matrix>;

/// Eigenvectors that are not orthonormal to this would make a point that is not in the set.
constexpr double kOrthogonality = 1e-11;

double asymmetry(const ConstMatrixMap& x) { return (x - x.transpose()).cwiseAbs().maxCoeff(); }

/// The nearest matrix of a set that is given by where its eigenvalues may be: project them, keep the vectors.
void project_eigenvalues(FeasibleSet& where, Index side, ConstVectorRef x, VectorRef nearest) {
  allow_allocation();
  auto [values, vectors] = symmetric_eigen(ConstMatrixMap(x.data(), side, side));
  where.project(values, values);
  const Matrix result = vectors * values.asDiagonal() * vectors.transpose();
  Eigen::Map<Matrix>(nearest.data(), side, side) = 0.5 * (result + result.transpose());
}

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

}  // namespace

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
  detail::require_warm_start(warm_, side_);
}

// ---- spectraplex -------------------------------------------------------------------------------

Spectraplex::Spectraplex(Index side, double total)
    : SymmetricSet(detail::require_dimension(side, kName), 1, side > 1 ? std::numbers::sqrt2 * total : 0.0),
      total_(detail::require_positive(total, kName, "total")) {}

void Spectraplex::linear_minimizer(ConstVectorRef g, VectorRef v) {
  oracle_.solve(g);
  rank_one(total_ / squared_norm(oracle_.vectors().col(0)), oracle_.vectors().col(0), v);
}

void Spectraplex::project(ConstVectorRef x, VectorRef nearest) {
  Simplex where(side_, total_);
  project_eigenvalues(where, side_, x, nearest);
}

double Spectraplex::violation(ConstVectorRef x) const {
  const ConstMatrixMap matrix(x.data(), side_, side_);
  return std::max({std::abs(matrix.trace() - total_), -symmetric_eigenvalues(matrix)[0], asymmetry(matrix)});
}

// ---- spectrahedron -----------------------------------------------------------------------------

Spectrahedron::Spectrahedron(Index side, double total)
    : SymmetricSet(detail::require_dimension(side, kName), 1, side > 1 ? std::numbers::sqrt2 * total : total),
      total_(detail::require_positive(total, kName, "total")) {}

void Spectrahedron::linear_minimizer(ConstVectorRef g, VectorRef v) {
  oracle_.solve(g);
  if (oracle_.values()[0] >= 0.0) {
    v.setZero();
    return;
  }
  rank_one(total_ / squared_norm(oracle_.vectors().col(0)), oracle_.vectors().col(0), v);
}

void Spectrahedron::project(ConstVectorRef x, VectorRef nearest) {
  CappedSimplex where(side_, total_);
  project_eigenvalues(where, side_, x, nearest);
}

double Spectrahedron::violation(ConstVectorRef x) const {
  const ConstMatrixMap matrix(x.data(), side_, side_);
  return std::max({matrix.trace() - total_, -symmetric_eigenvalues(matrix)[0], asymmetry(matrix)});
}

// ---- fantope -----------------------------------------------------------------------------------

Fantope::Fantope(Index side, Index k)
    : SymmetricSet(detail::require_dimension(side, kName), k,
                   std::sqrt(2.0 * static_cast<double>(std::min(k, side - k)))),
      k_(k) {
  if (k < 1 || k > side) {
    fail<UsageError>("fantope", fmt::format("1 <= k <= {}", side), std::to_string(k));
  }
}

void Fantope::linear_minimizer(ConstVectorRef g, VectorRef v) {
  oracle_.solve(g);
  const Matrix& vectors = oracle_.vectors();
  for (Index j = 0; j < side_; ++j) {
    for (Index i = 0; i <= j; ++i) {
      double entry = 0.0;
      for (Index l = 0; l < k_; ++l) {
        entry += vectors(i, l) * vectors(j, l);
      }
      v[i + j * side_] = entry;
      v[j + i * side_] = entry;
    }
  }
}

void Fantope::project(ConstVectorRef x, VectorRef nearest) {
  Hypersimplex where(side_, k_);
  project_eigenvalues(where, side_, x, nearest);
}

double Fantope::violation(ConstVectorRef x) const {
  const ConstMatrixMap matrix(x.data(), side_, side_);
  const Vector values = symmetric_eigenvalues(matrix);
  return std::max(
      {std::abs(matrix.trace() - static_cast<double>(k_)), -values[0], values[side_ - 1] - 1.0, asymmetry(matrix)});
}

}  // namespace slidemesh
