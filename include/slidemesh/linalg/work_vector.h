#pragma once

#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// Memory to work in. It is taken when somebody first asks for it, and not copied with its owner: every node has a copy
/// of a set, and a large vector in each that nobody looks at adds up.
class WorkVector {
 public:
  WorkVector() = default;
  WorkVector(const WorkVector& /*other*/) {}
  WorkVector& operator=(const WorkVector& /*other*/) { return *this; }

  /// So many numbers, of which nothing is known.
  [[nodiscard]] Vector& of(Index size) {
    if (numbers_.size() != size) {
      numbers_.resize(size);
    }
    return numbers_;
  }

 private:
  Vector numbers_;
};

}  // namespace slidemesh
