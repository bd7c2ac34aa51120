#pragma once

#include <vector>

#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// A vector that is kept as it is or, where most of it is zero, as the numbers that are not, with their places:
/// vertices of an l1 ball, a simplex or of flows have few.
class CompactVector {
 public:
  CompactVector() = default;
  explicit CompactVector(ConstVectorRef v) { assign(v); }

  void assign(ConstVectorRef v);
  /// <this, b>, over `size` numbers.
  [[nodiscard]] double dot(const double* b) const noexcept;
  /// y += s this.
  void add_to(double s, double* y) const noexcept;
  /// How many numbers are kept.
  [[nodiscard]] Index numbers() const { return static_cast<Index>(values_.size()); }
  /// body(place, value) for each of them.
  template <class Body>
  void for_each(Body&& body) const {
    for (std::size_t k = 0; k < values_.size(); ++k) {
      body(is_compact() ? places_[k] : static_cast<Index>(k), values_[k]);
    }
  }
  /// All numbers, the zeros too.
  void expand(VectorRef out) const;

 private:
  [[nodiscard]] bool is_compact() const { return !places_.empty(); }

  std::vector<Index> places_;  ///< none where all numbers are kept
  std::vector<double> values_;
};

}  // namespace slidemesh
