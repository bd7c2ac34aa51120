#pragma once

#include <span>

#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// The second-order part of a quadratic function: x'H x/2.
class Quadratic {
 public:
  virtual ~Quadratic() = default;
  /// out = H v.
  virtual void multiply(ConstVectorRef v, VectorRef out) const = 0;
  /// out_l += s H_{rows_l, j}: some elements of a column of H.
  virtual void add_elements(double s, std::span<const Index> rows, Index j, double* out) const = 0;
  /// H_jj.
  [[nodiscard]] virtual double diagonal(Index j) const = 0;
};

}  // namespace slidemesh
