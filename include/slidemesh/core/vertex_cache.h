#pragma once

#include <algorithm>
#include <vector>

#include "slidemesh/base/fail.h"
#include "slidemesh/core/state.h"
#include "slidemesh/linalg/kernels.h"
#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// The last few distinct points that a linear oracle has answered with, to be looked through before it is asked again.
class VertexCache {
 public:
  VertexCache(Index dimension, Index capacity) : dimension_(dimension), capacity_(std::max<Index>(capacity, 1)) {}

  [[nodiscard]] Index size() const { return static_cast<Index>(points_.size()) / dimension_; }
  [[nodiscard]] const double* point(Index k) const { return points_.data() + k * dimension_; }

  /// The position of the point of least <g, point>, the first of them; -1 where there is none. The value into `value`.
  [[nodiscard]] Index best(ConstVectorRef g, double& value) const {
    Index best = -1;
    for (Index k = 0; k < size(); ++k) {
      const double candidate = dot(g.data(), point(k), dimension_);
      if (best < 0 || candidate < value) {
        value = candidate;
        best = k;
      }
    }
    return best;
  }

  /// Takes the place of the oldest once it is full; a point that is there already is not added again.
  void add(ConstVectorRef v) {
    for (Index k = 0; k < size(); ++k) {
      if (std::equal(v.data(), v.data() + dimension_, point(k))) {
        return;
      }
    }
    if (size() < capacity_) {
      points_.insert(points_.end(), v.data(), v.data() + dimension_);
      return;
    }
    std::copy_n(v.data(), dimension_, points_.data() + oldest_ * dimension_);
    oldest_ = (oldest_ + 1) % capacity_;
  }

  void visit_state(StateVisitor& visitor) {
    visitor.visit("vertex_cache.points", points_);
    visitor.visit("vertex_cache.oldest", oldest_);
    const auto size_read = static_cast<Index>(points_.size());
    const bool fits =
        size_read % dimension_ == 0 && size_read / dimension_ <= capacity_ && oldest_ >= 0 && oldest_ < capacity_;
    require<DataError>(fits, "checkpoint", "the points of a vertex cache", "something else");
  }

 private:
  Index dimension_;
  Index capacity_;
  Count oldest_ = 0;
  std::vector<double> points_;
};

}  // namespace slidemesh
