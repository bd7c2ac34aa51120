// Symbols:
//
//   V, λ     the atoms, and their weights: x = Vλ, λ >= 0, Σλ = 1
//   G        V'QV + shift 1 1': on Σλ = 1 the shift only adds a constant to φ, and makes G positive definite where
//            the atoms are affinely (and not linearly) independent
//   c        V'b

#include "slidemesh/algorithms/hull_step.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "slidemesh/base/errors.h"
#include "slidemesh/base/interruption.h"
#include "slidemesh/linalg/kernels.h"
#include "slidemesh/linalg/triangular.h"

namespace slidemesh {

namespace {

constexpr Index kFirstRoom = 16;
constexpr Index kMostAtoms = 1024;
constexpr double kDependent =
    1e-13;  ///< a pivot this small against its diagonal is rounding: the atom is a mixture of others
constexpr double kRounding = 1e-15;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

HullStep::HullStep(const FeasibleSet& set)
    : set_(set.clone()),
      diagonal_(Vector::Ones(set.dimension())),
      products_(Matrix::Zero(kFirstRoom, kFirstRoom)),
      factor_(products_),
      reciprocals_(at(kFirstRoom)),
      g_(set.dimension()),
      v_(set.dimension()),
      product_(set.dimension()),
      last_(set.dimension()) {}

void HullStep::set_quadratic(const Vector& weights) {
  diagonal_ = weights;
  stale_ = true;
}

void HullStep::multiply(const Quadratic& model, ConstVectorRef v, VectorRef out) const {
  model.multiply(v, out);
  out += diagonal_.cwiseProduct(v);
}

InnerResult HullStep::solve(const Quadratic& model, ConstVectorRef b, double tolerance, VectorRef x) {
  InnerResult result;
  if (size() == 0) {
    push_atom(x, 1.0);
    stale_ = true;
  }
  if (stale_) {
    refactor(model);
  }
  load_slopes(b);
  bool is_fresh =
      false;  // whether the factor was made from scratch in this call: rounding adds up where atoms come and go
  has_last_ = false;
  for (Index call = 0; call < kMostAtoms; ++call) {
    minimize_over_hull();
    point(x);
    multiply(model, x, g_);
    g_ += b;                         // φ'(x)
    set_->linear_minimizer(g_, v_);  // v = argmin over X of <φ'(x), v>
    ++result.linear_oracle_calls;
    const double slope = dot(g_, x);
    result.wolfe_gap = slope - dot(g_, v_);
    const auto is_rounding = [&] { return !(result.wolfe_gap > kRounding * (std::abs(slope) + norm(g_) * norm(v_))); };
    if (!(result.wolfe_gap > tolerance) || is_rounding() || size() >= kMostAtoms || interruption_is_due()) {
      break;
    }
    const bool was_in_vain = has_last_ && last_ == v_;
    last_ = v_;
    has_last_ = true;
    if (!was_in_vain && add_atom(model, v_, 0.0, b)) {
      continue;
    }
    if (is_fresh) {
      break;
    }
    refactor(model);
    load_slopes(b);
    is_fresh = true;
    has_last_ = false;
  }
  result.active_set_size = size();
  return result;
}

void HullStep::load_slopes(ConstVectorRef b) {
  slopes_.resize(weights_.size());
  for (Index k = 0; k < size(); ++k) {
    slopes_[at(k)] = atom(k).dot(b.data());
  }
  forward_slopes_.clear();
}

CompactVector& HullStep::push_atom(ConstVectorRef v, double weight) {
  const std::size_t k = weights_.size();
  if (k == atoms_.size()) {
    atoms_.emplace_back();
  }
  weights_.push_back(weight);
  atoms_[k].assign(v);
  return atoms_[k];
}

/// λ = argmin of φ(Vλ) over Σλ = 1, λ >= 0, and only atoms of positive weight are left.
void HullStep::minimize_over_hull() {
  while (true) {
    affine_minimizer();
    double step = 1.0;
    Index blocking = -1;
    for (Index k = 0; k < size(); ++k) {
      const double weight = weights_[at(k)];
      const double wanted = minimizer_[at(k)];
      if (wanted <= 0.0 && weight - wanted > 0.0 && weight / (weight - wanted) < step) {
        step = weight / (weight - wanted);
        blocking = k;
      }
    }
    for (Index k = 0; k < size(); ++k) {
      weights_[at(k)] += step * (minimizer_[at(k)] - weights_[at(k)]);
    }
    if (blocking < 0 || size() == 1) {
      return;
    }
    weights_[at(blocking)] = 0.0;
    for (Index k = size() - 1; k >= 0; --k) {
      if (!(weights_[at(k)] > 0.0) && size() > 1) {
        remove_atom(k);
      }
    }
  }
}

/// The minimum over Σλ = 1 alone: Gλ = μ1 - c.
void HullStep::affine_minimizer() {
  solve_forward();
  minimizer_ = forward_slopes_;
  if (along_.empty()) {
    along_ = forward_ones_;
    solve_lower_transposed(factor(), minimizer_.data(), along_.data());
  } else {
    solve_lower_transposed(factor(), minimizer_.data());
  }
  const double missing = 1.0 - std::accumulate(minimizer_.begin(), minimizer_.end(), 0.0);
  const double share = missing / std::accumulate(along_.begin(), along_.end(), 0.0);
  axpy(share, along_.data(), minimizer_.data(), size());
}

void HullStep::solve_forward() {
  const bool has_ones = !forward_ones_.empty();
  if (forward_slopes_.empty()) {
    forward_slopes_.resize(weights_.size());
    std::transform(slopes_.begin(), slopes_.end(), forward_slopes_.begin(), [](double slope) { return -slope; });
    if (has_ones) {
      solve_lower(factor(), forward_slopes_.data());
      return;
    }
    forward_ones_.assign(weights_.size(), 1.0);
    solve_lower(factor(), forward_slopes_.data(), forward_ones_.data());
  } else if (!has_ones) {
    forward_ones_.assign(weights_.size(), 1.0);
    solve_lower(factor(), forward_ones_.data());
  }
}

void HullStep::point(VectorRef x) const {
  x.setZero();
  const double total = std::accumulate(weights_.begin(), weights_.end(), 0.0);
  for (Index k = 0; k < size(); ++k) {
    atom(k).add_to(weights_[at(k)] / total, x.data());
  }
}

/// Vertices of balls and simplices have a number or two: Q atom_k is then as many columns of Q.
void HullStep::load_products(const Quadratic& model, Index k) {
  constexpr Index kFew = 2;
  if (atom(k).numbers() <= kFew) {
    product_.setZero();
    atom(k).for_each([&](Index j, double value) {
      model.add_column(value, j, product_);
      product_(j) += value * diagonal_(j);
    });
  } else {
    atom(k).expand(v_);
    multiply(model, v_, product_);
  }
  for (Index l = 0; l <= k; ++l) {
    products_(k, l) = atom(l).dot(product_.data());
  }
}

/// False if it is a mixture of the others, up to rounding: it is not added then.
bool HullStep::add_atom(const Quadratic& model, ConstVectorRef v, double weight, ConstVectorRef b) {
  const Index k = size();
  if (k == products_.rows()) {
    products_.conservativeResize(2 * k, 2 * k);
    factor_.conservativeResize(2 * k, 2 * k);
    reciprocals_.resize(at(2 * k));
  }
  slopes_.push_back(push_atom(v, weight).dot(b.data()));
  load_products(model, k);
  if (append_to_factor(k)) {
    return true;
  }
  weights_.pop_back();
  slopes_.pop_back();
  return false;
}

/// Row k of the factor, z, solves L z = G_k; of the diagonal |z|^2 is taken off.
bool HullStep::append_to_factor(Index k) {
  gone_.resize(at(k));
  for (Index l = 0; l < k; ++l) {
    gone_[at(l)] = products_(k, l) + shift_;
  }
  solve_lower({factor_.data(), factor_.rows(), reciprocals_.data(), k}, gone_.data());
  const double whole = products_(k, k) + shift_;
  const double rest = whole - squared_norm(gone_.data(), k);
  if (!(rest > kDependent * whole)) {
    return false;
  }
  for (Index l = 0; l < k; ++l) {
    factor_(k, l) = gone_[at(l)];
  }
  factor_(k, k) = std::sqrt(rest);
  reciprocals_[at(k)] = 1.0 / factor_(k, k);
  const auto lengthen = [&](std::vector<double>& forward, double right_hand_side) {
    forward.push_back((right_hand_side - dot(gone_.data(), forward.data(), k)) * reciprocals_[at(k)]);
  };
  if (static_cast<Index>(forward_slopes_.size()) == k && at(k) < slopes_.size()) {
    lengthen(forward_slopes_, -slopes_[at(k)]);
  }
  if (static_cast<Index>(forward_ones_.size()) == k) {
    lengthen(forward_ones_, 1.0);
  }
  along_.clear();
  return true;
}

/// Row and column k leave the lower triangle of the factor.
void HullStep::move_up(Index k) {
  const Index n = size();
  for (Index j = 0; j + 1 < n; ++j) {
    const double* from = factor_.col(j < k ? j : j + 1).data();
    const Index first = std::max(j, k);
    std::copy(from + first + 1, from + n, factor_.col(j).data() + first);
  }
  reciprocals_.erase(reciprocals_.begin() + k);
  reciprocals_.push_back(0.0);
}

/// What is below the row that goes takes its rank-one term.
void HullStep::remove_atom(Index k) {
  const Index n = size();
  gone_.assign(factor_.col(k).data() + k + 1, factor_.col(k).data() + n);
  move_up(k);
  for (Index j = k; j + 1 < n; ++j) {  // L L' + g g' = L⁺ L⁺'
    double* column = factor_.col(j).data();
    double* gone = gone_.data() + (j - k);
    const double pivot = std::hypot(column[j], gone[0]);
    const double c = column[j] / pivot;
    const double s = gone[0] / pivot;
    column[j] = pivot;
    reciprocals_[at(j)] = 1.0 / pivot;
    for (Index i = 1; j + i + 1 < n; ++i) {
      const double below = column[j + i];
      column[j + i] = c * below + s * gone[i];
      gone[i] = c * gone[i] - s * below;
    }
  }
  std::rotate(atoms_.begin() + k, atoms_.begin() + k + 1, atoms_.begin() + n);
  weights_.erase(weights_.begin() + k);
  slopes_.erase(slopes_.begin() + k);
  forget_solutions();
}

void HullStep::forget_solutions() {
  forward_slopes_.clear();
  forward_ones_.clear();
  along_.clear();
}

/// For another Q.
void HullStep::refactor(const Quadratic& model) {
  const Index n = size();
  double smallest = 0.0;
  for (Index k = 0; k < n; ++k) {
    load_products(model, k);
    if (products_(k, k) > 0.0 && (smallest == 0.0 || products_(k, k) < smallest)) {
      smallest = products_(k, k);
    }
  }
  shift_ = smallest > 0.0 ? smallest : 1.0;
  stale_ = false;
  forget_solutions();
  for (Index k = 0; k < n; ++k) {
    if (append_to_factor(k)) {
      continue;
    }
    if (n == 1) {  // numbers that are not finite: the point will say so
      factor_(0, 0) = std::numeric_limits<double>::quiet_NaN();
      return;
    }
    point(v_);  // a mixture that cannot be told apart from another: keep the point alone
    weights_.clear();
    push_atom(v_, 1.0);
    refactor(model);
    return;
  }
}

// The factor is saved: made from scratch it would differ in its last bits from one that atoms came to and went from.
void HullStep::visit_state(StateVisitor& visitor) {
  const Index d = g_.size();
  const Index n = size();
  std::vector<double> flat;
  Vector whole(d);
  for (Index k = 0; k < n; ++k) {
    atom(k).expand(whole);
    flat.insert(flat.end(), whole.begin(), whole.end());
  }
  const Matrix triangle = factor_.topLeftCorner(n, n).triangularView<Eigen::Lower>();
  std::vector<double> factor(triangle.data(), triangle.data() + triangle.size());
  Count stale = stale_ ? 1 : 0;
  visitor.visit("step_atoms", flat);
  visitor.visit("step_weights", weights_);
  visitor.visit("step_forward", forward_ones_);
  visitor.visit("step_factor", factor);
  visitor.visit("step_shift", shift_);
  visitor.visit("step_diagonal", diagonal_);
  visitor.visit("step_is_stale", stale);
  if (visitor.is_reading()) {
    const Index k = size();
    if (flat.size() != at(k * d) || k > kMostAtoms || (!forward_ones_.empty() && forward_ones_.size() != at(k)) ||
        factor.size() != at(k * k)) {
      throw DataError("checkpoint: expected atoms with their weights and factor, got something else");
    }
    atoms_.clear();
    forward_slopes_.clear();
    along_.clear();
    for (Index i = 0; i < k; ++i) {
      atoms_.emplace_back(Eigen::Map<const Vector>(flat.data() + i * d, d));
    }
    products_.setZero(std::max(kFirstRoom, k), std::max(kFirstRoom, k));
    factor_ = products_;
    factor_.topLeftCorner(k, k) = Eigen::Map<const Matrix>(factor.data(), k, k);
    stale_ = stale != 0;
    reciprocals_.resize(at(factor_.rows()));
    for (Index i = 0; i < k; ++i) {
      reciprocals_[at(i)] = 1.0 / factor_(i, i);
    }
  }
  set_->visit_state(visitor);
}

}  // namespace slidemesh
