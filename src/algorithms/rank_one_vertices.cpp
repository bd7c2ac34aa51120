#include "slidemesh/algorithms/rank_one_vertices.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <numeric>

#include "slidemesh/linalg/kernels.h"
#include "slidemesh/linalg/kernels_inline.h"
#include "slidemesh/linalg/parallel.h"

namespace slidemesh {

namespace {

/// A power of 2 that brings the largest of some numbers below 1, so that its square is a float; eigenvectors are the
/// same.
double scale_of(const double* numbers, Index count) {
  const double largest = count > 0 ? std::abs(numbers[largest_magnitude(numbers, count)]) : 0.0;
  int exponent = 0;
  std::frexp(std::isfinite(largest) ? largest : 0.0, &exponent);
  return std::ldexp(1.0, -exponent);
}

/// Columns become rows, a few numbers of each at a time. In the place of a search that is not there is the first again:
/// nobody asks for its products.
template <class Searches, class SideBySide>
void lay_side_by_side(const Searches& searches, Index length, SideBySide& rows) {
  using Real = typename SideBySide::Scalar;
  constexpr Index kWidth = SideBySide::RowsAtCompileTime;
  constexpr Index kPlaces = 8;
  rows.resize(kWidth, length);
  std::array<const double*, kWidth> column;
  std::array<double, kWidth> scale;
  for (std::size_t lane = 0; lane < kWidth; ++lane) {
    column[lane] = searches[lane < searches.size() ? lane : 0].numbers;
    scale[lane] = scale_of(column[lane], length);
  }
  Eigen::Array<Real, kPlaces, kWidth> some;
  for (Index first = 0; first < length; first += kPlaces) {
    const Index count = std::min(kPlaces, length - first);
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

/// Side by side are nodes that will take about as many products, first those that take most. Where two singular vectors
/// lead by turns, what a search begins with is good and bad by turns: a node takes about as many as two turns ago.
void RankOneVertices::arrange(std::size_t nodes) {
  std::vector<Index>& before = products_[++turn_ % 2];
  before.resize(nodes);
  order_.resize(nodes);
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) { return before[a] > before[b]; });
  rooms_.resize((nodes + kMost - 1) / kMost);
}

bool RankOneVertices::find(std::span<FeasibleSet* const> sets, const SparseColumns& places,
                           Eigen::Ref<const Matrix> numbers, double accuracy, Eigen::Ref<Matrix> left,
                           Eigen::Ref<Matrix> right) {
  constexpr double kProducts = 16.0;  // with G and G' for each node, roughly
  arrange(sets.size());
  std::vector<Index>& products = products_[turn_ % 2];
  std::atomic<bool> is_finite = true;
  for_each_node(std::ssize(rooms_), kProducts * static_cast<double>(kMost * numbers.rows()), [&](Index group) {
    const std::size_t first = static_cast<std::size_t>(group) * kMost;
    const auto nodes = std::span(order_).subspan(first, std::min<std::size_t>(kMost, order_.size() - first));
    std::array<Search, kMost> some;
    const auto searches = std::span(some).first(nodes.size());
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      const double* column = numbers.col(static_cast<Index>(nodes[k])).data();
      if (!inlined::all_finite(column, numbers.rows())) {
        is_finite = false;
        return;
      }
      searches[k] = {&sets[nodes[k]]->begin_rank_one_search(accuracy), column};
    }
    rooms_[static_cast<std::size_t>(group)].search(searches, places, numbers.rows(), accuracy);
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      const auto node = static_cast<Index>(nodes[k]);
      products[nodes[k]] = searches[k].products;
      sets[nodes[k]]->rank_one_minimizer(places, numbers.col(node), left.col(node), right.col(node));
    }
  });
  return is_finite;
}

void RankOneVertices::Room::search(std::span<Search> searches, const SparseColumns& places, Index count,
                                   double accuracy) {
  if (accuracy >= kFloatsSuffice) {
    search<float>(searches, places, count);
    return;
  }
  constexpr std::size_t kWidth = SparseColumns::kTogether<double>;
  for (std::size_t first = 0; first < searches.size(); first += kWidth) {
    search<double>(searches.subspan(first, std::min(kWidth, searches.size() - first)), places, count);
  }
}

template <class Real>
void RankOneVertices::Room::search(std::span<Search> searches, const SparseColumns& places, Index count) {
  auto& room = std::get<SideBySide<Real>>(side_by_side);
  const auto is_searching = [](const Search& one) { return one.vector->state() == LeadingVector::State::kSearching; };
  const Index rows = places.rows();
  image.resize(rows);
  lay_side_by_side(searches, count, room.numbers);
  room.directions.setZero(room.directions.rows(), rows);
  room.images.resize(room.images.rows(), rows);
  while (std::any_of(searches.begin(), searches.end(), is_searching)) {
    for (std::size_t k = 0; k < searches.size(); ++k) {
      if (is_searching(searches[k])) {
        const double* direction = searches[k].vector->direction();
        for (Index r = 0; r < rows; ++r) {
          room.directions(static_cast<Index>(k), r) = static_cast<Real>(direction[r]);
        }
      }
    }
    places.multiply_squares(room.numbers.data(), room.directions.data(), room.images.data());
    for (std::size_t k = 0; k < searches.size(); ++k) {
      if (is_searching(searches[k])) {
        for (Index r = 0; r < rows; ++r) {
          image(r) = static_cast<double>(room.images(static_cast<Index>(k), r));
        }
        searches[k].vector->advance(image.data());
        ++searches[k].products;
      }
    }
  }
}

}  // namespace slidemesh
