#pragma once

#include <vector>

#include "slidemesh/sets/polytope.h"

namespace slidemesh::detail {

/// min <cost, x> over the points of a polytope, by Clp's primal simplex method.
class LinearProgram {
 public:
  /// What became of a call: Clp's numbers.
  static constexpr int kOptimal = 0;
  static constexpr int kPrimalInfeasible = 1;
  static constexpr int kDualInfeasible = 2;
  /// A variable's place in a basis: Clp's numbers, from 0 on.
  static constexpr int kBasic = 1;
  static constexpr int kLargestStatus = 5;

  explicit LinearProgram(const PolytopeRows& rows);

  /// Minimizes <cost, x> from `basis` (statuses of the columns, then of the rows; empty: none), and leaves there the
  /// basis of the answer, where it is optimal; returns what became of it.
  ///
  /// Clp carries more than the basis from one call to the next (weights of pivots, a random generator), and no
  /// checkpoint could hold that. So each call loads the problem again: the answer depends on the question and the
  /// basis alone.
  int minimize(const double* cost, std::vector<unsigned char>& basis, VectorRef answer) const;

 private:
  int rows_ = 0;
  int columns_ = 0;
  // The matrix by columns.
  std::vector<int> starts_;
  std::vector<int> row_of_;
  std::vector<double> values_;
  Vector lower_;  ///< of the variables
  Vector upper_;
  std::vector<double> row_lower_;
  std::vector<double> row_upper_;
};

}  // namespace slidemesh::detail
