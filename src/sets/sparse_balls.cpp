#include "slidemesh/sets/sparse_balls.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "checks.h"
#include "isotonic.h"
#include "piecewise.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/base/text.h"
#include "slidemesh/linalg/kernels.h"
#include "sparse_candidates.h"

namespace slidemesh {
namespace {

using detail::at;
using detail::sum_over;

Vector require_weights(Vector weights, std::size_t groups) {
  require<UsageError>(groups > 0, "group-lasso-ball", "groups that cover every coordinate", "no group");
  require<UsageError>(weights.size() == static_cast<Index>(groups), "group-lasso-ball",
                      fmt::format("{} weights", groups), std::to_string(weights.size()));
  for (const double weight : weights) {
    detail::require_positive(weight, GroupLassoBall::kName, "weight");
  }
  return weights;
}

}  // namespace

// ---- group lasso -------------------------------------------------------------------------------

GroupLassoBall::GroupLassoBall(Index dimension, std::vector<std::vector<Index>> groups, Vector weights, double radius)
    : SetBase(detail::require_dimension(dimension, kName), {0.0, ProjectionKind::kClosedForm, true}),
      groups_(std::move(groups)),
      weights_(require_weights(std::move(weights), groups_.size())),
      radius_(detail::require_positive(radius, kName, "radius")),
      norms_ball_(weights_, radius),
      norms_(weights_.size()),
      shrunk_(weights_.size()) {
  set_diameter(norms_ball_.diameter());
  std::vector<bool> covered(at(dimension), false);
  for (const auto& group : groups_) {
    require<UsageError>(!group.empty(), "group-lasso-ball", "groups with members", "an empty one");
    for (const Index j : group) {
      if (j < 0 || j >= dimension) {
        fail<UsageError>("group-lasso-ball", fmt::format("coordinates from 0 to {}", dimension - 1), std::to_string(j));
      }
      if (covered[at(j)]) {
        fail<UsageError>("group-lasso-ball", "every coordinate in one group", fmt::format("{} in two", j));
      }
      covered[at(j)] = true;
    }
  }
  const auto missing = std::find(covered.begin(), covered.end(), false);
  require<UsageError>(missing == covered.end(), kName, "groups that cover every coordinate",
                      fmt::format("none with {}", missing - covered.begin()));
}

/// |x_G| / unit.
double GroupLassoBall::group_norm(ConstVectorRef x, std::size_t group, double unit) const {
  double sum = 0.0;
  for (const Index j : groups_[group]) {
    sum += (x[j] / unit) * (x[j] / unit);
  }
  return std::sqrt(sum);
}

void GroupLassoBall::linear_minimizer(ConstVectorRef g, VectorRef v) {
  const double largest = std::abs(g[largest_magnitude(g.data(), g.size())]);
  if (largest == 0.0) {
    v.setZero();
    v[groups_[0][0]] = radius_ / weights_[0];
    return;
  }
  std::size_t best = 0;
  double best_norm = 0.0;
  double best_ratio = -1.0;
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    const double group_size = group_norm(g, group, largest);
    const double ratio = group_size / weights_[static_cast<Index>(group)];
    if (ratio > best_ratio) {
      best_ratio = ratio;
      best_norm = group_size;
      best = group;
    }
  }
  const double reach = radius_ / weights_[static_cast<Index>(best)];
  // g and v are different memory, as every oracle may assume.
  v.setZero();
  for (const Index j : groups_[best]) {
    v[j] = -reach * ((g[j] / largest) / best_norm);
  }
}

void GroupLassoBall::project(ConstVectorRef x, VectorRef nearest) {
  const double largest = std::abs(x[largest_magnitude(x.data(), x.size())]);
  const double unit = largest > 0.0 ? largest : 1.0;
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    norms_[static_cast<Index>(group)] = unit * group_norm(x, group, unit);
  }
  norms_ball_.project(norms_, shrunk_);
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    const auto i = static_cast<Index>(group);
    const double factor = shrunk_[i] == norms_[i] ? 1.0 : shrunk_[i] / norms_[i];
    for (const Index j : groups_[group]) {
      nearest[j] = factor * x[j];
    }
  }
}

