// Block Lanczos from random vectors (J. Cullum and W. Donath 1974; as randomized block Krylov iteration C. Musco and
// C. Musco 2015). One application of S to a block costs one pass over the rows that S is made of, and a block knows far
// more than a vector.
//
// Why the bound holds. Let u be the leading eigenvector, λ = 1 its eigenvalue and Ω = uω' + rest the first block, whose
// n b numbers are independent and normal. The vector Ωω/|ω|² = u + r has |r|² = χ²_n-1 / χ²_b. After k applications
// every p(S)(u + r) with a polynomial p of degree k - 1 is within reach. With Chebyshev's that is 1 at 1 and at most
// 1/T, T = T_{k-1}((1 + ε)/(1 - ε)), on [0, 1 - ε], its Rayleigh quotient is at least 1 - ε - |r|²/T², for every ε.

#include "slidemesh/linalg/block_lanczos.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "slidemesh/base/random.h"
#include "slidemesh/linalg/decompositions.h"

namespace slidemesh {

namespace {

constexpr double kMiss = 0.2;
constexpr double kLogUnlikely = -20.7;          ///< log 1e-9: how often the bound may not hold
constexpr Index kMostNumbers = Index{1} << 22;  ///< of a block: 32 MB
constexpr Index kMostWidth = 16;   ///< twice as many take twice the operations and one application less in ten
constexpr double kNothing = 1e-7;  ///< of S's size: directions in which S brings so little are left out

/// What |r|² exceeds once in 10^9 at most: by x e^{1-x} for the share x of its mean that χ²_b is not below, and twice
/// its mean for χ²_n, which many n come nowhere near.
double largest_squared_rest(Index n, Index width) {
  const double log_tail = 2.0 * kLogUnlikely / static_cast<double>(width);
  double low = 0.0;
  double high = 1.0;
  for (int halving = 0; halving < 200; ++halving) {
    const double x = 0.5 * (low + high);
    (std::log(x) + 1.0 - x < log_tail ? low : high) = x;
  }
  return 2.0 * static_cast<double>(n) / (static_cast<double>(width) * low);
}

/// The least ε + |r|²/T².
double miss_after(Index applications, double squared_rest) {
  double least = 1.0;
  for (double epsilon = 0.01; epsilon < 1.0; epsilon += 0.01) {
    const double degree = static_cast<double>(applications - 1);
    const double T = std::cosh(degree * std::acosh((1.0 + epsilon) / (1.0 - epsilon)));
    least = std::min(least, epsilon + squared_rest / (T * T));
  }
  return least;
}

VectorBlock random_block(Index n, Index width) {
  VectorBlock block(n, width);
  RandomStream random(1, Purpose::kPowerMethod);
  for (double& number : block.reshaped<Eigen::RowMajor>()) {
    number = random.normal();
  }
  return block;
}

/// block = Q R with orthonormal columns in Q, which takes its place; R is what is returned. Directions of a length of
/// no more than `nothing` are left out, so that Q may be narrower.
Matrix orthonormalize(VectorBlock& block, double nothing) {
  const Matrix gram = block.transpose() * block;
  const Eigen::SelfAdjointEigenSolver<Matrix> pairs(gram);
  const Vector lengths = pairs.eigenvalues().cwiseMax(0.0).cwiseSqrt();  // ascending
  const Index left_out = std::count_if(lengths.begin(), lengths.end(), [&](double l) { return !(l > nothing); });
  const Index kept = lengths.size() - left_out;
  const Matrix directions = pairs.eigenvectors().rightCols(kept);
  block = block * (directions * lengths.tail(kept).cwiseInverse().asDiagonal());
  return lengths.tail(kept).asDiagonal() * directions.transpose();
}

}  // namespace

EigenvalueSearch plan_eigenvalue_search(Index n) {
  EigenvalueSearch search;
  search.width = std::clamp<Index>(kMostNumbers / n, 1, std::min(n, kMostWidth));
  const double squared_rest = largest_squared_rest(n, search.width);
  do {
    search.miss = miss_after(++search.applications, squared_rest);
  } while (search.miss > kMiss);
  return search;
}

double bound_largest_eigenvalue(Index n, const BlockOperator& apply, const EigenvalueSearch& search) {
  VectorBlock Q = random_block(n, search.width);
  static_cast<void>(orthonormalize(Q, 0.0));
  VectorBlock before = VectorBlock::Zero(n, 0);
  Matrix R = Matrix::Zero(Q.cols(), 0);  // how Q hangs together with the block before
  Matrix T;                              // S over all blocks so far: block tridiagonal
  double scale = 0.0;                    // about S's size: squares of large numbers overflow
  const auto largest = [&T] { return std::max(0.0, largest_eigenvalue(T)); };
  for (Index k = 1; k <= search.applications; ++k) {
    VectorBlock W = VectorBlock::Zero(n, Q.cols());
    apply(Q, W);
    if (!W.allFinite()) {
      return std::numeric_limits<double>::infinity();
    }
    const Index size = T.rows();
    Matrix A = Q.transpose() * W;
    A = (0.5 * (A + A.transpose())).eval();
    T.conservativeResizeLike(Matrix::Zero(size + Q.cols(), size + Q.cols()));
    T.bottomRightCorner(Q.cols(), Q.cols()) = A;
    T.block(size, size - before.cols(), Q.cols(), before.cols()) = R;
    T.block(size - before.cols(), size, before.cols(), Q.cols()) = R.transpose();
    if (k == search.applications) {
      break;
    }
    scale = std::max(scale, A.cwiseAbs().maxCoeff());
    W -= Q * A + before * R.transpose();
    for (int twice = 0; twice < 2; ++twice) {  // what rounding left
      W -= Q * (Q.transpose() * W).eval() + before * (before.transpose() * W).eval();
    }
    before.swap(Q);
    Q.swap(W);
    if (scale > 0.0) {
      Q /= scale;
    }
    R = scale * orthonormalize(Q, kNothing);
    if (Q.cols() == 0) {  // all that S makes of the first block has been seen
      return largest() * (1.0 + kNothing);
    }
  }
  return largest() / (1.0 - search.miss);
}

}  // namespace slidemesh
