// Symbols:
//
//   V, λ     the atoms, and their weights: x = Vλ, λ >= 0, Σλ = 1
//   G        V'QV + shift 1 1': on Σλ = 1 the shift only adds a constant to φ, and makes G positive definite where
//            the atoms are affinely (and not linearly) independent
//   c        V'b

#include "slidemesh/algorithms/hull_step.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "slidemesh/base/errors.h"
#include "slidemesh/linalg/kernels.h"

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
      g_(set.dimension()),
      v_(set.dimension()),
      product_(set.dimension()) {}

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
    weights_.push_back(1.0);
    atoms_.emplace_back(x.begin(), x.end());
    stale_ = true;
  }
  if (stale_) {
    refactor(model);
  }
  slopes_.resize(weights_.size());
  for (Index k = 0; k < size(); ++k) {
    slopes_[at(k)] = dot(b, atom(k));
  }
  bool is_fresh = false;  // whether the factor was made anew in this call: rounding adds up where atoms come and go
  last_.resize(0);
  for (Index call = 0; call < kMostAtoms; ++call) {
    minimize_over_hull();
    point(x);
    multiply(model, x, g_);
    g_ += b;                         // φ'(x)
    set_->linear_minimizer(g_, v_);  // v = argmin over X of <φ'(x), v>
    ++result.linear_oracle_calls;
    result.wolfe_gap = dot(g_, x) - dot(g_, v_);
    const bool is_rounding = !(result.wolfe_gap > kRounding * (std::abs(dot(g_, x)) + norm(g_) * norm(v_)));
    if (!(result.wolfe_gap > tolerance) || is_rounding || size() >= kMostAtoms) {
      break;
    }
    const bool was_in_vain = last_.size() > 0 && last_ == v_;
    last_ = v_;
    if (!was_in_vain && add_atom(model, v_, 0.0, b)) {
      continue;
    }
    if (is_fresh) {
      break;
    }
    refactor(model);
    slopes_.resize(weights_.size());
    for (Index k = 0; k < size(); ++k) {
      slopes_[at(k)] = dot(b, atom(k));
    }
    is_fresh = true;
    last_.resize(0);
  }
  result.active_set_size = size();
  return result;
}

