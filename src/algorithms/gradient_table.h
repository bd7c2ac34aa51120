#pragma once

#include <vector>

#include "slidemesh/core/data_oracle.h"
#include "slidemesh/core/row_dealer.h"
#include "slidemesh/core/state.h"

namespace slidemesh {

/// The last derivative of every row's loss, and the gradient that they make together: what SAG and SAGA keep (N. Le
/// Roux, M. Schmidt and F. Bach 2012; A. Defazio, F. Bach and S. Lacoste-Julien 2014). One number per row and output;
/// rows are not kept.
///
///   mean_i = (weight/n) Σ over rows j of l'_j a_j        with the l'_j of the last touch, 0 before the first
///
/// Rows are dealt from a permutation. Every touch is charged by the data oracle.
class GradientTable {
 public:
  /// All objectives must be means over rows.
  GradientTable(DataOracle& data, std::uint64_t seed);

  /// Touches the next `batch` rows of node i at x, all of them where it has no more: v becomes SAGA's estimate
  /// (weight/b) Σ over them of (l'_j(x) − l'_j) a_j + mean_i, and then the table and mean_i are brought up to date.
  void touch(Index i, ConstVectorRef x, Count batch, VectorRef v);
  [[nodiscard]] auto mean(Index i) const { return mean_.col(i); }
  /// The largest weight |a_j|² of a touched row.
  [[nodiscard]] double largest_squared_row(Index i) const { return largest_(i); }

  void visit_state(StateVisitor& visitor);

 private:
  /// v += scale (l'_j(x) − l'_j) a_j over the rows, whose derivatives in the table become those at x.
  void replace(Index i, const TouchedRows& rows, VectorRef v);

  DataOracle& data_;
  std::vector<RowDealer> dealers_;
  std::vector<std::vector<double>> derivatives_;
  std::vector<std::vector<double>> fresh_;
  Stacked mean_;
  Vector largest_;
};

}  // namespace slidemesh
