#pragma once

// Minimizing over the places of a sparse vector, where all other places hold zero.

#include <algorithm>
#include <vector>

#include "slidemesh/linalg/sparse_vector.h"

namespace slidemesh::detail {

struct Candidate {
  Index place = 0;
  double number = 0.0;
};

/// All numbers of g that are not zero, and the first `zeros` places that hold zero, as far as there are: among them are
/// the first so many places of any order that goes by the numbers and, where they are equal, by the places.
inline std::vector<Candidate> candidates(const SparseView& g, Index zeros, Index dimension) {
  std::vector<Candidate> found;
  found.reserve(g.places.size() + static_cast<std::size_t>(zeros));
  std::size_t k = 0;
  for (Index place = 0; place < dimension && (zeros > 0 || k < g.places.size()); ++place) {
    if (k < g.places.size() && zeros == 0) {
      place = g.places[k];
    }
    const double number = k < g.places.size() && g.places[k] == place ? g.numbers[k++] : 0.0;
    if (number != 0.0 || zeros > 0) {
      zeros -= number == 0.0 ? 1 : 0;
      found.push_back({place, number});
    }
  }
  return found;
}

/// The first `count` candidates in this order, by their places.
template <class Before>
void keep_first(std::vector<Candidate>& all, Index count, const Before& before) {
  std::nth_element(all.begin(), all.begin() + (count - 1), all.end(), before);
  all.resize(static_cast<std::size_t>(count));
  std::sort(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) { return a.place < b.place; });
}

/// The first place of the smallest number.
inline Candidate smallest(const SparseView& g, Index dimension) {
  const Index outside = first_place_without(g.places);
  Candidate best{outside, 0.0};
  bool has_one = outside < dimension;
  for (std::size_t k = 0; k < g.places.size(); ++k) {
    const bool is_first = g.numbers[k] == best.number && g.places[k] < best.place;
    if (!has_one || g.numbers[k] < best.number || is_first) {
      best = {g.places[k], g.numbers[k]};
      has_one = true;
    }
  }
  return best;
}

}  // namespace slidemesh::detail
