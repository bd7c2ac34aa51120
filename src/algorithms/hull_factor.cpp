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

namespace slidemesh {

namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

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

bool HullStep::append_to_factor(Index k) {
  row_.resize(at(k));
  for (Index l = 0; l < k; ++l) {
    row_[at(l)] = products_(k, l) + shift_;
  }
  if (!factor_.append(row_.data(), products_(k, k) + shift_)) {
    return false;
  }
  const auto lengthen = [&](std::vector<double>& forward, double right_hand_side) {
    forward.push_back((right_hand_side - dot(row_.data(), forward.data(), k)) * factor_.last_reciprocal());
  };
  if (static_cast<Index>(forward_slopes_.size()) == k && at(k) < slopes_.size()) {
    lengthen(forward_slopes_, -slopes_[at(k)]);
  }
  if (static_cast<Index>(forward_ones_.size()) == k) {
    lengthen(forward_ones_, 1.0);
  }
  return true;
}

void HullStep::remove_atom(Index k) {
  const Index n = size();
  double slope_gone = take_out(forward_slopes_, k);
  double one_gone = take_out(forward_ones_, k);
  factor_.remove(k, [&](Index j, const Rotation& turn) {
    if (!forward_slopes_.empty()) {
      turn.apply(&forward_slopes_[at(j)], &slope_gone, 1);
    }
    if (!forward_ones_.empty()) {
      turn.apply(&forward_ones_[at(j)], &one_gone, 1);
    }
  });
  drop_numbers(k);
  std::rotate(atoms_.begin() + k, atoms_.begin() + k + 1, atoms_.begin() + n);
  weights_.erase(weights_.begin() + k);
  slopes_.erase(slopes_.begin() + k);
}

void HullStep::forget_solutions() {
  forward_slopes_.clear();
  forward_ones_.clear();
}

}  // namespace slidemesh
