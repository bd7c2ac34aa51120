#include "slidemesh/linalg/compact_stacked.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <utility>

namespace slidemesh {

namespace {

bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

/// What most rows of a column are: zero, or the first number where there are more of that.
double most_frequent(ConstVectorRef column) {
  if (column.size() == 0) {
    return 0.0;
  }
  const auto zeros = std::count(column.begin(), column.end(), 0.0);
  return std::count(column.begin(), column.end(), column(0)) > zeros ? column(0) : 0.0;
}

}  // namespace

CompactStacked::CompactStacked(ConstVectorRef column, Index columns) : rows_(column.size()) {
  const double rest = most_frequent(column);
  std::vector<double> kept;
  for (Index j = 0; j < column.size(); ++j) {
    if (!same_bits(column(j), rest)) {
      places_.push_back(j);
      kept.push_back(column(j));
    }
  }
  kept.push_back(rest);
  numbers_ = Eigen::Map<const Vector>(kept.data(), static_cast<Index>(kept.size())).replicate(1, columns);
}

CompactStacked::CompactStacked(const Stacked& whole) : CompactStacked(whole.rows(), whole.cols()) {
  for (Index j = 0; j < whole.rows(); ++j) {
    const auto row = whole.row(j);
    if (!std::all_of(row.begin(), row.end(), [](double number) { return same_bits(number, 0.0); })) {
      places_.push_back(j);
    }
  }
  numbers_ = Stacked::Zero(kept() + 1, whole.cols());
  numbers_.topRows(kept()) = whole(places_, Eigen::all);
}

CompactStacked::CompactStacked(Index rows, std::vector<Index> places, const Stacked& kept)
    : rows_(rows), places_(std::move(places)), numbers_(kept.rows() + 1, kept.cols()) {
  numbers_.topRows(kept.rows()) = kept;
  numbers_.row(kept.rows()).setZero();
}

void CompactStacked::include(std::span<const Index> places) {
  std::vector<Index> both;
  std::set_union(places_.begin(), places_.end(), places.begin(), places.end(), std::back_inserter(both));
  if (both.size() == places_.size()) {
    return;
  }
  Stacked numbers(static_cast<Index>(both.size()) + 1, columns());
  for (Index i = 0; i < columns(); ++i) {
    const double* from = numbers_.col(i).data();
    double* to = numbers.col(i).data();
    const double others = rest(i);
    std::size_t k = 0;
    for (const Index place : both) {
      const bool is_kept = k < places_.size() && places_[k] == place;
      *to++ = is_kept ? from[k++] : others;
    }
    *to = others;
  }
  places_ = std::move(both);
  numbers_.swap(numbers);
}

void CompactStacked::drop_ordinary_rows() {
  std::vector<Index> kept_places;
  std::vector<Index> kept_rows;
  for (Index k = 0; k < kept(); ++k) {
    bool is_ordinary = true;
    for (Index i = 0; i < columns() && is_ordinary; ++i) {
      is_ordinary = same_bits(numbers_(k, i), rest(i));
    }
    if (!is_ordinary) {
      kept_places.push_back(places_[static_cast<std::size_t>(k)]);
      kept_rows.push_back(k);
    }
  }
  kept_rows.push_back(kept());
  if (kept_places.size() < places_.size()) {
    const Stacked numbers = numbers_(kept_rows, Eigen::all);
    numbers_ = numbers;
    places_ = std::move(kept_places);
  }
}

void CompactStacked::expand(ConstVectorRef numbers, VectorRef out) const {
  out.setConstant(numbers(kept()));
  for (Index k = 0; k < kept(); ++k) {
    out(places_[static_cast<std::size_t>(k)]) = numbers(k);
  }
}

Vector CompactStacked::expanded(ConstVectorRef numbers) const {
  Vector whole(rows_);
  expand(numbers, whole);
  return whole;
}

Stacked CompactStacked::whole() const {
  Stacked all(rows_, columns());
  for (Index i = 0; i < columns(); ++i) {
    expand(numbers_.col(i), all.col(i));
  }
  return all;
}

}  // namespace slidemesh
