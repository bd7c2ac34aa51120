#include <algorithm>
#include <cmath>

#include "assignment.h"
#include "checks.h"
#include "min_norm_point.h"
#include "slidemesh/sets/transport.h"

namespace slidemesh {

Birkhoff::Birkhoff(Index side)
    : SetBase(detail::require_dimension(side, kName) * side),
      side_(side),
      solver_(std::make_unique<detail::AssignmentSolver>(side)) {}

Birkhoff::Birkhoff(const Birkhoff& other) : Birkhoff(other.side_) {}

Birkhoff::~Birkhoff() = default;

// The solver's rows are the matrix's columns, which lie contiguous.
void Birkhoff::linear_minimizer(ConstVectorRef g, VectorRef v) {
  const std::vector<Index>& row_of = solver_->solve(g.data());
  v.setZero();
  for (Index j = 0; j < side_; ++j) {
    v[j * side_ + row_of[static_cast<std::size_t>(j)]] = 1.0;
  }
}

void Birkhoff::project(ConstVectorRef x, VectorRef nearest) { detail::nearest_point_by_oracle(*this, x, nearest); }

double Birkhoff::violation(ConstVectorRef x) const {
  Vector row_sums = Vector::Constant(side_, -1.0);
  double worst = 0.0;
  for (Index j = 0; j < side_; ++j) {
    double column_sum = -1.0;
    for (Index i = 0; i < side_; ++i) {
      const double entry = x[j * side_ + i];
      column_sum += entry;
      row_sums[i] += entry;
      worst = std::max(worst, -entry);
    }
    worst = std::max(worst, std::abs(column_sum));
  }
  for (const double sum : row_sums) {
    worst = std::max(worst, std::abs(sum));
  }
  return worst;
}

double Birkhoff::diameter() const { return side_ > 1 ? std::sqrt(2.0 * static_cast<double>(side_)) : 0.0; }

void Birkhoff::start(VectorRef x) const { x.setConstant(1.0 / static_cast<double>(side_)); }

}  // namespace slidemesh
