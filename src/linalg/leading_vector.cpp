// C. Lanczos 1950; with all vectors of the basis made orthogonal to one another again at every step, and begun anew
// from the best vector where the basis is full.

#include "slidemesh/linalg/leading_vector.h"

#include <algorithm>
#include <cmath>

#include "slidemesh/base/random.h"
#include "slidemesh/linalg/kernels.h"

namespace slidemesh {

namespace {

constexpr double kNoise = 1e-3;
constexpr double kNothing = 1e-13;  ///< of a vector's length: rounding
constexpr double kGain = 0.1;       ///< of the accuracy, by one more application: the value is settled
constexpr Index kFewest = 4;        ///< applications
constexpr int kMostRounds = 12;     ///< of a full basis each

}  // namespace

LeadingVector::LeadingVector(Index n) : basis_(n, std::min(n, kBasis)), next_(n), noise_(n) {
  RandomStream random(1, Purpose::kPowerMethod);
  for (double& value : noise_) {
    value = random.uniform(-1.0, 1.0);
  }
  noise_ *= kNoise / norm(noise_);
}

/// With d_1 = λ - α_1, d_i = λ - α_i - β²_{i-1}/d_{i-1}, the characteristic polynomial is the product of the d_i.
/// Beyond its largest root it is convex, so that Newton's method comes down to that root from the right; the
/// eigenvector's components have the quotients d_i/β_i.
double LeadingVector::top_of_tridiagonal(Index j) {
  constexpr int kMostSteps = 60;
  constexpr double kEnough = 1e-15;
  double bound = 0.0;  // Gershgorin's
  for (Index i = 0; i < j; ++i) {
    bound = std::max(bound, alpha_[i] + (i > 0 ? beta_[i - 1] : 0.0) + (i + 1 < j ? beta_[i] : 0.0));
  }
  double lambda = bound * (1.0 + 1e-12);
  for (int step = 0; step < kMostSteps; ++step) {
    double d = lambda - alpha_[0];
    double slope = 1.0;
    double sum = slope / d;  // of d_i'/d_i
    for (Index i = 1; i < j && d > 0.0; ++i) {
      const double square = beta_[i - 1] * beta_[i - 1];
      slope = 1.0 + square * slope / (d * d);
      d = lambda - alpha_[i] - square / d;
      sum += slope / d;
    }
    if (!(d > 0.0) || !(1.0 / sum > kEnough * lambda)) {
      break;
    }
    lambda -= 1.0 / sum;
  }
  double d = lambda - alpha_[0];
  double square = 1.0;
  weights_[0] = 1.0;
  for (Index i = 1; i < j; ++i) {
    weights_[i] = weights_[i - 1] * d / beta_[i - 1];
    square += weights_[i] * weights_[i];
    d = lambda - alpha_[i] - beta_[i - 1] * beta_[i - 1] / d;
  }
  for (Index i = 0; i < j; ++i) {
    weights_[i] /= std::sqrt(square);
  }
  return lambda;
}

bool LeadingVector::find(const SymmetricOperator& apply, double accuracy, Vector& vector) {
  const Index n = next_.size();
  const Index most = basis_.cols();
  next_ = noise_;
  if (vector.size() == n) {
    next_ += vector;
  }
  double size = 0.0;  // of S, as far as it has been seen
  for (int round = 0; round < kMostRounds; ++round) {
    double length = norm(next_);
    double value_before = 0.0;
    for (Index j = 1; j <= most; ++j) {
      if (!(length > 0.0) || !std::isfinite(length)) {
        return false;
      }
      basis_.col(j - 1) = next_ / length;
      apply(basis_.col(j - 1).data(), next_.data());
      alpha_[j - 1] = dot(next_, basis_.col(j - 1));
      for (Index i = j - 1; i >= 0; --i) {
        axpy(-dot(next_, basis_.col(i)), basis_.col(i).data(), next_.data(), n);
      }
      length = norm(next_);
      size = std::max({size, alpha_[j - 1], length});
      const bool is_whole = !(length > kNothing * size);  // the basis has all that S makes of its first vector
      if (j >= std::min(kFewest, most) - 1 || is_whole) {
        const double value = top_of_tridiagonal(j);
        const bool is_settled =
            length * std::abs(weights_[j - 1]) <= accuracy * value || value - value_before <= kGain * accuracy * value;
        const bool is_found = is_whole || (is_settled && j >= std::min(kFewest, most));
        value_before = value;
        if (is_found || j == most) {
          next_.setZero();
          for (Index i = 0; i < j; ++i) {
            axpy(weights_[i], basis_.col(i).data(), next_.data(), n);
          }
        }
        if (is_found) {
          vector = next_ / norm(next_);
          return value > 0.0 && std::isfinite(value);
        }
      }
      beta_[j - 1] = length;
    }
  }
  return false;
}

}  // namespace slidemesh
