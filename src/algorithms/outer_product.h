#pragma once

#include <cstdint>

#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// H += c a a' for a sparse row a: of its numbers first .. last, `value(k)` in column columns[k], ascending, so that
/// what follows k is below the diagonal. kWidth columns at a time, which share the places, from k on; where that ends.
/// `lower`: the lower triangle alone.
template <Index kWidth, class Value>
Index add_outer_columns(const std::int32_t* columns, Index first, Index last, bool lower, double* H, Index stride,
                        double c, Value value, Index k) {
  for (; k + kWidth <= last; k += kWidth) {
    double* column[kWidth];
    double factor[kWidth];
    for (Index a = 0; a < kWidth; ++a) {
      column[a] = H + columns[k + a] * stride;
      factor[a] = c * value(k + a);
    }
    for (Index a = 0; a < kWidth && lower; ++a) {
      for (Index b = a; b < kWidth; ++b) {
        column[a][columns[k + b]] += factor[a] * value(k + b);
      }
    }
    for (Index l = lower ? k + kWidth : first; l < last; ++l) {
      for (Index a = 0; a < kWidth; ++a) {
        column[a][columns[l]] += factor[a] * value(l);
      }
    }
  }
  return k;
}

template <class Value>
void add_outer_product(const std::int32_t* columns, Index first, Index last, bool lower, double* H, Index stride,
                       double c, Value value) {
  const Index rest = add_outer_columns<4>(columns, first, last, lower, H, stride, c, value, first);
  add_outer_columns<1>(columns, first, last, lower, H, stride, c, value, rest);
}

}  // namespace slidemesh
