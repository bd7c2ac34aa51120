#pragma once

#include "slidemesh/linalg/types.h"

namespace slidemesh::detail {

/// Values y shrunk by a common amount so that what is left of them sums to `total`: the heart of the
/// projections onto the simplex and onto the l1 ball. Everything is relative to the largest value, so
/// that neither huge values nor a tiny total lose digits.
struct Threshold {
  double largest = 0.0;
  double offset = 0.0;  ///< in [-total, 0): the threshold is largest + offset
  Index support = 0;    ///< how many values are above it

  /// max(y - threshold, 0).
  [[nodiscard]] double shrink(double y) const {
    const double rest = (y - largest) - offset;
    return rest > 0.0 ? rest : 0.0;
  }
};

/// The threshold with  sum over j of max(y_j - threshold, 0) = total,  total > 0. `work` holds n numbers.
/// Expected O(n) (Condat 2016, with the largest value as the first member of the active list).
[[nodiscard]] Threshold simplex_threshold(const double* y, Index n, double total, double* work);
/// The same for |y|, of which `largest` is the largest. `near` may be null, or has numbers other than zero mostly where
/// values are above the threshold: the search is then shorter, and ends at the same bits.
[[nodiscard]] Threshold magnitude_threshold(const double* y, Index n, double largest, double total, const double* near,
                                            double* work);

/// Σ|y_j|, in the order of sum_of_magnitudes, and the largest |y_j|.
struct Magnitudes {
  double sum = 0.0;
  double largest = 0.0;
};
[[nodiscard]] Magnitudes magnitudes_of(const double* y, Index n);

/// shrunk_j = y_j with its magnitude shrunk, or 0; returns Σ|shrunk_j|, in the order of sum_of_magnitudes.
double shrink_magnitudes(const Threshold& threshold, const double* y, Index n, double* shrunk);

}  // namespace slidemesh::detail
