#include <algorithm>
#include <cmath>
#include <optional>

#include "checks.h"
#include "slidemesh/linalg/decompositions.h"
#include "slidemesh/linalg/kernels.h"
#include "slidemesh/linalg/lanczos.h"
#include "slidemesh/linalg/no_allocation.h"
#include "slidemesh/sets/norm_balls.h"
#include "slidemesh/sets/spectral.h"

namespace slidemesh {
namespace {

// Squares of entries beyond these would overflow or vanish.
constexpr double kSafeLargest = 1e100;
constexpr double kSafeSmallest = 1e-100;

using ConstMatrixMap = Eigen::Map<const Matrix>;

/// Restarts of Lanczos after which a decomposition of the Gram matrix of the shorter side n would have been as quick:
/// near a solution over the ball many leading singular values of gradients are almost the same, and Lanczos takes long
/// to tell their vectors apart. A Gram matrix takes n times the work of half a product with G and G', an
/// eigendecomposition some 10 n^3 operations, a restart some 8 products.
Index worthwhile_restarts(Index rows, Index columns) {
  constexpr double kEigenOperations = 10.0;
  constexpr double kProductsPerRestart = 8.0;
  const auto n = static_cast<double>(std::min(rows, columns));
  const auto longer = static_cast<double>(std::max(rows, columns));
  const double products = n * (longer + kEigenOperations * n) / (4.0 * longer);
  return std::clamp<Index>(static_cast<Index>(products / kProductsPerRestart), 1, LanczosOptions{}.restarts);
}

}  // namespace

NuclearBall::NuclearBall(Index rows, Index columns, double radius)
    : SetBase(detail::require_dimension(rows, kName) * detail::require_dimension(columns, kName),
              {2.0 * radius, spectral_projection_kind(std::min(rows, columns)), true, rows}),
      rows_(rows),
      columns_(columns),
      radius_(detail::require_positive(radius, kName, "radius")),
      left_(rows),
      right_(columns),
      search_(rows) {}

/// left_ = leading eigenvector of G G'. One pass over G a product: G G' y = sum over columns g of <g, y> g.
void NuclearBall::leading_left_vector(const double* g) {
  const auto apply = [this, g](const double* y, double* image) {
    std::fill_n(image, rows_, 0.0);
    for (Index j = 0; j < columns_; ++j) {
      const double* column = g + j * rows_;
      axpy(dot(column, y, rows_), column, image, rows_);
    }
  };
  const auto pair =
      std::min(rows_, columns_) < kSmallestForLanczos
          ? std::nullopt
          : leading_eigenpairs(rows_, apply, warm_, {.pairs = 1, .restarts = worthwhile_restarts(rows_, columns_)});
  if (pair) {
    left_ = pair->vectors.col(0);
  } else {
    leading_left_vector_densely(g);
  }
}

void NuclearBall::leading_left_vector_densely(const double* g) {
  const ConstMatrixMap matrix(g, rows_, columns_);
  if (rows_ <= columns_) {
    left_ = symmetric_eigen(matrix * matrix.transpose()).vectors.col(rows_ - 1);
  } else {
    left_ = matrix * symmetric_eigen(matrix.transpose() * matrix).vectors.col(columns_ - 1);
    left_ /= norm(left_);
  }
}

void NuclearBall::linear_minimizer(ConstVectorRef g, VectorRef v) {
  allow_allocation();
  const double largest = std::abs(g[largest_magnitude(g.data(), g.size())]);
  if (largest == 0.0) {
    v.setZero();
    v[0] = radius_;
    return;
  }
  const double* entries = g.data();
  if (largest > kSafeLargest || largest < kSafeSmallest) {
    scaled_ = g / largest;
    entries = scaled_.data();
  }
  leading_left_vector(entries);
  for (Index j = 0; j < columns_; ++j) {
    right_[j] = dot(entries + j * rows_, left_.data(), rows_);
  }
  right_ /= norm(right_);
  left_ /= norm(left_);
  for (Index j = 0; j < columns_; ++j) {
    v.segment(j * rows_, rows_) = (-radius_ * right_[j]) * left_;
  }
}

/// <G, v> = -radius |G'u| of a vertex is a root of u'GG'u: what that may miss is about twice as much.
LeadingVector& NuclearBall::begin_rank_one_search(double accuracy) {
  search_.begin(accuracy * (2.0 - accuracy), warm_);
  return search_;
}

/// A step towards a vertex takes its singular value down, and another one is the largest then: near a solution of some
/// rank that many are nearly the same and lead by turns. So the next search begins with a share of those found lately,
/// half of it for every search since, where the last vector alone may have nothing of the next.
void NuclearBall::remember(ConstVectorRef left) {
  constexpr double kKept = 0.5;
  if (warm_.size() != left.size()) {
    warm_ = left;
    return;
  }
  warm_ *= kKept;
  axpy(dot(warm_.data(), left.data(), rows_) < 0.0 ? -1.0 : 1.0, left.data(), warm_.data(), rows_);
  warm_ /= norm(warm_);
}

/// Numbers beyond what may be squared, all of them 0, and Lanczos that does not end are `linear_minimizer`'s.
void NuclearBall::rank_one_minimizer(const SparseColumns& places, ConstVectorRef numbers, VectorRef left,
                                     VectorRef right) {
  if (search_.state() == LeadingVector::State::kFound) {
    left = search_.vector();
    places.multiply_transposed(numbers.data(), left.data(), right.data());
    const double length = norm(right);
    if (length < kSafeLargest && length > kSafeSmallest) {
      remember(left);
      right *= -radius_ / length;
      return;
    }
  }
  Vector whole;
  Vector vertex(dimension());
  places.expand(numbers.data(), whole);
  linear_minimizer(whole, vertex);
  const ConstMatrixMap matrix(vertex.data(), rows_, columns_);
  Index column = 0;
  matrix.colwise().squaredNorm().maxCoeff(&column);
  left = matrix.col(column).normalized();
  right = matrix.transpose() * left;
}

/// The projection is h(XX')X with h(λ) = max(0, 1 - θ/sqrt(λ)) for the θ that takes the singular values' sum to the
/// radius: an eigendecomposition on the shorter side in place of a much slower singular value decomposition. Squaring
/// blurs singular values near sqrt(eps) of the largest, σ, and rounding of XX' moves the answer by at most
/// eps σ^2/(2θ). False, and nothing done, where that is not small beside σ.
bool NuclearBall::project_by_squaring(ConstVectorRef x, VectorRef nearest) const {
  constexpr double kLeastThreshold = 1e-4;  // of σ: the error is below 1e-12 σ
  constexpr double kBlur = 1e-7;            // of σ, on each singular value
  const ConstMatrixMap matrix(x.data(), rows_, columns_);
  const double size = matrix.stableNorm();
  if (!(size < kSafeLargest) || !(size > kSafeSmallest)) {
    return false;
  }
  const bool is_wide = rows_ <= columns_;
  const SymmetricEigen eigen =
      is_wide ? symmetric_eigen(matrix * matrix.transpose()) : symmetric_eigen(matrix.transpose() * matrix);
  const Vector values = eigen.values.cwiseMax(0.0).cwiseSqrt();  // ascending
  const Index side = values.size();
  const double largest = values(side - 1);
  if (values.sum() + static_cast<double>(side) * kBlur * largest <= radius_) {
    nearest = x;
    return true;
  }
  Vector shrunk(side);
  L1Ball(side, radius_).project(values, shrunk);
  if (!(largest - shrunk(side - 1) > kLeastThreshold * largest)) {
    return false;
  }
  const Index rank = std::count_if(shrunk.begin(), shrunk.end(), [](double value) { return value > 0.0; });
  const auto vectors = eigen.vectors.rightCols(rank);
  const Vector factors = shrunk.tail(rank).cwiseQuotient(values.tail(rank));
  const Matrix scaled = vectors * factors.asDiagonal();
  const Matrix result =
      is_wide ? Matrix(scaled * (vectors.transpose() * matrix)) : Matrix((matrix * vectors) * scaled.transpose());
  Eigen::Map<Matrix>(nearest.data(), rows_, columns_) = result;
  return true;
}

void NuclearBall::project(ConstVectorRef x, VectorRef nearest) {
  allow_allocation();
  if (project_by_squaring(x, nearest)) {
    return;
  }
  const ThinSvd svd = thin_svd(ConstMatrixMap(x.data(), rows_, columns_));
  Vector shrunk(svd.values.size());
  L1Ball(svd.values.size(), radius_).project(svd.values, shrunk);
  if (shrunk == svd.values) {
    nearest = x;
    return;
  }
  const Index rank = std::count_if(shrunk.begin(), shrunk.end(), [](double value) { return value > 0.0; });
  const Matrix left = svd.left.leftCols(rank) * shrunk.head(rank).asDiagonal();
  const Matrix result = left * svd.right.leftCols(rank).transpose();
  Eigen::Map<Matrix>(nearest.data(), rows_, columns_) = result;
}

double NuclearBall::violation(ConstVectorRef x) const {
  return singular_values(ConstMatrixMap(x.data(), rows_, columns_)).sum() - radius_;
}

void NuclearBall::visit_state(StateVisitor& visitor) {
  visitor.visit("nuclear_ball.warm", warm_);
  detail::require_warm_start(warm_, rows_);
}

}  // namespace slidemesh
