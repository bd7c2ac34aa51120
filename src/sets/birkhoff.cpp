#include <algorithm>
#include <cmath>

#include "assignment.h"
#include "checks.h"
#include "marginals.h"
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
  return detail::marginals_violation(x, Vector::Ones(side_), Vector::Ones(side_));
}

double Birkhoff::diameter() const { return side_ > 1 ? std::sqrt(2.0 * static_cast<double>(side_)) : 0.0; }

void Birkhoff::start(VectorRef x) const { x.setConstant(1.0 / static_cast<double>(side_)); }

}  // namespace slidemesh
