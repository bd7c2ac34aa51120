#include "lanczos.h"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>

#include "slidemesh/base/random.h"
#include "slidemesh/linalg/kernels.h"

namespace slidemesh {
namespace {

constexpr double kRounding = 1e-12;

void remove_mean(Vector& x) {
  double sum = 0.0;
  for (Index i = 0; i < x.size(); ++i) {
    sum += x[i];
  }
  x.array() -= sum / static_cast<double>(x.size());
}

/// A Krylov basis with its projected, tridiagonal operator.
class Krylov {
 public:
  Krylov(Index n, const SymmetricOperator& apply, const LanczosOptions& options)
      : apply_(apply), options_(options), basis_(n, std::min(options.basis, n)), next_(n) {
    diagonal_.resize(basis_.cols());
    off_diagonal_.resize(basis_.cols());
  }

  /// Builds the space from `start` until it is full or invariant; the best pair in it.
  TopEigenpair best_from(const Vector& start) {
    basis_.col(0) = start / norm(start);
    Index k = 1;
    while (extend(k) && k < basis_.cols()) {
      basis_.col(k) = next_ / off_diagonal_[k - 1];
      ++k;
    }
    return ritz_pair(k);
  }

 private:
  /// Applies the operator to the newest vector, k-1. False once what is left is rounding: then the
  /// space is invariant and its pairs are exact, and to go on would only amplify the rounding.
  bool extend(Index k) {
    work_ = basis_.col(k - 1);
    apply_(work_, next_);
    scale_ = std::max(scale_, norm(next_));
    diagonal_[k - 1] = dot(basis_.col(k - 1), next_);
    for (int pass = 0; pass < 2; ++pass) {  // twice is enough (Kahan; Parlett)
      for (Index j = k - 1; j >= 0; --j) {
        axpy(-dot(basis_.col(j), next_), basis_.col(j).data(), next_.data(), next_.size());
      }
      if (options_.orthogonal_to_constants) {
        remove_mean(next_);
      }
    }
    off_diagonal_[k - 1] = norm(next_);
    return off_diagonal_[k - 1] > kRounding * scale_;
  }

  TopEigenpair ritz_pair(Index k) {
    Eigen::SelfAdjointEigenSolver<Matrix> small;
    small.computeFromTridiagonal(diagonal_.head(k), off_diagonal_.head(k - 1));
    TopEigenpair pair;
    pair.value = small.eigenvalues()[k - 1];
    pair.vector = Vector::Zero(basis_.rows());
    for (Index j = 0; j < k; ++j) {
      axpy(small.eigenvectors()(j, k - 1), basis_.col(j).data(), pair.vector.data(), pair.vector.size());
    }
    pair.vector /= norm(pair.vector);
    apply_(pair.vector, next_);
    if (options_.orthogonal_to_constants) {
      remove_mean(next_);
    }
    next_ -= pair.value * pair.vector;
    pair.residual = norm(next_);
    return pair;
  }

  const SymmetricOperator& apply_;
  const LanczosOptions& options_;
  Matrix basis_;
  Vector diagonal_;
  Vector off_diagonal_;
  double scale_ = 0.0;  ///< the operator's norm, as far as it has shown
  Vector next_;
  Vector work_;
};

}  // namespace

TopEigenpair top_eigenpair(Index n, const SymmetricOperator& apply, const LanczosOptions& options) {
  Vector start(n);
  RandomStream random(0, Purpose::kPowerMethod);
  for (Index i = 0; i < n; ++i) {
    start[i] = random.normal();
  }
  if (options.orthogonal_to_constants) {
    remove_mean(start);
  }
  Krylov krylov(n, apply, options);
  TopEigenpair best = krylov.best_from(start);
  for (int restart = 0; restart < options.restarts && best.residual > options.tolerance * std::abs(best.value);
       ++restart) {
    best = krylov.best_from(best.vector);
  }
  return best;
}

}  // namespace slidemesh
