#include "slidemesh/algorithms/rank_one_vertices.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "slidemesh/linalg/kernels.h"

namespace slidemesh {

namespace {

bool is_searching(const LeadingVector* search) { return search->state() == LeadingVector::State::kSearching; }

/// A power of 2 that brings the largest of some numbers below 1, so that its square is a float; eigenvectors are the
/// same.
double scale_of(const double* numbers, Index count) {
  const double largest = count > 0 ? std::abs(numbers[largest_magnitude(numbers, count)]) : 0.0;
  int exponent = 0;
  std::frexp(std::isfinite(largest) ? largest : 0.0, &exponent);
  return std::ldexp(1.0, -exponent);
}

/// Columns become rows, a few numbers of each at a time. In the place of a column that is not there is the first again:
/// nobody asks for its products.
template <class SideBySide>
void lay_side_by_side(const Eigen::Ref<const Matrix>& columns, SideBySide& rows) {
  using Real = typename SideBySide::Scalar;
  constexpr Index kWidth = SideBySide::RowsAtCompileTime;
  constexpr Index kPlaces = 8;
  rows.resize(kWidth, columns.rows());
  std::array<const double*, kWidth> column;
  std::array<double, kWidth> scale;
  for (Index k = 0; k < kWidth; ++k) {
    const auto lane = static_cast<std::size_t>(k);
    column[lane] = columns.col(k < columns.cols() ? k : 0).data();
    scale[lane] = scale_of(column[lane], columns.rows());
  }
  Eigen::Array<Real, kPlaces, kWidth> some;
  for (Index first = 0; first < columns.rows(); first += kPlaces) {
    const Index count = std::min(kPlaces, columns.rows() - first);
    for (Index k = 0; k < kWidth; ++k) {
      const auto lane = static_cast<std::size_t>(k);
      for (Index p = 0; p < count; ++p) {
        some(p, k) = static_cast<Real>(scale[lane] * column[lane][first + p]);
      }
    }
    if (count == kPlaces) {
      rows.template middleCols<kPlaces>(first) = some.transpose();
    } else {
      rows.middleCols(first, count) = some.topRows(count).transpose();
    }
  }
}

}  // namespace

void RankOneVertices::find(std::span<FeasibleSet* const> sets, const SparseColumns& places,
                           Eigen::Ref<const Matrix> numbers, double accuracy, Eigen::Ref<Matrix> left,
                           Eigen::Ref<Matrix> right) {
  std::array<LeadingVector*, kMost> all = {};
  const auto searches = std::span(all).first(sets.size());
  image_.resize(places.rows());
  for (std::size_t k = 0; k < sets.size(); ++k) {
    searches[k] = &sets[k]->begin_rank_one_search(accuracy);
  }
  if (accuracy >= kFloatsSuffice) {
    search<float>(searches, places, numbers);
  } else {
    constexpr Index kWidth = SparseColumns::kTogether<double>;
    for (Index first = 0; first < numbers.cols(); first += kWidth) {
      const Index count = std::min(kWidth, numbers.cols() - first);
      search<double>(searches.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count)), places,
                     numbers.middleCols(first, count));
    }
  }
  for (std::size_t k = 0; k < sets.size(); ++k) {
    const auto node = static_cast<Index>(k);
    sets[k]->rank_one_minimizer(places, numbers.col(node), left.col(node), right.col(node));
  }
}

template <class Real>
void RankOneVertices::search(std::span<LeadingVector* const> searches, const SparseColumns& places,
                             const Eigen::Ref<const Matrix>& numbers) {
  auto& room = std::get<SideBySide<Real>>(room_);
  const Index rows = places.rows();
  lay_side_by_side(numbers, room.numbers);
  room.directions.setZero(room.directions.rows(), rows);
  room.images.resize(room.images.rows(), rows);
  while (std::any_of(searches.begin(), searches.end(), is_searching)) {
    for (std::size_t k = 0; k < searches.size(); ++k) {
      if (is_searching(searches[k])) {
        const double* direction = searches[k]->direction();
        for (Index r = 0; r < rows; ++r) {
          room.directions(static_cast<Index>(k), r) = static_cast<Real>(direction[r]);
        }
      }
    }
    places.multiply_squares(room.numbers.data(), room.directions.data(), room.images.data());
    for (std::size_t k = 0; k < searches.size(); ++k) {
      if (is_searching(searches[k])) {
        for (Index r = 0; r < rows; ++r) {
          image_(r) = static_cast<double>(room.images(static_cast<Index>(k), r));
        }
        searches[k]->advance(image_.data());
      }
    }
  }
}

}  // namespace slidemesh
