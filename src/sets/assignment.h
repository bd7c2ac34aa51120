#pragma once

#include <vector>

#include "slidemesh/linalg/types.h"

namespace slidemesh::detail {

/// Minimum-cost perfect matching of n rows and n columns: R. Jonker and A. Volgenant, "A shortest augmenting path
/// algorithm for dense and sparse linear assignment problems" (1987). O(n^3), most of it in long contiguous loops.
class AssignmentSolver {
 public:
  explicit AssignmentSolver(Index n);

  /// cost(i, j) at costs[i * n + j]. Returns, for each i, its j.
  const std::vector<Index>& solve(const double* costs);

 private:
  static constexpr Index kNone = -1;
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
  [[nodiscard]] const double* row(Index i) const { return costs_ + i * n_; }

  void reduce_columns();
  void transfer_reductions();
  void augmenting_row_reduction();
  /// Of the open columns' distances the least, and the least of a column that no row has.
  struct Nearest {
    double any;
    double free;
  };
  Nearest relax(Index i, double offset);
  void augment(Index free_row);

  Index n_;
  const double* costs_ = nullptr;
  std::vector<Index> column_of_;  ///< of a row
  std::vector<Index> row_of_;     ///< of a column
  std::vector<double> price_;     ///< of a column
  std::vector<Index> free_;       ///< rows without a column
  // Work of augment, as are those below.
  std::vector<double> distance_;    ///< of a column from the free row; infinite once it is done
  std::vector<double> open_price_;  ///< its price; minus infinite once it is done
  std::vector<double> taken_;       ///< 0 where no row has the column, else infinite
  std::vector<Index> predecessor_;
  std::vector<Index> columns_;
  std::vector<double> reduced_;
};

}  // namespace slidemesh::detail
