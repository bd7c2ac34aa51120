// B are the coordinates of the ball, Z those beside it, x_B = c + E y, x_Z = z. With Q_BB = E T E' and W = E'Q_BZ
//
//   minimize  y'T y/2 + z'W'y + z'Q_ZZ z/2 + <p, y> + <q, z>   over |y| <= r and the bounds of z.
//
// For a multiplier λ >= 0 of |y|² <= r², y = -(T + λ)^{-1}(p + W z), and z is the minimum over its bounds of a
// quadratic with Q_ZZ - W'(T + λ)^{-1}W. |y| falls as λ grows; λ is 0 where |y| <= r then, else the root of 1/|y| =
// 1/r, which is nearly a line: Newton's method, kept between the λ that were too small and too large.
//
// d|y|²/dλ = -2 s,  s = <y, a> + <u, (Q_FF - W_F'(T + λ)^{-1}W_F)^{-1} u>,  a = (T + λ)^{-1}y, u = W_F'a, F the z that
// are not at a bound.

#include "slidemesh/algorithms/ball_step.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "slidemesh/base/fail.h"
#include "slidemesh/base/interruption.h"
#include "slidemesh/linalg/kernels.h"

namespace slidemesh {

namespace {

constexpr Index kLargest = 2048;   ///< coordinates of a factorization: 34 MB
constexpr Index kMostBeside = 64;  ///< each trial of a multiplier takes a system of so many
constexpr int kTrials = 100;
constexpr double kRounding = 4.0 * std::numeric_limits<double>::epsilon();
constexpr Count kCorrections = 5;

Index size_of(const std::vector<Index>& list) { return static_cast<Index>(list.size()); }

/// Where Newton's step leads elsewhere.
double between(double low, double high) {
  if (!std::isfinite(high)) {
    return 4.0 * std::max(low, std::numeric_limits<double>::min());
  }
  return low > 0.0 ? std::sqrt(low) * std::sqrt(high) : 0.25 * high;
}

std::vector<Index> others(const BoxAndBall& shape) {
  std::vector<Index> list;
  for (Index j = 0; j < shape.lower.size(); ++j) {
    if (!std::ranges::binary_search(shape.in_ball, j)) {
      list.push_back(j);
    }
  }
  return list;
}

}  // namespace

void DenseQuadratic::multiply(ConstVectorRef v, VectorRef out) const {
  for (Index j = 0; j < v.size(); ++j) {
    out(j) = dot(matrix.col(j), v);
  }
}

void DenseQuadratic::add_elements(double s, std::span<const Index> rows, Index j, double* out) const {
  for (std::size_t l = 0; l < rows.size(); ++l) {
    out[l] += s * matrix(rows[l], j);
  }
}

bool BallStep::has_room_for(const BoxAndBall& shape) {
  const Index n = size_of(shape.in_ball);
  return n > 0 && n <= kLargest && shape.lower.size() - n <= kMostBeside;
}

BallStep::BallStep(const FeasibleSet& set, const BoxAndBall& shape)
    : projected_(set),
      shape_(shape),
      beside_(others(shape)),
      weights_(Vector::Ones(set.dimension())),
      outer_box_(shape.lower(beside_), shape.upper(beside_)),
      no_weights_(Vector::Zero(size_of(beside_))),
      g_(set.dimension()),
      z_(size_of(beside_)) {
  const Index n = size_of(shape_.in_ball);
  for (Vector* one : {&slope_, &solved_slope_, &y_, &work_, &gathered_}) {
    one->setZero(n);
  }
  for (Vector* one : {&outer_slope_, &outer_work_, &outer_solved_}) {
    one->setZero(z_.size());
  }
  set.start(g_);
  z_ = g_(beside_);
}

void BallStep::set_quadratic(const Vector& weights) {
  weights_ = weights;
  projected_.set_quadratic(weights);
  spent_ = 0;
  has_factor_ = is_made_ = false;
}

InnerResult BallStep::solve(const Quadratic& model, ConstVectorRef b, double tolerance, VectorRef x) {
  InnerResult result;
  const Count patience = y_.size() - spent_;
  if (!has_factor_ && patience > 0) {
    result = projected_.solve(model, b, tolerance, patience, x);
    spent_ += projected_.iterations();
    if (!(result.wolfe_gap > tolerance) || interruption_is_due()) {
      return result;
    }
  }
  if (!is_made_) {
    factorize(model);
  }
  result.wolfe_gap = solve_exactly(model, b, tolerance, x);
  return result;
}

void BallStep::factorize(const Quadratic& model) {
  const Index n = y_.size();
  const Index k = z_.size();
  Matrix inner = Matrix::Zero(n, n);
  for (Index a = 0; a < n; ++a) {
    const Index j = shape_.in_ball[static_cast<std::size_t>(a)];
    model.add_elements(1.0, shape_.in_ball, j, inner.col(a).data());
    inner(a, a) += weights_(j);
  }
  inner_.decompose(inner);
  across_.resize(n, k);
  outer_.setZero(k, k);
  for (Index a = 0; a < k; ++a) {
    const Index j = beside_[static_cast<std::size_t>(a)];
    gathered_.setZero();
    model.add_elements(1.0, shape_.in_ball, j, gathered_.data());
    inner_.rotate(gathered_, across_.col(a));
    model.add_elements(1.0, beside_, j, outer_.col(a).data());
    outer_(a, a) += weights_(j);
  }
  solved_across_ = across_;
  reduced_.matrix = outer_;
  g_.setZero();
  g_(shape_.in_ball) = shape_.centre;
  at_centre_.resize(g_.size());
  model.multiply(g_, at_centre_);
  at_centre_ += weights_.cwiseProduct(g_);
  has_factor_ = is_made_ = true;
}

/// Where rounding in the factor leaves a larger gap than asked for, the same is done for what is left of φ'.
double BallStep::solve_exactly(const Quadratic& model, ConstVectorRef b, double tolerance, VectorRef x) {
  g_ = b + at_centre_;
  gathered_ = g_(shape_.in_ball);
  inner_.rotate(gathered_, slope_);
  outer_slope_ = g_(beside_);
  double gap = std::numeric_limits<double>::infinity();
  for (Count correction = 0; correction <= kCorrections; ++correction) {
    const double before = gap;
    minimize();
    load_point(x);
    model.multiply(x, g_);
    g_ += weights_.cwiseProduct(x) + b;
    gap = wolfe_gap(x);
    if (!(gap > tolerance) || !(gap < 0.5 * before) || interruption_is_due()) {
      break;
    }
    load_rest(g_);
  }
  return gap;
}

/// The slopes at the centre and z = 0 of the quadratic by the factor that has slope g at y, z.
void BallStep::load_rest(ConstVectorRef g) {
  gathered_ = g(shape_.in_ball);
  inner_.rotate(gathered_, slope_);
  inner_.multiply(y_, work_);
  slope_ -= work_;
  outer_slope_ = g(beside_);
  for (Index a = 0; a < z_.size(); ++a) {
    slope_ -= z_(a) * across_.col(a);
    outer_slope_ -= z_(a) * outer_.col(a);
    outer_slope_(a) -= dot(across_.col(a), y_);
  }
}

void BallStep::minimize() {
  const double r = shape_.radius;
  const double last = multiplier_;
  multiplier_ = 0.0;
  double length = evaluate(0.0);
  const auto newton = [&] { return multiplier_ + length * length / fall() * (length - r) / r; };
  double low = 0.0;
  double high = std::numeric_limits<double>::infinity();
  double next = length > r && last == 0.0 ? newton() : last;
  for (int trial = 0; length != r && !(multiplier_ == 0.0 && length < r) && trial < kTrials; ++trial) {
    multiplier_ = next > low && next < high ? next : between(low, high);
    length = evaluate(multiplier_);
    (length > r ? low : high) = multiplier_;
    next = newton();
    if (!(std::abs(next - multiplier_) > kRounding * multiplier_) || high <= low * (1.0 + kRounding)) {
      break;
    }
  }
  if (length > r) {
    y_ *= r / length;
  }
}

/// y and z for this multiplier; returns |y|.
double BallStep::evaluate(double multiplier) {
  inner_.shift(multiplier);
  solved_slope_ = slope_;
  inner_.solve(solved_slope_);
  y_ = -solved_slope_;
  if (z_.size() > 0) {
    solved_across_ = across_;
    for (Index a = 0; a < z_.size(); ++a) {
      inner_.solve(solved_across_.col(a));
    }
    for (Index a = 0; a < z_.size(); ++a) {
      for (Index c = 0; c <= a; ++c) {
        reduced_.matrix(a, c) = reduced_.matrix(c, a) = outer_(a, c) - dot(across_.col(a), solved_across_.col(c));
      }
      // Positive definite: what is less is rounding.
      reduced_.matrix(a, a) = std::max(reduced_.matrix(a, a), kRounding * outer_(a, a));
      outer_work_(a) = outer_slope_(a) - dot(across_.col(a), solved_slope_);
    }
    outer_box_.forget_factor();
    outer_box_.solve(reduced_, no_weights_, outer_work_, 0.0, z_);
    for (Index a = 0; a < z_.size(); ++a) {
      y_ -= z_(a) * solved_across_.col(a);
    }
  }
  return norm(y_);
}

/// s, half of how fast |y|² falls as the multiplier grows.
double BallStep::fall() {
  work_ = y_;
  inner_.solve(work_);
  double s = dot(y_, work_);
  const std::vector<Index>& free = outer_box_.free();
  if (!free.empty()) {
    VectorRef u = outer_work_.head(size_of(free));
    for (std::size_t k = 0; k < free.size(); ++k) {
      u(static_cast<Index>(k)) = dot(across_.col(free[k]), work_);
    }
    VectorRef solved = outer_solved_.head(u.size());
    solved = u;
    outer_box_.solve_free(solved);
    s += dot(u, solved);
  }
  return s;
}

void BallStep::load_point(VectorRef x) {
  inner_.rotate_back(y_, gathered_);
  const double length = norm(gathered_);
  if (length > shape_.radius) {
    gathered_ *= shape_.radius / length;
  }
  gathered_ += shape_.centre;
  x(shape_.in_ball) = gathered_;
  x(beside_) = z_;
}

/// max over v in X of <φ'(x), x - v>, from g_.
double BallStep::wolfe_gap(ConstVectorRef x) const {
  double along = 0.0;
  double squared = 0.0;
  for (std::size_t k = 0; k < shape_.in_ball.size(); ++k) {
    const Index j = shape_.in_ball[k];
    along += g_(j) * (x(j) - shape_.centre(static_cast<Index>(k)));
    squared += g_(j) * g_(j);
  }
  double gap = std::max(0.0, along + shape_.radius * std::sqrt(squared));
  for (const Index j : beside_) {
    gap += std::max(g_(j) * (x(j) - shape_.lower(j)), g_(j) * (x(j) - shape_.upper(j)));
  }
  return gap;
}

// The factor is not saved: for the same model and weights it comes out the same.
void BallStep::visit_state(StateVisitor& visitor) {
  projected_.visit_state(visitor);
  visitor.visit("ball_diagonal", weights_);
  visitor.visit("ball_spent", spent_);
  visitor.visit("ball_has_factor", has_factor_);
  visitor.visit("ball_multiplier", multiplier_);
  visitor.visit("ball_beside", z_);
  outer_box_.visit_state(visitor);
  if (visitor.is_reading()) {
    is_made_ = false;
    const bool fits = weights_.size() == g_.size() && z_.size() == size_of(beside_) && z_.allFinite();
    require<DataError>(fits && weights_.minCoeff() >= 0.0 && spent_ >= 0 && multiplier_ >= 0.0, "checkpoint",
                       "the state of a step over a ball", "something else");
  }
}

}  // namespace slidemesh
