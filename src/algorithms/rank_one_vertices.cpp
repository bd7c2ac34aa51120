#include "slidemesh/algorithms/rank_one_vertices.h"

#include <algorithm>
#include <array>

namespace slidemesh {

namespace {

bool is_searching(const LeadingVector* search) { return search->state() == LeadingVector::State::kSearching; }

}  // namespace

void RankOneVertices::find(std::span<FeasibleSet* const> sets, const SparseColumns& places,
                           Eigen::Ref<const Matrix> numbers, double accuracy, Eigen::Ref<Matrix> left,
                           Eigen::Ref<Matrix> right) {
  const std::size_t count = sets.size();
  const auto rows = static_cast<std::size_t>(places.rows());
  std::array<LeadingVector*, kMost> all = {};
  const auto searches = std::span(all).first(count);
  lay_side_by_side(numbers);
  directions_.assign(kMost * rows, 0.0);
  images_.resize(kMost * rows);
  image_.resize(rows);
  for (std::size_t k = 0; k < count; ++k) {
    searches[k] = &sets[k]->begin_rank_one_search(accuracy);
  }
  while (std::any_of(searches.begin(), searches.end(), is_searching)) {
    for (std::size_t k = 0; k < count; ++k) {
      for (std::size_t r = 0; r < rows && is_searching(searches[k]); ++r) {
        directions_[kMost * r + k] = searches[k]->direction()[r];
      }
    }
    places.multiply_squares(numbers_.data(), directions_.data(), images_.data());
    for (std::size_t k = 0; k < count; ++k) {
      if (is_searching(searches[k])) {
        for (std::size_t r = 0; r < rows; ++r) {
          image_[r] = images_[kMost * r + k];
        }
        searches[k]->advance(image_.data());
      }
    }
  }
  for (std::size_t k = 0; k < count; ++k) {
    const auto node = static_cast<Index>(k);
    sets[k]->rank_one_minimizer(places, numbers.col(node), left.col(node), right.col(node));
  }
}

/// In the place of a matrix that is not there is the first again: nobody asks for its products.
void RankOneVertices::lay_side_by_side(Eigen::Ref<const Matrix> numbers) {
  numbers_.resize(static_cast<std::size_t>(kMost * numbers.rows()));
  std::array<const double*, kMost> column = {};
  for (Index k = 0; k < kMost; ++k) {
    column[static_cast<std::size_t>(k)] = numbers.col(k < numbers.cols() ? k : 0).data();
  }
  double* to = numbers_.data();
  for (Index p = 0; p < numbers.rows(); ++p, to += kMost) {
    for (std::size_t k = 0; k < kMost; ++k) {
      to[k] = column[k][p];
    }
  }
}

}  // namespace slidemesh
