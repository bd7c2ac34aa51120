#pragma once

#include <cstddef>
#include <vector>

#include "slidemesh/linalg/types.h"

namespace slidemesh::detail {

/// y = argmin over y_1 >= y_2 >= ... >= y_n of |y - x|^2, by pooling adjacent violators: O(n). `y` and `x` may be the
/// same memory; the two vectors are working memory, of capacity n.
inline void isotonic_decreasing(const double* x, double* y, Index n, std::vector<double>& sums,
                                std::vector<Index>& sizes) {
  sums.clear();
  sizes.clear();
  for (Index j = 0; j < n; ++j) {
    double sum = x[j];
    Index size = 1;
    // The block before is pooled in while its mean is below this one's.
    while (!sums.empty() && sums.back() * static_cast<double>(size) < sum * static_cast<double>(sizes.back())) {
      sum += sums.back();
      size += sizes.back();
      sums.pop_back();
      sizes.pop_back();
    }
    sums.push_back(sum);
    sizes.push_back(size);
  }
  Index j = 0;
  for (std::size_t block = 0; block < sums.size(); ++block) {
    const double mean = sums[block] / static_cast<double>(sizes[block]);
    for (Index i = 0; i < sizes[block]; ++i) {
      y[j++] = mean;
    }
  }
}

}  // namespace slidemesh::detail