double GroupLassoBall::violation(ConstVectorRef x) const {
  return sum_over(weights_.size(), [&](Index i) { return weights_[i] * group_norm(x, at(i), 1.0); }) - radius_;
}

// ---- k-sparse polytope -------------------------------------------------------------------------

// Opposite vertices on the same k coordinates are 2 radius sqrt(k) apart, and x - y has |.|_inf <= 2 radius,
// |.|_1 <= 2 k radius, so none are farther.
KSparsePolytope::KSparsePolytope(Index dimension, Index k, double radius)
    : SetBase(detail::require_dimension(dimension, kName),
              {2.0 * radius * std::sqrt(static_cast<double>(k)), ProjectionKind::kClosedForm}),
      k_(k),
      radius_(detail::require_positive(radius, kName, "radius")),
      order_(at(dimension)) {
  require<UsageError>(k >= 1 && k <= dimension, "k-sparse", fmt::format("1 <= k <= {}", dimension), std::to_string(k));
  breakpoints_.reserve(2 * at(dimension) + 1);
}

void KSparsePolytope::linear_minimizer(ConstVectorRef g, VectorRef v) {
  detail::place_first(order_, k_, detail::ByMagnitude{g.data()});
  v.setZero();
  for (Index i = 0; i < k_; ++i) {
    const Index j = order_[at(i)];
    v[j] = g[j] > 0.0 ? -radius_ : radius_;
  }
}

void KSparsePolytope::sparse_minimizer(const SparseView& g, SparseVector& v) {
  std::vector<detail::Candidate> chosen = detail::candidates(g, k_, dimension());
  detail::keep_first(chosen, k_, [](const detail::Candidate& a, const detail::Candidate& b) {
    const double left = std::abs(a.number);
    const double right = std::abs(b.number);
    return left > right || (left == right && a.place < b.place);
  });
  v.clear();
  for (const detail::Candidate& one : chosen) {
    v.append(one.place, one.number > 0.0 ? -radius_ : radius_);
  }
}

// nearest_j = sign(x_j) clamp(|x_j| - t, 0, radius), t = 0 if that is within the l1 bound, else t > 0 that makes it
// tight.
void KSparsePolytope::project(ConstVectorRef x, VectorRef nearest) {
  const double bound = static_cast<double>(k_) * radius_;
  const auto magnitude_at = [&](Index j, double t) { return std::clamp(std::abs(x[j]) - t, 0.0, radius_); };
  double t = 0.0;
  if (sum_over(x.size(), [&](Index j) { return magnitude_at(j, 0.0); }) > bound) {
    breakpoints_.clear();
    breakpoints_.push_back(0.0);
    for (Index j = 0; j < x.size(); ++j) {
      breakpoints_.push_back(std::abs(x[j]));
      if (std::abs(x[j]) > radius_) {
        breakpoints_.push_back(std::abs(x[j]) - radius_);
      }
    }
    t = detail::root_of_falling_sum(breakpoints_, bound, x.size(), magnitude_at);
  }
  for (Index j = 0; j < x.size(); ++j) {
    nearest[j] = std::copysign(magnitude_at(j, t), x[j]);
  }
}

double KSparsePolytope::violation(ConstVectorRef x) const {
  return std::max(std::abs(x[largest_magnitude(x.data(), x.size())]) - radius_,
                  sum_of_magnitudes(x.data(), x.size()) - static_cast<double>(k_) * radius_);
}

// ---- ordered weighted l1 -----------------------------------------------------------------------

