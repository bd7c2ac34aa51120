// C. Lanczos 1950; with all vectors of the basis made orthogonal to one another again at every step, and restarted
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

/// With d_1 = λ - α_1, d_i = λ - α_i - β²_{i-1}/d_{i-1}, the last one, d_n, is zero at the eigenvalues of the n steps;
/// the eigenvector's components have the quotients d_i/β_i. Beyond the largest eigenvalue of the n - 1 steps before,
/// d_n rises and is concave, so that Newton's method comes up to its root from any point on the left. One is known:
/// what the vector before and the new one of the basis reach together. It is next to the eigenvalue before, and not to
/// the root, where the new vector brings in what leads: steps are short there, too, but each is twice the last.
void LeadingVector::extend_tridiagonal() {
  constexpr int kMostSteps = 60;
  constexpr double kNear = 1e-9;   // of λ: the step after such a one would be its square,
  constexpr double kShare = 1e-2;  // or of what λ may miss
  constexpr double kEnough = 1e-15;
  const Index last = steps_ - 1;
  if (last == 0) {
    value_ = alpha_[0];
    weights_[0] = 1.0;
    return;
  }
  const double half = 0.5 * (value_ - alpha_[last]);
  const double coupling = beta_[last - 1] * weights_[last - 1];
  double lambda = alpha_[last] + half + std::hypot(half, coupling);
  const double near = std::max(kNear, kShare * accuracy_);
  const double least = kEnough * lambda;  // rounding may take more where the matrix nearly falls apart
  double correction_before = 0.0;
  for (int step = 0; step < kMostSteps; ++step) {
    double d = lambda - alpha_[0];
    double slope = 1.0;
    for (Index i = 1; i <= last; ++i) {
      const double ratio = beta_[i - 1] / std::max(d, least);
      slope = 1.0 + ratio * ratio * slope;
      d = lambda - alpha_[i] - beta_[i - 1] * ratio;
    }
    const double correction = -d / slope;
    if (!(correction > 0.0)) {
      break;
    }
    lambda += correction;
    if (correction <= near * lambda && correction <= 0.5 * correction_before) {
      break;
    }
    correction_before = correction;
  }
  double d = lambda - alpha_[0];
  double square = 1.0;
  weights_[0] = 1.0;
  for (Index i = 1; i <= last; ++i) {
    d = std::max(d, least);
    weights_[i] = weights_[i - 1] * d / beta_[i - 1];
    square += weights_[i] * weights_[i];
    d = lambda - alpha_[i] - beta_[i - 1] * beta_[i - 1] / d;
  }
  const double length = std::sqrt(square);
  for (Index i = 0; i <= last; ++i) {
    weights_[i] /= length;
  }
  value_ = lambda;
}

void LeadingVector::begin(double accuracy, const Vector& start) {
  state_ = State::kSearching;
  accuracy_ = accuracy;
  size_ = 0.0;
  rounds_ = 0;
  steps_ = 0;
  next_ = noise_;
  if (start.size() == next_.size()) {
    next_ += start;
  }
  extend_basis(norm(next_));
}

void LeadingVector::extend_basis(double length) {
  if (!(length > 0.0) || !std::isfinite(length)) {
    state_ = State::kFailed;
    return;
  }
  basis_.col(steps_++) = next_ / length;
}

void LeadingVector::combine_basis() {
  next_.setZero();
  for (Index i = 0; i < steps_; ++i) {
    axpy(weights_[i], basis_.col(i).data(), next_.data(), next_.size());
  }
  next_ /= norm(next_);
}

void LeadingVector::advance(const double* image) {
  const Index n = next_.size();
  const Index most = basis_.cols();
  const Index j = steps_ - 1;
  std::copy_n(image, n, next_.data());
  alpha_[j] = dot(image, direction(), n);
  for (Index i = j; i >= 0; --i) {
    axpy(-dot(next_.data(), basis_.col(i).data(), n), basis_.col(i).data(), next_.data(), n);
  }
  const double length = norm(next_);
  size_ = std::max({size_, alpha_[j], length});
  const bool is_whole = !(length > kNothing * size_);  // the basis has all that S makes of its first vector
  const double value_before = value_;
  extend_tridiagonal();
  const bool is_settled =
      length * std::abs(weights_[j]) <= accuracy_ * value_ || value_ - value_before <= kGain * accuracy_ * value_;
  if (is_whole || (is_settled && steps_ >= std::min(kFewest, most))) {
    combine_basis();
    state_ = value_ > 0.0 && std::isfinite(value_) ? State::kFound : State::kFailed;
    return;
  }
  beta_[j] = length;
  if (steps_ < most) {
    extend_basis(length);
  } else if (++rounds_ == kMostRounds) {
    state_ = State::kFailed;
  } else {
    combine_basis();
    steps_ = 0;
    extend_basis(1.0);
  }
}

bool LeadingVector::find(const SymmetricOperator& apply, double accuracy, Vector& vector) {
  Vector image(next_.size());
  begin(accuracy, vector);
  while (state_ == State::kSearching) {
    apply(direction(), image.data());
    advance(image.data());
  }
  if (state_ == State::kFound) {
    vector = next_;
  }
  return state_ == State::kFound;
}

}  // namespace slidemesh
