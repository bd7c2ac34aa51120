#pragma once

// Products of a block of rows with a model: predictions A X, and gradients A' r.

#include "slidemesh/core/rows.h"
#include "slidemesh/linalg/kernels_inline.h"
#include "slidemesh/linalg/wide_kernels.h"

namespace slidemesh {

namespace row_kernels {

using wide::add_rows;
using wide::dots;
using wide::kRowsAtOnce;

inline constexpr Index kAheadBytes = 4096;  ///< how far ahead of a row that was drawn its successors are asked for

/// How far ahead rows that lie one after the other are asked for: while rows before them are predicted, or while the
/// gradients of rows before them are added up, and then as far as the second cache.
struct ReadingAhead {
  Index bytes;
  bool while_predicting;
};

/// AMD's processors before those with AVX-512 (Zen 4) read ahead by themselves while rows are predicted, and asking for
/// the same lines keeps them from that: 22 numbers in memory took 14.4 ns so, and 10.9 where they are asked for while
/// gradients are added up; into the first cache, which has few places for lines under way, 14. On a Zen 5 memory is
/// more rows away from a faster core; 8 to 16 kB serve it alike.
inline ReadingAhead reading_ahead() noexcept {
#if defined(__GNUC__) && defined(__x86_64__)
  if (__builtin_cpu_is("amd") != 0) {
    return __builtin_cpu_supports("avx512f") != 0 ? ReadingAhead{2 * kAheadBytes, true} : ReadingAhead{11264, false};
  }
#endif
  return {kAheadBytes, true};
}

/// Asks for the cache lines of n numbers. Memory that is read in order is fetched ahead by the machine itself, but not
/// while a pass does something else; and rows that were drawn are nowhere near each other. (Always inlined: the
/// compiler takes a function that does nothing else for one without effect.)
template <int kLocality = 3, class Number>
[[gnu::always_inline]] inline void ask_for(const Number* first, Index n) noexcept {
#if defined(__GNUC__)
  constexpr Index kLine = 64 / sizeof(Number);
  for (Index i = 0; i < n; i += kLine) {
    __builtin_prefetch(first + i, 0, kLocality);
  }
#endif
}

/// work(row), with row(r) the numbers of dense row r of the block.
template <class Work>
inline void with_dense_rows(const RowBlock& block, Work&& work) noexcept {
  if (block.selection == nullptr) {
    work([&](Index r) { return block.values + r * block.features; });
  } else {
    work([&](Index r) { return block.values + block.selection[r] * block.features; });
  }
}

/// From where on numbers are to be asked for, as many as rows begin .. end-1 have, while these are predicted, or added
/// up. Null: not now; or rows that were selected, long ones, which the machine fetches ahead by itself, or the last.
inline const double* successors(const RowBlock& block, Index begin, Index end, bool while_predicting) noexcept {
  const ReadingAhead reading = reading_ahead();
  const Index ahead = reading.bytes / Index{sizeof(double)};
  const bool are_short = block.features * Index{sizeof(double)} <= kAheadBytes;
  const bool are_there = (block.count - end) * block.features >= ahead;
  const bool is_now = while_predicting == reading.while_predicting;
  return block.selection == nullptr && is_now && are_short && are_there ? block.values + begin * block.features + ahead
                                                                        : nullptr;
}

/// Asks for the kRowsAtOnce selected rows that follow row r by so many rows as are kAheadBytes.
template <class RowAt>
[[gnu::always_inline]] inline void ask_for_selected(const RowBlock& block, const RowAt& row, Index r) noexcept {
  const Index ahead = kAheadBytes / (block.features * Index{sizeof(double)});
  if (block.selection == nullptr || ahead == 0 || r + ahead + kRowsAtOnce > block.count) {
    return;
  }
  for (Index s = r + ahead; s < r + ahead + kRowsAtOnce; ++s) {
    ask_for(row(s), block.features);
  }
}

template <class RowAt>
inline void predict_dense(const RowBlock& block, const RowAt& row, Index begin, Index end, const double* x,
                          Index outputs, double* out) noexcept {
  const double* next = successors(block, begin, end, true);
  Index r = begin;
  for (; r + kRowsAtOnce <= end; r += kRowsAtOnce, out += kRowsAtOnce * outputs) {
    const double* rows[kRowsAtOnce] = {row(r), row(r + 1), row(r + 2), row(r + 3)};
    for (Index k = 0; k < outputs; ++k) {
      dots<kRowsAtOnce>(rows, x + k * block.features, block.features, out + k, outputs);
    }
    if (next != nullptr) {
      ask_for(next, kRowsAtOnce * block.features);
      next += kRowsAtOnce * block.features;
    }
    ask_for_selected(block, row, r);
  }
  for (; r < end; ++r, out += outputs) {
    const double* rows[1] = {row(r)};
    for (Index k = 0; k < outputs; ++k) {
      dots<1>(rows, x + k * block.features, block.features, out + k, outputs);
    }
  }
}

#if defined(__AVX2__) && defined(__FMA__)

using wide::first_places;
using wide::kWidth;

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

/// Chosen rows lie anywhere: nobody but us can guess the next one.
inline void ask_for_sparse_row(const RowBlock& block, Index row) noexcept {
  const Index first = block.offsets[row];
  const Index nonzeros = block.offsets[row + 1] - first;
  ask_for(block.values + first, nonzeros);
  ask_for(block.columns + first, nonzeros);
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
  constexpr Index kAhead = 4;
  for (Index r = begin; r < end; ++r) {
    if (r + kAhead < end) {
      ask_for_sparse_row(block, block.selection[r + kAhead]);
    }
    const Index row = block.selection[r];
    work(block.offsets[row], block.offsets[row + 1] - block.offsets[row], r - begin);
  }
}

}  // namespace row_kernels

/// out[(r - begin) * outputs + k] = <row r, X_k> for rows begin .. end-1 of the block; X is
/// features x outputs, column-major. Rows that follow may be on their way into the cache then.
inline void predict(const RowBlock& block, Index begin, Index end, const double* x, Index outputs,
                    double* out) noexcept {
  using namespace row_kernels;
  if (block.offsets == nullptr) {
    with_dense_rows(block, [&](auto row) { predict_dense(block, row, begin, end, x, outputs, out); });
    return;
  }
  for_each_sparse(block, begin, end, [&](Index first, Index nonzeros, Index place) {
    for (Index k = 0; k < outputs; ++k) {
      out[place * outputs + k] =
          sparse_dot(block.columns + first, block.values + first, nonzeros, x + k * block.features);
    }
  });
}

/// g_k += sum over rows r of coefficients[(r - begin) * outputs + k] * row r.
inline void accumulate(const RowBlock& block, Index begin, Index end, const double* coefficients, Index outputs,
                       double* g) noexcept {
  using namespace row_kernels;
  if (block.offsets == nullptr) {
    constexpr int kSecondCache = 2;
    const auto add = [&](Index k, const auto& part) {
      add_rows(part, coefficients + k, outputs, end - begin, g + k * block.features, block.features);
    };
    with_dense_rows(block, [&](auto row) {
      const auto part = [&](Index r, Index first, Index) { return row(begin + r) + first; };
      const double* next = successors(block, begin, end, false);
      const bool asks = next != nullptr;
      if (asks) {
        add(0, [&](Index r, Index first, Index columns) {
          ask_for<kSecondCache>(next, columns);
          next += columns;
          return part(r, first, columns);
        });
      }
      for (Index k = asks ? 1 : 0; k < outputs; ++k) {
        add(k, part);
      }
    });
    return;
  }
  for_each_sparse(block, begin, end, [&](Index first, Index nonzeros, Index place) {
    for (Index k = 0; k < outputs; ++k) {
      sparse_axpy(coefficients[place * outputs + k], block.columns + first, block.values + first, nonzeros,
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
