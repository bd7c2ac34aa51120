#include "slidemesh/algorithms/box_step.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "slidemesh/base/fail.h"
#include "slidemesh/base/interruption.h"
#include "slidemesh/linalg/kernels.h"

namespace slidemesh {

namespace {

constexpr double kRounding = 1e-15;
constexpr Count kStandstills = 2;  ///< so often φ may fail to fall before what is left is rounding

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

BoxMinimizer::BoxMinimizer(const Vector& lower, const Vector& upper)
    : lower_(lower),
      upper_(upper),
      place_(at(lower.size()), kFree),
      last_(lower.size()),
      Qx_(lower.size()),
      g_(lower.size()),
      move_(lower.size()) {
  free_.reserve(place_.size());
  row_.reserve(place_.size());
}

double BoxMinimizer::solve(const Quadratic& model, const Vector& weights, ConstVectorRef b, double tolerance,
                           VectorRef x) {
  begin(x);
  const auto multiply = [&] {
    model.multiply(x, Qx_);
    Qx_ += weights.cwiseProduct(x);
  };
  if (stale_) {
    refactor(model, weights);
    multiply();
  } else if (last_ != x) {
    multiply();
  }
  g_ = Qx_ + b;
  double gap = wolfe_gap(x);
  double value = std::numeric_limits<double>::infinity();
  Count standstills = 0;
  for (Count call = 0; call == 0 || (gap > tolerance && standstills < kStandstills && !interruption_is_due()); ++call) {
    minimize_over_free(x);
    multiply();
    g_ = Qx_ + b;
    gap = wolfe_gap(x);
    const double slope = dot(g_, x);
    const double offset = dot(b, x);
    const double least = 0.5 * (slope + offset);
    const bool has_fallen = least < value - kRounding * (std::abs(slope) + std::abs(offset));
    standstills = has_fallen ? 0 : standstills + 1;
    value = std::min(value, least);
    if (!(gap > tolerance) || !release(model, weights, b, tolerance / static_cast<double>(2 * x.size()))) {
      standstills += has_fallen ? 0 : 1;
    }
  }
  last_ = x;
  return gap;
}

/// At first what lies at a bound is left there.
void BoxMinimizer::begin(VectorRef x) {
  for (Index j = 0; j < x.size(); ++j) {
    Count& place = place_[at(j)];
    if (!has_begun_) {
      place = x(j) <= lower_(j) ? kLower : x(j) >= upper_(j) ? kUpper : kFree;
      if (place == kFree) {
        free_.push_back(j);
      }
    }
    x(j) = place == kLower ? lower_(j) : place == kUpper ? upper_(j) : std::clamp(x(j), lower_(j), upper_(j));
  }
  has_begun_ = true;
}

void BoxMinimizer::refactor(const Quadratic& model, const Vector& weights) {
  factor_.clear();
  for (std::size_t k = 0; k < free_.size(); ++k) {
    append(model, weights, free_[k]);
  }
  stale_ = false;
}

/// To the factor.
void BoxMinimizer::append(const Quadratic& model, const Vector& weights, Index j) {
  const std::size_t before = at(factor_.size());
  row_.assign(before, 0.0);
  model.add_elements(1.0, std::span(free_).first(before), j, row_.data());
  factor_.append_definite(row_.data(), model.diagonal(j) + weights(j));
}

void BoxMinimizer::solve_free(VectorRef r) const {
  solve_lower(factor_.triangle(), r.data());
  solve_lower_transposed(factor_.triangle(), r.data());
}

/// x = argmin of φ over the coordinates that are free or, where a bound is in the way, that were free but came to it.
void BoxMinimizer::minimize_over_free(VectorRef x) {
  while (!free_.empty()) {
    VectorRef move = move_.head(factor_.size());
    for (std::size_t k = 0; k < free_.size(); ++k) {
      move(static_cast<Index>(k)) = -g_(free_[k]);
    }
    solve_free(move);
    double step = 1.0;
    std::size_t blocking = free_.size();
    for (std::size_t k = 0; k < free_.size(); ++k) {
      const Index j = free_[k];
      const double m = move(static_cast<Index>(k));
      const double room = m > 0.0 ? upper_(j) - x(j) : lower_(j) - x(j);
      if (std::abs(m) * step > std::abs(room)) {
        step = room / m;
        blocking = k;
      }
    }
    for (std::size_t k = 0; k < free_.size(); ++k) {
      const Index j = free_[k];
      x(j) = std::clamp(x(j) + step * move(static_cast<Index>(k)), lower_(j), upper_(j));
      g_(j) *= 1.0 - step;  // Q moves it by -g
    }
    if (blocking == free_.size()) {
      return;
    }
    const Index j = free_[blocking];
    const bool is_upper = move(static_cast<Index>(blocking)) > 0.0;
    place_[at(j)] = is_upper ? kUpper : kLower;
    x(j) = is_upper ? upper_(j) : lower_(j);
    factor_.remove(static_cast<Index>(blocking), [](Index, const Rotation&) {});
    free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(blocking));
  }
}

/// Those at a bound that φ falls away from, by more than `least` and rounding. False where there are none.
bool BoxMinimizer::release(const Quadratic& model, const Vector& weights, ConstVectorRef b, double least) {
  bool any = false;
  for (Index j = 0; j < g_.size(); ++j) {
    Count& place = place_[at(j)];
    const double inward = place == kLower ? -g_(j) : place == kUpper ? g_(j) : 0.0;
    const double rounding = kRounding * (std::abs(g_(j) - b(j)) + std::abs(b(j)));
    if (inward > rounding && inward * (upper_(j) - lower_(j)) > least) {
      append(model, weights, j);
      place = kFree;
      free_.push_back(j);
      any = true;
    }
  }
  return any;
}

/// max over v in the box of <φ'(x), x - v>.
double BoxMinimizer::wolfe_gap(ConstVectorRef x) const {
  double gap = 0.0;
  for (Index j = 0; j < x.size(); ++j) {
    gap += std::max(g_(j) * (x(j) - lower_(j)), g_(j) * (x(j) - upper_(j)));
  }
  return gap;
}

// The factor is saved: made from scratch it would differ in its last bits from one whose rows came and went.
void BoxMinimizer::visit_state(StateVisitor& visitor) {
  std::vector<Count> free(free_.begin(), free_.end());
  std::vector<double> factor = stale_ ? std::vector<double>() : factor_.square();
  visitor.visit("box_has_begun", has_begun_);
  visitor.visit("box_is_stale", stale_);
  visitor.visit("box_places", place_);
  visitor.visit("box_free", free);
  visitor.visit("box_factor", factor);
  if (!visitor.is_reading()) {
    return;
  }
  const bool fits = place_.size() == at(lower_.size()) && factor.size() == (stale_ ? 0 : free.size() * free.size()) &&
                    std::ranges::all_of(place_, [](Count place) { return place >= kFree && place <= kUpper; });
  std::vector<Count> expected;
  for (std::size_t j = 0; fits && has_begun_ && j < place_.size(); ++j) {
    if (place_[j] == kFree) {
      expected.push_back(static_cast<Count>(j));
    }
  }
  require<DataError>(fits && std::ranges::is_permutation(free, expected), "checkpoint",
                     "which coordinates of a box are free", "something else");
  free_.assign(free.begin(), free.end());
  last_.setConstant(std::numeric_limits<double>::quiet_NaN());  // no point: the next product is taken
  if (!stale_) {
    factor_.assign(factor, static_cast<Index>(free_.size()));
  }
}

void BoxStep::visit_state(StateVisitor& visitor) {
  visitor.visit("step_diagonal", weights_);
  minimizer_.visit_state(visitor);
  const bool fits = weights_.size() == minimizer_.dimension() && weights_.minCoeff() >= 0.0;
  require<DataError>(!visitor.is_reading() || fits, "checkpoint", "the curvature of a local step", "none");
}

}  // namespace slidemesh
