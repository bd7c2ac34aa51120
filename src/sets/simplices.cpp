#include "slidemesh/sets/simplices.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>

#include "checks.h"
#include "isotonic.h"
#include "piecewise.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/linalg/kernels.h"
#include "sparse_candidates.h"
#include "threshold.h"

namespace slidemesh {
namespace {

using detail::at;
using detail::sum_of;

Index smallest_position(const double* g, Index n) {
  Index best = 0;
  for (Index j = 1; j < n; ++j) {
    best = g[j] < g[best] ? j : best;
  }
  return best;
}

}  // namespace

Simplex::Simplex(Index dimension, double total)
    : SingleEntrySetBase(detail::require_dimension(dimension, kName),
                         {dimension > 1 ? std::numbers::sqrt2 * total : 0.0, ProjectionKind::kClosedForm}),
      total_(detail::require_positive(total, kName, "total")) {}

SingleEntry Simplex::single_entry_minimizer(const double* g) { return {smallest_position(g, dimension()), total_}; }

void Simplex::sparse_minimizer(const SparseView& g, SparseVector& v) {
  v.clear();
  v.append(detail::smallest(g, dimension()).place, total_);
}

void Simplex::project(ConstVectorRef x, VectorRef nearest) {
  double* work = work_.of(x.size()).data();
  const detail::Threshold threshold = detail::simplex_threshold(x.data(), x.size(), total_, work);
  for (Index j = 0; j < x.size(); ++j) {
    nearest[j] = threshold.shrink(x[j]);
  }
}

double Simplex::violation(ConstVectorRef x) const { return std::max(std::abs(sum_of(x) - total_), -x.minCoeff()); }

void Simplex::start(VectorRef x) const { x.setConstant(total_ / static_cast<double>(dimension())); }

CappedSimplex::CappedSimplex(Index dimension, double total)
    : SingleEntrySetBase(detail::require_dimension(dimension, kName),
                         {dimension > 1 ? std::numbers::sqrt2 * total : total, ProjectionKind::kClosedForm}),
      total_(detail::require_positive(total, kName, "total")) {}

SingleEntry CappedSimplex::single_entry_minimizer(const double* g) {
  const Index j = smallest_position(g, dimension());
  return {j, g[j] < 0.0 ? total_ : 0.0};
}

void CappedSimplex::sparse_minimizer(const SparseView& g, SparseVector& v) {
  v.clear();
  if (const detail::Candidate best = detail::smallest(g, dimension()); best.number < 0.0) {
    v.append(best.place, total_);
  }
}

void CappedSimplex::project(ConstVectorRef x, VectorRef nearest) {
  // If max(x, 0) sums to at most the total it is the answer; else the sum constraint is tight.
  if (detail::sum_over(x.size(), [&](Index j) { return x[j] > 0.0 ? x[j] : 0.0; }) <= total_) {
    nearest = x.cwiseMax(0.0);
    return;
  }
  Vector& work = work_.of(x.size());
  detail::Threshold threshold = detail::simplex_threshold(x.data(), x.size(), total_, work.data());
  for (double nudge = 1.0;; nudge *= 2.0) {
    for (Index j = 0; j < x.size(); ++j) {
      work[j] = threshold.shrink(x[j]);
    }
    const double excess = sum_of(work) - total_;
    if (excess <= 0.0) {
      break;
    }
    threshold.offset += nudge * excess / static_cast<double>(threshold.support);
  }
  nearest = work;
}

double CappedSimplex::violation(ConstVectorRef x) const { return std::max(sum_of(x) - total_, -x.minCoeff()); }

// ---- hypersimplex ------------------------------------------------------------------------------

Hypersimplex::Hypersimplex(Index dimension, Index k)
    : SetBase(detail::require_dimension(dimension, kName),
              {std::sqrt(2.0 * static_cast<double>(std::min(k, dimension - k))), ProjectionKind::kClosedForm}),
      k_(k),
      order_(at(dimension)) {
  require<UsageError>(k >= 1 && k <= dimension, "hypersimplex", fmt::format("1 <= k <= {}", dimension),
                      std::to_string(k));
  breakpoints_.reserve(2 * at(dimension));
}

void Hypersimplex::linear_minimizer(ConstVectorRef g, VectorRef v) {
  detail::place_first(order_, k_, detail::ByNumber{g.data()});
  v.setZero();
  for (Index i = 0; i < k_; ++i) {
    v[order_[at(i)]] = 1.0;
  }
}

void Hypersimplex::sparse_minimizer(const SparseView& g, SparseVector& v) {
  std::vector<detail::Candidate> ones = detail::candidates(g, k_, dimension());
  detail::keep_first(ones, k_, [](const detail::Candidate& a, const detail::Candidate& b) {
    return a.number < b.number || (a.number == b.number && a.place < b.place);
  });
  v.clear();
  for (const detail::Candidate& one : ones) {
    v.append(one.place, 1.0);
  }
}

void Hypersimplex::project(ConstVectorRef x, VectorRef nearest) {
  detail::project_on_boxed_sum(
      x, [](Index) { return 0.0; }, [](Index) { return 1.0; }, static_cast<double>(k_), breakpoints_, nearest);
}

double Hypersimplex::violation(ConstVectorRef x) const {
  return std::max({std::abs(sum_of(x) - static_cast<double>(k_)), -x.minCoeff(), x.maxCoeff() - 1.0});
}

void Hypersimplex::start(VectorRef x) const {
  x.setConstant(static_cast<double>(k_) / static_cast<double>(dimension()));
}

// ---- permutahedron -----------------------------------------------------------------------------

Permutahedron::Permutahedron(Vector values)
    : SetBase(detail::require_dimension(values.size(), kName), {0.0, ProjectionKind::kClosedForm}),
      values_(std::move(values)),
      mean_(0.0),
      order_(at(values_.size())),
      regression_(values_.size()) {
  detail::require_finite(values_, kName, "values");
  std::sort(values_.begin(), values_.end(), std::greater<>());
  mean_ = sum_of(values_) / static_cast<double>(values_.size());
  // The farthest permutation of a vector is the reversed one.
  set_diameter((values_ - values_.reverse()).norm());
  block_sums_.reserve(at(values_.size()));
  block_sizes_.reserve(at(values_.size()));
}

void Permutahedron::linear_minimizer(ConstVectorRef g, VectorRef v) {
  detail::sort_places(order_, detail::ByNumber{g.data()});
  for (Index i = 0; i < values_.size(); ++i) {
    v[order_[at(i)]] = values_[i];
  }
}

// Of a falling x: x - y, where y is the decreasing regression of x - values.
void Permutahedron::project(ConstVectorRef x, VectorRef nearest) {
  std::iota(order_.begin(), order_.end(), Index{0});
  std::sort(order_.begin(), order_.end(), [&x](Index a, Index b) { return x[a] > x[b] || (x[a] == x[b] && a < b); });
  for (Index i = 0; i < values_.size(); ++i) {
    regression_[i] = x[order_[at(i)]] - values_[i];
  }
  detail::isotonic_decreasing(regression_.data(), regression_.data(), regression_.size(), block_sums_, block_sizes_);
  for (Index i = 0; i < values_.size(); ++i) {
    const Index j = order_[at(i)];
    nearest[j] = x[j] - regression_[i];
  }
}

double Permutahedron::violation(ConstVectorRef x) const {
  Vector sorted = x;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double excess = 0.0;
  double worst = -std::numeric_limits<double>::infinity();
  for (Index i = 0; i < sorted.size(); ++i) {
    excess += sorted[i] - values_[i];
    worst = std::max(worst, excess);
  }
  return std::max(worst, std::abs(excess));
}

void Permutahedron::start(VectorRef x) const { x.setConstant(mean_); }

}  // namespace slidemesh
