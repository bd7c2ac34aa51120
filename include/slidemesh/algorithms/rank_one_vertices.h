#pragma once

#include <span>
#include <vector>

#include "slidemesh/core/feasible_set.h"
#include "slidemesh/linalg/sparse_columns.h"
#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// The linear oracle of sets with vertices of rank one for a few nodes at once. Their matrices have the same places,
/// and a product with all of them takes hardly longer than with one: so their searches go on side by side. What a node
/// finds does not depend on its company.
class RankOneVertices {
 public:
  static constexpr Index kMost = SparseColumns::kTogether;

  /// For each of at most kMost sets and the column of `numbers` in its place: a vertex left right' whose <G, v> misses
  /// the least by a share of at most `accuracy`.
  void find(std::span<FeasibleSet* const> sets, const SparseColumns& places, Eigen::Ref<const Matrix> numbers,
            double accuracy, Eigen::Ref<Matrix> left, Eigen::Ref<Matrix> right);

 private:
  void lay_side_by_side(Eigen::Ref<const Matrix> numbers);

  std::vector<double> numbers_;              ///< of all matrices at a place, place by place
  std::vector<double> directions_, images_;  ///< likewise
  std::vector<double> image_;                ///< of one
};

}  // namespace slidemesh