/// λ = argmin of φ(Vλ) over Σλ = 1, λ >= 0, and only atoms of positive weight are left.
void HullStep::minimize_over_hull() {
  while (true) {
    affine_minimizer(minimizer_);
    double step = 1.0;
    Index blocking = -1;
    for (Index k = 0; k < size(); ++k) {
      const double weight = weights_[at(k)];
      if (minimizer_(k) <= 0.0 && weight - minimizer_(k) > 0.0 && weight / (weight - minimizer_(k)) < step) {
        step = weight / (weight - minimizer_(k));
        blocking = k;
      }
    }
    for (Index k = 0; k < size(); ++k) {
      weights_[at(k)] += step * (minimizer_(k) - weights_[at(k)]);
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
void HullStep::affine_minimizer(Vector& weights) {
  const Index n = size();
  const auto lower = factor_.topLeftCorner(n, n).triangularView<Eigen::Lower>();
  const auto solve = [&](Vector& r) {
    lower.solveInPlace(r);
    lower.transpose().solveInPlace(r);
  };
  weights.resize(n);
  along_ = Vector::Ones(n);
  for (Index k = 0; k < n; ++k) {
    weights(k) = -slopes_[at(k)];
  }
  solve(weights);
  solve(along_);
  weights += (1.0 - weights.sum()) / along_.sum() * along_;
}

void HullStep::point(VectorRef x) const {
  x.setZero();
  double total = 0.0;
  for (Index k = 0; k < size(); ++k) {
    total += weights_[at(k)];
  }
  for (Index k = 0; k < size(); ++k) {
    axpy(weights_[at(k)] / total, atoms_[at(k)].data(), x.data(), x.size());
  }
}

/// False if it is a mixture of the others, up to rounding: it is not added then.
bool HullStep::add_atom(const Quadratic& model, ConstVectorRef v, double weight, ConstVectorRef b) {
  const Index k = size();
  if (k == products_.rows()) {
    products_.conservativeResize(2 * k, 2 * k);
    factor_.conservativeResize(2 * k, 2 * k);
  }
  atoms_.emplace_back(v.begin(), v.end());
  weights_.push_back(weight);
  slopes_.push_back(dot(b, v));
  multiply(model, v, product_);
  for (Index l = 0; l <= k; ++l) {
    products_(k, l) = products_(l, k) = dot(atom(l), product_);
  }
  if (append_to_factor(k)) {
    return true;
  }
  atoms_.pop_back();
  weights_.pop_back();
  slopes_.pop_back();
  return false;
}

bool HullStep::append_to_factor(Index k) {
  double rest = products_(k, k) + shift_;
  const double whole = rest;
  for (Index l = 0; l < k; ++l) {
    double sum = products_(k, l) + shift_;
    for (Index i = 0; i < l; ++i) {
      sum -= factor_(k, i) * factor_(l, i);
    }
    factor_(k, l) = sum / factor_(l, l);
    rest -= factor_(k, l) * factor_(k, l);
  }
  if (!(rest > kDependent * whole)) {
    return false;
  }
  factor_(k, k) = std::sqrt(rest);
  return true;
}

/// Row and column k go; what is below them in the factor takes the row's rank-one term.
void HullStep::remove_atom(Index k) {
  const Index n = size();
  Vector gone = factor_.col(k).segment(k + 1, n - k - 1);
  for (Index i = k; i + 1 < n; ++i) {
    factor_.row(i).head(k) = factor_.row(i + 1).head(k);
    for (Index j = k; j <= i; ++j) {
      factor_(i, j) = factor_(i + 1, j + 1);
    }
    products_.row(i).head(n) = products_.row(i + 1).head(n);
  }
  for (Index i = k; i + 1 < n; ++i) {
    products_.col(i).head(n - 1) = products_.col(i + 1).head(n - 1);
  }
  for (Index j = k; j + 1 < n; ++j) {  // L L' + g g' = L⁺ L⁺'
    const double pivot = std::hypot(factor_(j, j), gone(j - k));
    const double c = factor_(j, j) / pivot;
    const double s = gone(j - k) / pivot;
    factor_(j, j) = pivot;
    for (Index i = j + 1; i + 1 < n; ++i) {
      const double below = factor_(i, j);
      factor_(i, j) = c * below + s * gone(i - k);
      gone(i - k) = c * gone(i - k) - s * below;
    }
  }
  atoms_.erase(atoms_.begin() + k);
  weights_.erase(weights_.begin() + k);
  slopes_.erase(slopes_.begin() + k);
}

/// For another Q.
void HullStep::refactor(const Quadratic& model) {
  const Index n = size();
  double smallest = 0.0;
  for (Index k = 0; k < n; ++k) {
    multiply(model, atom(k), product_);
    for (Index l = 0; l <= k; ++l) {
      products_(k, l) = products_(l, k) = dot(atom(l), product_);
    }
    if (products_(k, k) > 0.0 && (smallest == 0.0 || products_(k, k) < smallest)) {
      smallest = products_(k, k);
    }
  }
  shift_ = smallest > 0.0 ? smallest : 1.0;
  stale_ = false;
  for (Index k = 0; k < n; ++k) {
    if (append_to_factor(k)) {
      continue;
    }
    point(v_);  // a mixture that cannot be told apart from another: keep the point alone
    atoms_.assign(1, std::vector<double>(v_.begin(), v_.end()));
    weights_.assign(1, 1.0);
    refactor(model);
    return;
  }
}

// The factor is saved: made anew it would differ in its last bits from one that atoms came to and went from.
void HullStep::visit_state(StateVisitor& visitor) {
  const Index d = g_.size();
  const Index n = size();
  std::vector<double> flat;
  for (const auto& one : atoms_) {
    flat.insert(flat.end(), one.begin(), one.end());
  }
  const auto square = [n](const Matrix& from) {
    const Matrix part = from.topLeftCorner(n, n);
    return std::vector<double>(part.data(), part.data() + part.size());
  };
  std::vector<double> products = square(products_);
  std::vector<double> factor = square(factor_);
  Count stale = stale_ ? 1 : 0;
  visitor.visit("step_atoms", flat);
  visitor.visit("step_weights", weights_);
  visitor.visit("step_products", products);
  visitor.visit("step_factor", factor);
  visitor.visit("step_shift", shift_);
  visitor.visit("step_diagonal", diagonal_);
  visitor.visit("step_is_stale", stale);
  if (visitor.is_reading()) {
    const Index k = size();
    if (flat.size() != at(k * d) || k > kMostAtoms || products.size() != at(k * k) || factor.size() != at(k * k)) {
      throw DataError("checkpoint: expected atoms with their weights and products, got something else");
    }
    atoms_.clear();
    for (Index i = 0; i < k; ++i) {
      atoms_.emplace_back(flat.begin() + i * d, flat.begin() + (i + 1) * d);
    }
    products_.setZero(std::max(kFirstRoom, k), std::max(kFirstRoom, k));
    factor_ = products_;
    products_.topLeftCorner(k, k) = Eigen::Map<const Matrix>(products.data(), k, k);
    factor_.topLeftCorner(k, k) = Eigen::Map<const Matrix>(factor.data(), k, k);
    stale_ = stale != 0;
  }
  set_->visit_state(visitor);
}

}  // namespace slidemesh
