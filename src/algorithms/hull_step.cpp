// Symbols:
//
//   V, λ     the atoms, and their weights: x = Vλ, λ >= 0, Σλ = 1
//   G        V'QV + shift 1 1': on Σλ = 1 the shift only adds a constant to φ, and makes G positive definite where
//            the atoms are affinely (and not linearly) independent
//   c        V'b

#include "slidemesh/algorithms/hull_step.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "slidemesh/base/fail.h"
#include "slidemesh/base/interruption.h"
#include "slidemesh/linalg/kernels.h"
#include "slidemesh/linalg/triangular.h"

namespace slidemesh {

namespace {

constexpr Index kFirstRoom = 16;
constexpr Index kApart = 8;  ///< rows that nobody uses: else all numbers of a row are in one place of the cache
constexpr Index kMostAtoms = 1024;
constexpr double kRounding = 1e-15;
/// Of the largest product: what tells an atom from its opposite is shift_ alone, and has to be told from rounding.
constexpr double kLeastShift = 1e-10;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// Atoms in a checkpoint: the numbers that each one keeps, one atom after the other.
struct AtomLists {
  std::vector<Count> counts;
  std::vector<Count> places;
  std::vector<double> values;

  /// Whether they are `atoms` atoms of d numbers.
  [[nodiscard]] bool fit(Index atoms, Index d) const {
    Count sum = 0;
    for (const Count count : counts) {
      if (count < 0 || count > d) {
        return false;
      }
      sum += count;
    }
    return counts.size() == at(atoms) && places.size() == at(sum) && values.size() == places.size() &&
           std::all_of(places.begin(), places.end(), [d](Count place) { return place >= 0 && place < d; });
  }
};

}  // namespace

HullStep::HullStep(const FeasibleSet& set)
    : set_(set.clone()),
      diagonal_(Vector::Ones(set.dimension())),
      products_(Matrix::Zero(kFirstRoom + kApart, kFirstRoom)),
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
    g_ += b;  // φ'(x)
    result.wolfe_gap = wolfe_gap(result, x);
    const auto is_rounding = [&] {
      return !(result.wolfe_gap > kRounding * (std::abs(dot(g_, x)) + norm(g_) * norm(v_)));
    };
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
      correct(model, b, tolerance, x, result);
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

/// max over v in X of <φ'(x), x - v>, with φ'(x) in g_ and that v in v_.
double HullStep::wolfe_gap(InnerResult& result, ConstVectorRef x) {
  set_->linear_minimizer(g_, v_);  // v = argmin over X of <φ'(x), v>
  ++result.linear_oracle_calls;
  return dot(g_, x) - dot(g_, v_);
}

/// Where atoms are far longer than their mixture, and cancel, Vλ is off by their rounding: what is left of φ' along the
/// hull is taken off by a mixture of its own, V δ with Σδ = 0, for as long as the gap falls by half.
void HullStep::correct(const Quadratic& model, ConstVectorRef b, double tolerance, VectorRef x, InnerResult& result) {
  constexpr int kCorrections = 5;
  for (int correction = 0; correction < kCorrections; ++correction) {
    correction_.resize(weights_.size());
    for (Index k = 0; k < size(); ++k) {
      correction_[at(k)] = -atom(k).dot(g_.data());
    }
    solve_lower(factor(), correction_.data());
    const double* ones = forward_ones_.data();
    axpy(-dot(ones, correction_.data(), size()) / squared_norm(ones, size()), ones, correction_.data(), size());
    solve_lower_transposed(factor(), correction_.data());
    double step = 1.0;
    for (Index k = 0; k < size(); ++k) {
      step = std::min(step, correction_[at(k)] < 0.0 ? -weights_[at(k)] / correction_[at(k)] : 1.0);
    }
    corrected_ = x;
    for (Index k = 0; k < size(); ++k) {
      atom(k).add_to(step * correction_[at(k)], corrected_.data());
    }
    multiply(model, corrected_, g_);
    g_ += b;
    const double gap = wolfe_gap(result, corrected_);
    if (!(gap < 0.5 * result.wolfe_gap)) {
      break;
    }
    x = corrected_;
    result.wolfe_gap = gap;
    if (!(gap > tolerance)) {
      return;
    }
  }
  multiply(model, x, g_);  // the last product is that of the answer
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
  if (has_many(static_cast<Index>(k))) {
    ++with_many_;
  } else {
    atoms_[k].for_each([&](Index j, double value) {
      places_.push_back(j);
      values_.push_back(value);
    });
  }
  ends_.push_back(places_.size());
  return atoms_[k];
}

/// Vertices of balls and simplices have a number or two: their products take as few elements of Q.
bool HullStep::has_many(Index k) const {
  constexpr Index kFew = 2;
  return atom(k).numbers() > kFew;
}

/// Of atom k, from the list.
void HullStep::drop_numbers(Index k) {
  with_many_ -= has_many(k) ? 1 : 0;
  const std::size_t first = k > 0 ? ends_[at(k - 1)] : 0;
  const std::size_t count = ends_[at(k)] - first;
  const auto begin = static_cast<std::ptrdiff_t>(first);
  const auto end = static_cast<std::ptrdiff_t>(first + count);
  places_.erase(places_.begin() + begin, places_.begin() + end);
  values_.erase(values_.begin() + begin, values_.begin() + end);
  ends_.erase(ends_.begin() + k);
  for (std::size_t l = at(k); l < ends_.size(); ++l) {
    ends_[l] -= count;
  }
}

void HullStep::drop_all_atoms() {
  weights_.clear();
  places_.clear();
  values_.clear();
  ends_.clear();
  with_many_ = 0;
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

void HullStep::point(VectorRef x) const {
  x.setZero();
  const double total = std::accumulate(weights_.begin(), weights_.end(), 0.0);
  for (Index k = 0; k < size(); ++k) {
    atom(k).add_to(weights_[at(k)] / total, x.data());
  }
}

/// False if it is a mixture of the others, up to rounding: it is not added then.
bool HullStep::add_atom(const Quadratic& model, ConstVectorRef v, double weight, ConstVectorRef b) {
  const Index k = size();
  if (k == products_.cols()) {
    products_.conservativeResize(2 * k + kApart, 2 * k);
  }
  slopes_.push_back(push_atom(v, weight).dot(b.data()));
  load_products(model, k);
  if (append_to_factor(k)) {
    return true;
  }
  drop_numbers(k);
  weights_.pop_back();
  slopes_.pop_back();
  return false;
}

/// For another Q.
void HullStep::refactor(const Quadratic& model) {
  const Index n = size();
  double smallest = 0.0;
  double largest = 0.0;
  for (Index k = 0; k < n; ++k) {
    load_products(model, k);
    if (products_(k, k) > 0.0 && (smallest == 0.0 || products_(k, k) < smallest)) {
      smallest = products_(k, k);
    }
    largest = std::max(largest, products_(k, k));
  }
  shift_ = smallest > 0.0 ? std::max(smallest, kLeastShift * largest) : 1.0;
  stale_ = false;
  forget_solutions();
  if (factor_.make(products_, shift_, n) || n == 1) {  // of one atom: numbers that are not finite, which the point says
    return;
  }
  point(v_);  // a mixture that cannot be told apart from another: keep the point alone
  drop_all_atoms();
  push_atom(v_, 1.0);
  refactor(model);
}

// The factor is saved: made from scratch it would differ in its last bits from one that atoms came to and went from.
void HullStep::visit_state(StateVisitor& visitor) {
  const Index n = size();
  AtomLists lists;
  for (Index k = 0; k < n; ++k) {
    lists.counts.push_back(atom(k).numbers());
    atom(k).for_each([&](Index place, double value) {
      lists.places.push_back(place);
      lists.values.push_back(value);
    });
  }
  std::vector<double> factor = factor_.square();
  bool stale = stale_;
  visitor.visit("step_atom_counts", lists.counts);
  visitor.visit("step_atom_places", lists.places);
  visitor.visit("step_atom_values", lists.values);
  visitor.visit("step_weights", weights_);
  visitor.visit("step_forward", forward_ones_);
  visitor.visit("step_factor", factor);
  visitor.visit("step_shift", shift_);
  visitor.visit("step_diagonal", diagonal_);
  visitor.visit("step_is_stale", stale);
  if (visitor.is_reading()) {
    const Index k = size();
    const bool fits = lists.fit(k, g_.size()) && k <= kMostAtoms &&
                      (forward_ones_.empty() || forward_ones_.size() == at(k)) && factor.size() == at(k * k);
    require<DataError>(fits, "checkpoint", "atoms with their weights and factor", "something else");
    const std::vector<double> weights = weights_;
    drop_all_atoms();
    forward_slopes_.clear();
    std::size_t next = 0;
    for (Index i = 0; i < k; ++i) {
      Vector whole = Vector::Zero(g_.size());
      for (const std::size_t end = next + at(lists.counts[at(i)]); next < end; ++next) {
        whole(lists.places[next]) = lists.values[next];
      }
      push_atom(whole, weights[at(i)]);
    }
    const Index room = std::max(kFirstRoom, k);
    products_.setZero(room + kApart, room);
    factor_.assign(factor, k);
    stale_ = stale;
  }
  set_->visit_state(visitor);
}

}  // namespace slidemesh
