#pragma once

// Products of a block of rows with a model: predictions A X, and gradients A' r.

#include <span>
#include <type_traits>

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#endif

#include "slidemesh/core/rows.h"
#include "slidemesh/linalg/kernels_inline.h"

namespace slidemesh {

// Every kernel below has one order of summation, that of the loops in linalg/kernels_inline.h, however wide the
// machine's registers are and however many rows it takes at a time: the wide forms are for speed and change no bit.

namespace row_kernels {

#if defined(__AVX2__) && defined(__FMA__)

inline constexpr Index kWidth = 4;       ///< doubles in a register
inline constexpr Index kRowsAtOnce = 4;  ///< rows that share what is loaded of the model

/// All bits set in the first n of four places, n = 0 .. 4 (less than 0 counts as 0, more than 4 as 4).
inline __m256i first_places(Index n) noexcept {
  const __m256i places = _mm256_set_epi64x(3, 2, 1, 0);
  return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), places);
}

/// The eight running sums of inlined::dot, added up as inlined::add_lanes does.
inline double add_lanes(__m256d low, __m256d high) noexcept {
  const __m256d four = _mm256_add_pd(low, high);
  const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
  return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}

/// The products of kRows rows with x, as inlined::dot has them.
template <int kRows>
inline void dots(const double* const* row, const double* x, Index n, double* out, Index stride) noexcept {
  __m256d low[kRows];
  __m256d high[kRows];
  for (int r = 0; r < kRows; ++r) {
    low[r] = high[r] = _mm256_setzero_pd();
  }
  Index i = 0;
  for (; i + 2 * kWidth <= n; i += 2 * kWidth) {
    const __m256d x_low = _mm256_loadu_pd(x + i);
    const __m256d x_high = _mm256_loadu_pd(x + i + kWidth);
    for (int r = 0; r < kRows; ++r) {
      low[r] = _mm256_fmadd_pd(_mm256_loadu_pd(row[r] + i), x_low, low[r]);
      high[r] = _mm256_fmadd_pd(_mm256_loadu_pd(row[r] + i + kWidth), x_high, high[r]);
    }
  }
  if (i < n) {
    // A place beyond the end adds 0 * 0, which leaves every running sum as it is.
    const __m256i in_low = first_places(n - i);
    const __m256d x_low = _mm256_maskload_pd(x + i, in_low);
    for (int r = 0; r < kRows; ++r) {
      low[r] = _mm256_fmadd_pd(_mm256_maskload_pd(row[r] + i, in_low), x_low, low[r]);
    }
    if (n - i > kWidth) {
      const __m256i in_high = first_places(n - i - kWidth);
      const __m256d x_high = _mm256_maskload_pd(x + i + kWidth, in_high);
      for (int r = 0; r < kRows; ++r) {
        high[r] = _mm256_fmadd_pd(_mm256_maskload_pd(row[r] + i + kWidth, in_high), x_high, high[r]);
      }
    }
  }
  for (int r = 0; r < kRows; ++r) {
    out[r * stride] = add_lanes(low[r], high[r]);
  }
}

/// y += c_0 row_0, then c_1 row_1, ...: each place of y in the order of the rows.
template <int kRows>
inline void axpys(const double* const* row, const double* c, Index stride, double* y, Index n) noexcept {
  __m256d factor[kRows];
  for (int r = 0; r < kRows; ++r) {
    factor[r] = _mm256_set1_pd(c[r * stride]);
  }
  Index i = 0;
  for (; i + kWidth <= n; i += kWidth) {
    __m256d sum = _mm256_loadu_pd(y + i);
    for (int r = 0; r < kRows; ++r) {
      sum = _mm256_fmadd_pd(factor[r], _mm256_loadu_pd(row[r] + i), sum);
    }
    _mm256_storeu_pd(y + i, sum);
  }
  if (i < n) {
    const __m256i inside = first_places(n - i);
    __m256d sum = _mm256_maskload_pd(y + i, inside);
    for (int r = 0; r < kRows; ++r) {
      sum = _mm256_fmadd_pd(factor[r], _mm256_maskload_pd(row[r] + i, inside), sum);
    }
    _mm256_maskstore_pd(y + i, inside, sum);
  }
}

#else

inline constexpr Index kRowsAtOnce = 4;

template <int kRows>
inline void dots(const double* const* row, const double* x, Index n, double* out, Index stride) noexcept {
  for (int r = 0; r < kRows; ++r) {
    out[r * stride] = inlined::dot(row[r], x, n);
  }
}

template <int kRows>
inline void axpys(const double* const* row, const double* c, Index stride, double* y, Index n) noexcept {
  for (int r = 0; r < kRows; ++r) {
    inlined::axpy(c[r * stride], row[r], y, n);
  }
}

#endif

