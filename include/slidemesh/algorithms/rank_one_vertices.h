#pragma once

#include <array>
#include <span>
#include <tuple>
#include <vector>

#include "slidemesh/core/feasible_set.h"
#include "slidemesh/linalg/sparse_columns.h"
#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// The linear oracle of sets with vertices of rank one for many nodes. Their matrices have the same places, and a
/// product with a few of them takes hardly longer than with one: so the searches of a few nodes go on side by side.
/// What a node finds does not depend on its company, and company is chosen so that searches end about together.
///
/// Where no more is asked for than floats give, products are taken in floats, of twice as many matrices at once.
class RankOneVertices {
 public:
  static constexpr Index kMost = SparseColumns::kTogether<float>;  ///< nodes side by side
  static constexpr double kFloatsSuffice = 1e-5;                   ///< accuracy: products of floats miss some 1e-6

  /// For each set and the column of `numbers` in its place: a vertex left right' whose <G, v> misses the least by a
  /// share of at most `accuracy`. False, and some vertices missing, where a column has numbers that are not finite.
  [[nodiscard]] bool find(std::span<FeasibleSet* const> sets, const SparseColumns& places,
                          Eigen::Ref<const Matrix> numbers, double accuracy, Eigen::Ref<Matrix> left,
                          Eigen::Ref<Matrix> right);

 private:
  /// Matrices and vectors side by side: a column per place, which has the numbers of all.
  template <class Real>
  struct SideBySide {
    Eigen::Array<Real, SparseColumns::kTogether<Real>, Eigen::Dynamic> numbers, directions, images;
  };

  struct Search {
    LeadingVector* vector = nullptr;
    const double* numbers = nullptr;
    Index products = 0;
  };

  /// What the searches of a few nodes take.
  struct Room {
    void search(std::span<Search> searches, const SparseColumns& places, Index count, double accuracy);
    template <class Real>
    void search(std::span<Search> searches, const SparseColumns& places, Index count);

    std::tuple<SideBySide<double>, SideBySide<float>> side_by_side;
    Vector image;  ///< of one
  };

  void arrange(std::size_t nodes);

  std::vector<Room> rooms_;
  std::vector<std::size_t> order_;              ///< of the nodes, a few for each room
  std::array<std::vector<Index>, 2> products_;  ///< that nodes took in the last even and the last odd turn
  std::size_t turn_ = 0;
};

}  // namespace slidemesh
