#include "marginals.h"

#include <algorithm>
#include <cmath>

namespace slidemesh::detail {

double marginals_violation(ConstVectorRef x, const Vector& row_sums, const Vector& column_sums) {
  Vector row_excess = -row_sums;
  double worst = 0.0;
  for (Index j = 0; j < column_sums.size(); ++j) {
    double column_excess = -column_sums[j];
    for (Index i = 0; i < row_sums.size(); ++i) {
      const double entry = x[j * row_sums.size() + i];
      column_excess += entry;
      row_excess[i] += entry;
      worst = std::max(worst, -entry);
    }
    worst = std::max(worst, std::abs(column_excess));
  }
  for (const double excess : row_excess) {
    worst = std::max(worst, std::abs(excess));
  }
  return worst;
}

}  // namespace slidemesh::detail