/// work(rows, first, how many) for groups of kRowsAtOnce dense rows of the block and then one by one.
template <class Work>
inline void for_each_dense(const RowBlock& block, Index begin, Index end, Work&& work) noexcept {
  const auto at = [&](Index r) { return block.values + block.storage_row(r) * block.features; };
  Index r = begin;
  for (; r + kRowsAtOnce <= end; r += kRowsAtOnce) {
    const double* rows[kRowsAtOnce] = {at(r), at(r + 1), at(r + 2), at(r + 3)};
    work(rows, r - begin, std::integral_constant<int, kRowsAtOnce>{});
  }
  for (; r < end; ++r) {
    const double* rows[1] = {at(r)};
    work(rows, r - begin, std::integral_constant<int, 1>{});
  }
}

#if defined(__AVX2__) && defined(__FMA__)

/// Two places of x: with _mm256_set_m128d four of them, which is faster than the machine's gather.
inline __m128d two_of(const double* x, const std::int32_t* column) noexcept {
  return _mm_loadh_pd(_mm_load_sd(x + column[0]), x + column[1]);
}

/// Four running sums, as the plain form below has them.
inline double sparse_dot(const std::int32_t* column, const double* value, Index n, const double* x) noexcept {
  __m256d sum = _mm256_setzero_pd();
  Index i = 0;
  for (; i + kWidth <= n; i += kWidth) {
    const __m256d model = _mm256_set_m128d(two_of(x, column + i + 2), two_of(x, column + i));
    sum = _mm256_fmadd_pd(_mm256_loadu_pd(value + i), model, sum);
  }
  if (i < n) {
    const Index left = n - i;
    const __m128d low = left == 1 ? _mm_load_sd(x + column[i]) : two_of(x, column + i);
    const __m128d high = left == 3 ? _mm_load_sd(x + column[i + 2]) : _mm_setzero_pd();
    sum = _mm256_fmadd_pd(_mm256_maskload_pd(value + i, first_places(left)), _mm256_set_m128d(high, low), sum);
  }
  const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(sum), _mm256_extractf128_pd(sum, 1));
  return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}

#else

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

#endif

inline void sparse_axpy(double c, const std::int32_t* column, const double* value, Index n, double* y) noexcept {
  Index i = 0;
  for (; i + 4 <= n; i += 4) {  // a row's columns differ, so that four sums may be under way at once
    double* const at[4] = {y + column[i], y + column[i + 1], y + column[i + 2], y + column[i + 3]};
    double sum[4];
    for (Index l = 0; l < 4; ++l) {
      sum[l] = inlined::multiply_add(c, value[i + l], *at[l]);
    }
    for (Index l = 0; l < 4; ++l) {
      *at[l] = sum[l];
    }
  }
  for (; i < n; ++i) {
    y[column[i]] = inlined::multiply_add(c, value[i], y[column[i]]);
  }
}

/// work(offset of the row's first nonzero, nonzeros, place among the rows) for rows begin .. end-1.
template <class Work>
inline void for_each_sparse(const RowBlock& block, Index begin, Index end, Work&& work) noexcept {
  if (block.selection == nullptr) {  // the offset of one row's end is that of the next one's begin
    Index first = block.offsets[begin];
    for (Index r = begin; r < end; ++r) {
      const Index last = block.offsets[r + 1];
      work(first, last - first, r - begin);
      first = last;
    }
    return;
  }
  for (Index r = begin; r < end; ++r) {
    const Index row = block.selection[r];
    work(block.offsets[row], block.offsets[row + 1] - block.offsets[row], r - begin);
  }
}

}  // namespace row_kernels

/// out[(r - begin) * outputs + k] = <row r, X_k> for rows begin .. end-1 of the block; X is
/// features x outputs, column-major.
inline void predict(const RowBlock& block, Index begin, Index end, const double* x, Index outputs,
                    double* out) noexcept {
  if (block.offsets == nullptr) {
    row_kernels::for_each_dense(block, begin, end, [&](const double* const* rows, Index place, auto count) {
      for (Index k = 0; k < outputs; ++k) {
        row_kernels::dots<count()>(rows, x + k * block.features, block.features, out + place * outputs + k, outputs);
      }
    });
    return;
  }
  row_kernels::for_each_sparse(block, begin, end, [&](Index first, Index nonzeros, Index place) {
    for (Index k = 0; k < outputs; ++k) {
      out[place * outputs + k] =
          row_kernels::sparse_dot(block.columns + first, block.values + first, nonzeros, x + k * block.features);
    }
  });
}

/// g_k += sum over rows r of coefficients[(r - begin) * outputs + k] * row r.
inline void accumulate(const RowBlock& block, Index begin, Index end, const double* coefficients, Index outputs,
                       double* g) noexcept {
  if (block.offsets == nullptr) {
    row_kernels::for_each_dense(block, begin, end, [&](const double* const* rows, Index place, auto count) {
      for (Index k = 0; k < outputs; ++k) {
        row_kernels::axpys<count()>(rows, coefficients + place * outputs + k, outputs, g + k * block.features,
                                    block.features);
      }
    });
    return;
  }
  row_kernels::for_each_sparse(block, begin, end, [&](Index first, Index nonzeros, Index place) {
    for (Index k = 0; k < outputs; ++k) {
      row_kernels::sparse_axpy(coefficients[place * outputs + k], block.columns + first, block.values + first, nonzeros,
                               g + k * block.features);
    }
  });
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
