#pragma once

#include <span>
#include <vector>

#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// Some numbers of a vector, at ascending places. All its other numbers are zero.
struct SparseView {
  std::span<const Index> places;
  std::span<const double> numbers;
};

/// The same, kept.
struct SparseVector {
  std::vector<Index> places;
  std::vector<double> numbers;

  void clear() {
    places.clear();
    numbers.clear();
  }
  /// Behind all others.
  void append(Index place, double number) {
    places.push_back(place);
    numbers.push_back(number);
  }
};

/// The least number of 0, 1, ... that is not among the ascending places.
[[nodiscard]] inline Index first_place_without(std::span<const Index> places) {
  Index place = 0;
  for (const Index taken : places) {
    if (taken != place) {
      break;
    }
    ++place;
  }
  return place;
}

}  // namespace slidemesh