OwlBall::OwlBall(Vector weights, double radius)
    : SetBase(detail::require_dimension(weights.size(), kName), {0.0, ProjectionKind::kClosedForm}),
      weights_(std::move(weights)),
      cumulative_(weights_.size()),
      radius_(detail::require_positive(radius, kName, "radius")),
      order_(at(weights_.size())),
      sorted_(weights_.size()),
      prox_(weights_.size()) {
  detail::require_finite(weights_, kName, "weights");
  detail::require_positive(weights_[0], kName, "first weight");
  double sum = 0.0;
  for (Index j = 0; j < weights_.size(); ++j) {
    if (weights_[j] < 0.0 || (j > 0 && weights_[j] > weights_[j - 1])) {
      fail<UsageError>("owl-ball", "weights that do not rise and are not negative",
                       fmt::format("{} at position {}", text::shortest(weights_[j]), j));
    }
    sum += weights_[j];
    cumulative_[j] = sum;
    // The vertex on j + 1 coordinates is radius / W times a vector of signs.
    set_diameter(std::max(diameter(), 2.0 * radius_ / sum * std::sqrt(static_cast<double>(j + 1))));
  }
  block_sums_.reserve(at(weights_.size()));
  block_sizes_.reserve(at(weights_.size()));
}

void OwlBall::linear_minimizer(ConstVectorRef g, VectorRef v) {
  detail::sort_places(order_, detail::ByMagnitude{g.data()});
  const double largest = std::abs(g[order_[0]]);
  const double unit = largest > 0.0 ? largest : 1.0;
  double sum = 0.0;
  double best = -1.0;
  Index members = 1;
  for (Index k = 0; k < g.size(); ++k) {
    sum += std::abs(g[order_[at(k)]]) / unit;
    if (sum / cumulative_[k] > best) {
      best = sum / cumulative_[k];
      members = k + 1;
    }
  }
  const double reach = radius_ / cumulative_[members - 1];
  v.setZero();
  for (Index k = 0; k < members; ++k) {
    const Index j = order_[at(k)];
    v[j] = g[j] > 0.0 ? -reach : reach;
  }
}

/// The norm of prox_ = argmin of |y - sorted_|^2 / 2 + multiplier * norm(y), which is a decreasing regression.
double OwlBall::prox_norm(double multiplier) {
  prox_ = sorted_ - multiplier * weights_;
  detail::isotonic_decreasing(prox_.data(), prox_.data(), prox_.size(), block_sums_, block_sizes_);
  prox_ = prox_.cwiseMax(0.0);
  return dot(prox_, weights_);
}

// The norm of the prox falls piecewise linearly with the multiplier, from norm(x) at 0 to 0. Chords and midpoints in
// turn: midpoints bring the bracket into one linear piece, where the next chord hits the root.
void OwlBall::project(ConstVectorRef x, VectorRef nearest) {
  if (violation(x) <= 0.0) {
    nearest = x;
    return;
  }
  detail::sort_places(order_, detail::ByMagnitude{x.data()});
  double high = 0.0;  // the dual norm of x, where the prox is 0
  double sum = 0.0;
  for (Index k = 0; k < x.size(); ++k) {
    sorted_[k] = std::abs(x[order_[at(k)]]);
    sum += sorted_[k];
    high = std::max(high, sum / cumulative_[k]);
  }
  double low = 0.0;
  double above = dot(sorted_, weights_) - radius_;
  double below = -radius_;
  constexpr int kMostTrials = 120;
  constexpr double kRounding = 4e-16;
  for (int trial = 0; trial < kMostTrials && high - low > kRounding * high; ++trial) {
    const double share = trial % 2 == 0 ? above / (above - below) : 0.5;
    const double guess = low + (high - low) * share;
    const double excess = prox_norm(guess) - radius_;
    if (excess > 0.0) {
      low = guess;
      above = excess;
    } else {
      high = guess;
      below = excess;
    }
    if (std::abs(excess) <= kRounding * radius_) {
      high = guess;
      break;
    }
  }
  const double reached = prox_norm(high);
  const double factor = reached > radius_ ? radius_ / reached : 1.0;
  for (Index k = 0; k < x.size(); ++k) {
    const Index j = order_[at(k)];
    nearest[j] = std::copysign(factor * prox_[k], x[j]);
  }
}

double OwlBall::violation(ConstVectorRef x) const {
  std::vector<double> magnitudes(at(x.size()));
  for (Index j = 0; j < x.size(); ++j) {
    magnitudes[at(j)] = std::abs(x[j]);
  }
  std::sort(magnitudes.begin(), magnitudes.end(), std::greater<>());
  return dot(magnitudes.data(), weights_.data(), x.size()) - radius_;
}

}  // namespace slidemesh
