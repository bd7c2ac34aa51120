#include "slidemesh/sets/simplices.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "checks.h"
#include "slidemesh/core/kernels.h"
#include "threshold.h"

namespace slidemesh {
namespace {

Index smallest_position(ConstVectorRef g) {
  Index best = 0;
  for (Index j = 1; j < g.size(); ++j) {
    best = g[j] < g[best] ? j : best;
  }
  return best;
}

double plain_sum(ConstVectorRef x) {
  double sum = 0.0;
  for (Index j = 0; j < x.size(); ++j) {
    sum += x[j];
  }
  return sum;
}

double smallest_value(ConstVectorRef x) { return x[smallest_position(x)]; }

}  // namespace

Simplex::Simplex(Index dimension, double total)
    : SetBase(detail::require_dimension(dimension, kName)),
      total_(detail::require_positive(total, kName, "total")),
      work_(dimension) {}

void Simplex::linear_minimizer(ConstVectorRef g, VectorRef v) {
  const Index j = smallest_position(g);
  v.setZero();
  v[j] = total_;
}

void Simplex::project(ConstVectorRef x, VectorRef nearest) {
  const detail::Threshold threshold = detail::simplex_threshold(x.data(), x.size(), total_, work_.data());
  for (Index j = 0; j < x.size(); ++j) {
    nearest[j] = threshold.shrink(x[j]);
  }
}

double Simplex::violation(ConstVectorRef x) const {
  return std::max(std::abs(plain_sum(x) - total_), -smallest_value(x));
}

double Simplex::diameter() const { return dimension() > 1 ? std::numbers::sqrt2 * total_ : 0.0; }

void Simplex::start(VectorRef x) const { x.setConstant(total_ / static_cast<double>(dimension())); }

CappedSimplex::CappedSimplex(Index dimension, double total)
    : SetBase(detail::require_dimension(dimension, kName)),
      total_(detail::require_positive(total, kName, "total")),
      work_(dimension) {}

void CappedSimplex::linear_minimizer(ConstVectorRef g, VectorRef v) {
  const Index j = smallest_position(g);
  const bool gains = g[j] < 0.0;
  v.setZero();
  v[j] = gains ? total_ : 0.0;
}

void CappedSimplex::project(ConstVectorRef x, VectorRef nearest) {
  // If max(x, 0) sums to at most the total it is the answer; else the sum constraint is tight.
  double sum = 0.0;
  for (Index j = 0; j < x.size(); ++j) {
    sum += x[j] > 0.0 ? x[j] : 0.0;
  }
  if (sum <= total_) {
    nearest = x.cwiseMax(0.0);
    return;
  }
  detail::Threshold threshold = detail::simplex_threshold(x.data(), x.size(), total_, work_.data());
  for (double nudge = 1.0;; nudge *= 2.0) {
    for (Index j = 0; j < x.size(); ++j) {
      work_[j] = threshold.shrink(x[j]);
    }
    const double excess = plain_sum(work_) - total_;
    if (excess <= 0.0) {
      break;
    }
    threshold.offset += nudge * excess / static_cast<double>(threshold.support);
  }
  nearest = work_;
}

double CappedSimplex::violation(ConstVectorRef x) const { return std::max(plain_sum(x) - total_, -smallest_value(x)); }

double CappedSimplex::diameter() const { return dimension() > 1 ? std::numbers::sqrt2 * total_ : total_; }

}  // namespace slidemesh
