#pragma once

// Products of a block of rows with a model: predictions A X, and gradients A' r.

#include <span>

#include "slidemesh/core/rows.h"
#include "slidemesh/linalg/kernels_inline.h"

namespace slidemesh {

inline double sparse_dot(const std::int32_t* column, const double* value, Index n, const double* x) noexcept {
  double lane[4] = {};
  Index i = 0;
  for (; i + 4 <= n; i += 4) {
    for (Index l = 0; l < 4; ++l) {
      lane[l] = inlined::multiply_add(value[i + l], x[column[i + l]], lane[l]);
    }
  }
  for (Index l = 0; i < n; ++i, ++l) {
    lane[l] = inlined::multiply_add(value[i], x[column[i]], lane[l]);
  }
  return (lane[0] + lane[2]) + (lane[1] + lane[3]);
}

/// out[(r - begin) * outputs + k] = <row r, X_k> for rows begin .. end-1 of the block; X is
/// features x outputs, column-major.
inline void predict(const RowBlock& block, Index begin, Index end, const double* x, Index outputs,
                    double* out) noexcept {
  for (Index r = begin; r < end; ++r) {
    const Index row = block.storage_row(r);
    for (Index k = 0; k < outputs; ++k) {
      const double* model = x + k * block.features;
      *out++ = block.offsets == nullptr
                   ? inlined::dot(block.values + row * block.features, model, block.features)
                   : sparse_dot(block.columns + block.offsets[row], block.values + block.offsets[row],
                                block.offsets[row + 1] - block.offsets[row], model);
    }
  }
}

/// g_k += sum over rows r of coefficients[(r - begin) * outputs + k] * row r.
inline void accumulate(const RowBlock& block, Index begin, Index end, const double* coefficients, Index outputs,
                       double* g) noexcept {
  for (Index r = begin; r < end; ++r) {
    const Index row = block.storage_row(r);
    for (Index k = 0; k < outputs; ++k) {
      const double c = *coefficients++;
      double* out = g + k * block.features;
      if (block.offsets == nullptr) {
        inlined::axpy(c, block.values + row * block.features, out, block.features);
      } else {
        for (Index i = block.offsets[row]; i < block.offsets[row + 1]; ++i) {
          out[block.columns[i]] = inlined::multiply_add(c, block.values[i], out[block.columns[i]]);
        }
      }
    }
  }
}

/// |row r|^2.
inline double squared_row_norm(const RowBlock& block, Index r) noexcept {
  const Index row = block.storage_row(r);
  if (block.offsets == nullptr) {
    const double* a = block.values + row * block.features;
    return inlined::dot(a, a, block.features);
  }
  const double* a = block.values + block.offsets[row];
  return inlined::dot(a, a, block.offsets[row + 1] - block.offsets[row]);
}

}  // namespace slidemesh
