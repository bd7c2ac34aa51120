#pragma once

#include <span>
#include <tuple>

#include "slidemesh/core/feasible_set.h"
#include "slidemesh/linalg/sparse_columns.h"
#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// The linear oracle of sets with vertices of rank one for a few nodes at once. Their matrices have the same places,
/// and a product with all of them takes hardly longer than with one: so their searches go on side by side. What a node
/// finds does not depend on its company.
///
/// Where no more is asked for than floats give, products are taken in floats, of twice as many matrices at once.
class RankOneVertices {
 public:
  static constexpr Index kMost = SparseColumns::kTogether<float>;
  static constexpr double kFloatsSuffice = 1e-5;  ///< accuracy: products of floats miss some 1e-6

  /// For each of at most kMost sets and the column of `numbers` in its place: a vertex left right' whose <G, v> misses
  /// the least by a share of at most `accuracy`.
  void find(std::span<FeasibleSet* const> sets, const SparseColumns& places, Eigen::Ref<const Matrix> numbers,
            double accuracy, Eigen::Ref<Matrix> left, Eigen::Ref<Matrix> right);

 private:
  /// Matrices and vectors side by side: a column per place, which has the numbers of all.
  template <class Real>
  struct SideBySide {
    Eigen::Array<Real, SparseColumns::kTogether<Real>, Eigen::Dynamic> numbers, directions, images;
  };

  template <class Real>
  void search(std::span<LeadingVector* const> searches, const SparseColumns& places,
              const Eigen::Ref<const Matrix>& numbers);

  std::tuple<SideBySide<double>, SideBySide<float>> room_;
  Vector image_;  ///< of one
};

}  // namespace slidemesh
