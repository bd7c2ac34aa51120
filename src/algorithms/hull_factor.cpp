// The atoms' products Q-wise and their Cholesky factor, which atoms that come and go change in place. The symbols are
// those of hull_step.cpp.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "slidemesh/algorithms/hull_step.h"
#include "slidemesh/linalg/kernels.h"
#include "slidemesh/linalg/triangular.h"
#include "slidemesh/linalg/wide_kernels.h"

namespace slidemesh {

namespace {

constexpr double kDependent =
    1e-13;  ///< a pivot this small against its diagonal is rounding: the atom is a mixture of others

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// (a, b) := (c a + s b, c b - s a), place by place.
struct Rotation {
  double c;
  double s;
  void apply(double* __restrict a, double* __restrict b, Index n) const noexcept {
    for (Index i = 0; i < n; ++i) {
      const double before = a[i];
      a[i] = c * before + s * b[i];
      b[i] = c * b[i] - s * before;
    }
  }
};

/// Number k, which is no longer there; 0 where there is none.
double take_out(std::vector<double>& numbers, Index k) {
  if (numbers.empty()) {
    return 0.0;
  }
  const double taken = numbers[at(k)];
  numbers.erase(numbers.begin() + k);
  return taken;
}

}  // namespace

void HullStep::load_products(const Quadratic& model, Index k) {
  if (with_many_ > 0) {
    atom(k).expand(v_);
    multiply(model, v_, product_);
    for (Index l = 0; l <= k; ++l) {
      products_(k, l) = atom(l).dot(product_.data());
    }
    return;
  }
  const std::size_t end = ends_[at(k)];
  elements_.assign(end, 0.0);
  atom(k).for_each([&](Index j, double value) {
    model.add_elements(value, std::span(places_).first(end), j, elements_.data());
    for (std::size_t p = 0; p < end; ++p) {
      if (places_[p] == j) {
        elements_[p] += value * diagonal_(j);
      }
    }
  });
  std::size_t p = 0;
  for (Index l = 0; l <= k; ++l) {
    double sum = 0.0;
    for (; p < ends_[at(l)]; ++p) {
      sum += values_[p] * elements_[p];
    }
    products_(k, l) = sum;
  }
}

/// The minimum over Σλ = 1 alone: Gλ = μ1 - c. With factor f = -c and factor e = 1, λ = factor^{-T} (f + μe), and
/// 1'λ = <e, f + μe> = 1 gives μ.
void HullStep::affine_minimizer() {
  solve_forward();
  const double* ones = forward_ones_.data();
  const double share = (1.0 - dot(ones, forward_slopes_.data(), size())) / squared_norm(ones, size());
  minimizer_ = forward_slopes_;
  axpy(share, ones, minimizer_.data(), size());
  solve_lower_transposed(factor(), minimizer_.data());
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

/// What is below the row that goes takes its rank-one term, by rotations of the columns: [L g] R = [L⁺ 0]. What was
/// solved for turns with them: with L y + g y_k = r, L⁺ y⁺ = r for (y⁺, .) = R'(y, y_k).
void HullStep::remove_atom(Index k) {
  const Index n = size();
  gone_.assign(factor_.col(k).data() + k + 1, factor_.col(k).data() + n);
  move_up(k);
  double slope_gone = take_out(forward_slopes_, k);
  double one_gone = take_out(forward_ones_, k);
  for (Index j = k; j + 1 < n; ++j) {
    double* column = factor_.col(j).data() + j;
    const double* below = gone_.data() + (j - k);
    const double pivot = std::sqrt(column[0] * column[0] + below[0] * below[0]);
    const double reciprocal = 1.0 / pivot;
    const Rotation turn{column[0] * reciprocal, below[0] * reciprocal};
    column[0] = pivot;
    reciprocals_[at(j)] = reciprocal;
    turn.apply(column + 1, gone_.data() + (j - k) + 1, n - 2 - j);
    if (!forward_slopes_.empty()) {
      turn.apply(&forward_slopes_[at(j)], &slope_gone, 1);
    }
    if (!forward_ones_.empty()) {
      turn.apply(&forward_ones_[at(j)], &one_gone, 1);
    }
  }
  drop_numbers(k);
  std::rotate(atoms_.begin() + k, atoms_.begin() + k + 1, atoms_.begin() + n);
  weights_.erase(weights_.begin() + k);
  slopes_.erase(slopes_.begin() + k);
}

void HullStep::forget_solutions() {
  forward_slopes_.clear();
  forward_ones_.clear();
}

/// The factor of all atoms' products, column by column. False where an atom is a mixture of those before it.
bool HullStep::make_factor() {
  const Index n = size();
  for (Index j = 0; j < n; ++j) {
    double* column = factor_.col(j).data() + j;
    for (Index i = 0; i < n - j; ++i) {
      column[i] = products_(j + i, j) + shift_;
    }
    const double whole = column[0];
    gone_.resize(at(j));
    for (Index l = 0; l < j; ++l) {
      gone_[at(l)] = -factor_(j, l);
    }
    wide::add_rows([&](Index l) { return factor_.col(l).data() + j; }, gone_.data(), 1, j, column, n - j);
    if (!(column[0] > kDependent * whole)) {
      return false;
    }
    column[0] = std::sqrt(column[0]);
    reciprocals_[at(j)] = 1.0 / column[0];
    for (Index i = 1; i < n - j; ++i) {
      column[i] *= reciprocals_[at(j)];
    }
  }
  return true;
}

}  // namespace slidemesh
