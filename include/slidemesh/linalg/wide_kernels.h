#pragma once

// Products of one vector with several, and sums of several onto one. Every kernel has one order of summation, that of
// the loops in kernels_inline.h, however wide the machine's registers are and however many vectors it takes at a time:
// the wide forms are for speed and change no bit.

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#endif

#include <cmath>
#include <type_traits>

#include "slidemesh/linalg/kernels_inline.h"
#include "slidemesh/linalg/types.h"

namespace slidemesh::wide {

#if defined(__AVX2__) && defined(__FMA__)

inline constexpr Index kWidth = 4;       ///< doubles in a register
inline constexpr Index kRowsAtOnce = 4;  ///< rows that share what is loaded of the model

inline __m256d magnitudes(__m256d four) noexcept { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), four); }

/// The largest of four numbers, in every place.
inline __m256d largest_of_lanes(__m256d four) noexcept {
  const __m256d two = _mm256_max_pd(four, _mm256_permute2f128_pd(four, four, 1));
  return _mm256_max_pd(two, _mm256_permute_pd(two, 0b0101));
}

/// All bits set in the first n of four places, n = 0 .. 4 (less than 0 counts as 0, more than 4 as 4).
inline __m256i first_places(Index n) noexcept {
  const __m256i places = _mm256_set_epi64x(3, 2, 1, 0);
  return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), places);
}

// The ends of vectors that are written and read again at once. A masked store takes some machines six times as long as
// a plain one, and what was written in one size and is read in another has to go through the cache first.

/// The first n of four places, n = 1 .. 4 (more counts as 4), and 0 beyond.
inline __m256d load_first(const double* x, Index n) noexcept {
  if (n >= kWidth) {
    return _mm256_loadu_pd(x);
  }
  if (n == 1) {
    return _mm256_zextpd128_pd256(_mm_load_sd(x));
  }
  const __m256d two = _mm256_zextpd128_pd256(_mm_loadu_pd(x));
  return n == 2 ? two : _mm256_insertf128_pd(two, _mm_load_sd(x + 2), 1);
}

inline void store_first(double* x, __m256d four, Index n) noexcept {
  if (n >= kWidth) {
    _mm256_storeu_pd(x, four);
  } else if (n == 1) {
    _mm_store_sd(x, _mm256_castpd256_pd128(four));
  } else {
    _mm_storeu_pd(x, _mm256_castpd256_pd128(four));
    if (n == 3) {
      _mm_store_sd(x + 2, _mm256_extractf128_pd(four, 1));
    }
  }
}

/// The eight running sums of inlined::dot, added up as inlined::add_lanes does.
inline double add_lanes(__m256d low, __m256d high) noexcept {
  const __m256d four = _mm256_add_pd(low, high);
  const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
  return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}

/// The same for four pairs of registers at once.
inline __m256d add_lanes_of_four(const __m256d* low, const __m256d* high) noexcept {
  __m256d four[4];
  for (int r = 0; r < 4; ++r) {
    four[r] = _mm256_add_pd(low[r], high[r]);
  }
  const __m256d even = _mm256_add_pd(_mm256_permute2f128_pd(four[0], four[2], 0x20),  // two of row 0, two of row 2
                                     _mm256_permute2f128_pd(four[0], four[2], 0x31));
  const __m256d odd =
      _mm256_add_pd(_mm256_permute2f128_pd(four[1], four[3], 0x20), _mm256_permute2f128_pd(four[1], four[3], 0x31));
  return _mm256_add_pd(_mm256_unpacklo_pd(even, odd), _mm256_unpackhi_pd(even, odd));
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
    const auto end_of = [](const double* numbers, Index left) {  // few rows are as fresh as x may be
      return kRows <= 2 ? load_first(numbers, left) : _mm256_maskload_pd(numbers, first_places(left));
    };
    const __m256d x_low = load_first(x + i, n - i);
    for (int r = 0; r < kRows; ++r) {
      low[r] = _mm256_fmadd_pd(end_of(row[r] + i, n - i), x_low, low[r]);
    }
    if (n - i > kWidth) {
      const __m256d x_high = load_first(x + i + kWidth, n - i - kWidth);
      for (int r = 0; r < kRows; ++r) {
        high[r] = _mm256_fmadd_pd(end_of(row[r] + i + kWidth, n - i - kWidth), x_high, high[r]);
      }
    }
  }
  if constexpr (kRows == 4) {
    const __m256d sums = add_lanes_of_four(low, high);
    if (stride == 1) {
      _mm256_storeu_pd(out, sums);
      return;
    }
    alignas(32) double sum[4];
    _mm256_store_pd(sum, sums);
    for (int r = 0; r < kRows; ++r) {
      out[r * stride] = sum[r];
    }
  } else {
    for (int r = 0; r < kRows; ++r) {
      out[r * stride] = add_lanes(low[r], high[r]);
    }
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
    __m256d sum = load_first(y + i, n - i);
    for (int r = 0; r < kRows; ++r) {
      sum = _mm256_fmadd_pd(factor[r], _mm256_maskload_pd(row[r] + i, inside), sum);
    }
    store_first(y + i, sum, n - i);
  }
}

/// Columns of y that stay in registers while rows are added to them: n of them, at most 4 kVectors. row(r) has that
/// many numbers of row r.
template <int kVectors, bool kIsWhole, class RowAt>
inline void add_to_tile(const RowAt& row, const double* c, Index stride, Index count, double* y, Index n) noexcept {
  constexpr int kLast = kVectors - 1;
  const __m256i inside = first_places(n - kLast * kWidth);
  __m256d sum[kVectors];
  for (int v = 0; v < kLast; ++v) {
    sum[v] = _mm256_loadu_pd(y + v * kWidth);
  }
  sum[kLast] = load_first(y + kLast * kWidth, n - kLast * kWidth);
  for (Index r = 0; r < count; ++r) {
    const double* a = row(r);
    const __m256d factor = _mm256_set1_pd(c[r * stride]);
    for (int v = 0; v < kLast; ++v) {
      sum[v] = _mm256_fmadd_pd(factor, _mm256_loadu_pd(a + v * kWidth), sum[v]);
    }
    const double* last = a + kLast * kWidth;
    sum[kLast] =
        _mm256_fmadd_pd(factor, kIsWhole ? _mm256_loadu_pd(last) : _mm256_maskload_pd(last, inside), sum[kLast]);
  }
  for (int v = 0; v < kLast; ++v) {
    _mm256_storeu_pd(y + v * kWidth, sum[v]);
  }
  store_first(y + kLast * kWidth, sum[kLast], n - kLast * kWidth);
}

/// work(std::integral_constant<Index, n>) for an n of 1 .. kMost.
template <Index kMost, class Work>
inline void with_constant(Index n, const Work& work) noexcept {
  if constexpr (kMost > 1) {
    if (n < kMost) {
      return with_constant<kMost - 1>(n, work);
    }
  }
  work(std::integral_constant<Index, kMost>{});
}

/// y += c_0 row_0, then c_1 row_1, ... for any number of rows, each place of y in the order of the rows.
/// part(r, first, columns) has so many numbers of row r, from `first` on, and is called once for each.
template <class PartAt>
inline void add_rows(const PartAt& part, const double* c, Index stride, Index count, double* y, Index n) noexcept {
  constexpr Index kMostVectors = 12;  // and what they are added to, of 16 registers
  Index vectors = (n + kWidth - 1) / kWidth;
  Index first = 0;
  while (vectors > 0) {  // tiles as even as can be: a narrow one waits for its own sums
    const Index tiles = (vectors + kMostVectors - 1) / kMostVectors;
    const Index taken = (vectors + tiles - 1) / tiles;
    const Index columns = taken * kWidth < n - first ? taken * kWidth : n - first;
    const auto add = [&](auto width) {
      const auto part_of = [&](Index r) { return part(r, first, columns); };
      if (columns == width() * kWidth) {
        add_to_tile<width(), true>(part_of, c, stride, count, y + first, columns);
      } else {
        add_to_tile<width(), false>(part_of, c, stride, count, y + first, columns);
      }
    };
    with_constant<kMostVectors>(taken, add);
    first += columns;
    vectors -= taken;
  }
}

/// The way from u to the vector of zeros but for `value` at place `at`, and its products with g and with itself as
/// inlined::dot has them. n is a multiple of inlined::kLanes.
inline void way_to_entry(Index at, double value, const double* u, const double* g, Index n, double* way,
                         double* products) noexcept {
  const __m256d entry = _mm256_set1_pd(value);
  const __m256i place = _mm256_set1_epi64x(at);
  __m256i here = _mm256_set_epi64x(3, 2, 1, 0);
  __m256d with_g[2] = {_mm256_setzero_pd(), _mm256_setzero_pd()};
  __m256d with_itself[2] = {_mm256_setzero_pd(), _mm256_setzero_pd()};
  for (Index i = 0; i < n; i += 2 * kWidth) {
    for (int half = 0; half < 2; ++half) {
      const Index first = i + half * kWidth;
      const __m256d to = _mm256_and_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(here, place)), entry);
      const __m256d step = _mm256_sub_pd(to, _mm256_loadu_pd(u + first));
      _mm256_storeu_pd(way + first, step);
      with_g[half] = _mm256_fmadd_pd(_mm256_loadu_pd(g + first), step, with_g[half]);
      with_itself[half] = _mm256_fmadd_pd(step, step, with_itself[half]);
      here = _mm256_add_epi64(here, _mm256_set1_epi64x(kWidth));
    }
  }
  products[0] = add_lanes(with_g[0], with_g[1]);
  products[1] = add_lanes(with_itself[0], with_itself[1]);
}

/// u += step way and g = strength (u - centre), n numbers each, a multiple of inlined::kLanes. Returns the largest
/// |g_i|, or 0 where nobody asks for it.
template <bool kFindsLargest>
inline double move_along(double step, const double* way, double strength, const double* centre, Index n, double* u,
                         double* g) noexcept {
  const __m256d steps = _mm256_set1_pd(step);
  const __m256d strengths = _mm256_set1_pd(strength);
  __m256d largest[2] = {_mm256_setzero_pd(), _mm256_setzero_pd()};
  for (Index i = 0; i < n; i += 2 * kWidth) {
    for (int half = 0; half < 2; ++half) {
      const Index first = i + half * kWidth;
      const __m256d there = _mm256_fmadd_pd(steps, _mm256_loadu_pd(way + first), _mm256_loadu_pd(u + first));
      const __m256d slope = _mm256_mul_pd(strengths, _mm256_sub_pd(there, _mm256_loadu_pd(centre + first)));
      _mm256_storeu_pd(u + first, there);
      _mm256_storeu_pd(g + first, slope);
      if constexpr (kFindsLargest) {
        largest[half] = _mm256_max_pd(magnitudes(slope), largest[half]);
      }
    }
  }
  return _mm256_cvtsd_f64(largest_of_lanes(_mm256_max_pd(largest[0], largest[1])));
}

/// The same as way_to_entry where one |g_i| alone is `largest`: to -size at that place if g_i > 0, size if not. Returns
/// how many there are. Nothing waits for the place itself to be known.
inline Count way_to_largest(double largest, double size, const double* u, const double* g, Index n, double* way,
                            double* products) noexcept {
  const __m256d largests = _mm256_set1_pd(largest);
  const __m256d sizes = _mm256_set1_pd(size);
  const __m256d sign = _mm256_set1_pd(-0.0);
  __m256i counts = _mm256_setzero_si256();
  __m256d with_g[2] = {_mm256_setzero_pd(), _mm256_setzero_pd()};
  __m256d with_itself[2] = {_mm256_setzero_pd(), _mm256_setzero_pd()};
  for (Index i = 0; i < n; i += 2 * kWidth) {
    for (int half = 0; half < 2; ++half) {
      const Index first = i + half * kWidth;
      const __m256d slope = _mm256_loadu_pd(g + first);
      const __m256d is_largest = _mm256_cmp_pd(magnitudes(slope), largests, _CMP_EQ_OQ);
      counts = _mm256_sub_epi64(counts, _mm256_castpd_si256(is_largest));
      const __m256d to = _mm256_and_pd(is_largest, _mm256_or_pd(sizes, _mm256_andnot_pd(slope, sign)));
      const __m256d step = _mm256_sub_pd(to, _mm256_loadu_pd(u + first));
      _mm256_storeu_pd(way + first, step);
      with_g[half] = _mm256_fmadd_pd(slope, step, with_g[half]);
      with_itself[half] = _mm256_fmadd_pd(step, step, with_itself[half]);
    }
  }
  products[0] = add_lanes(with_g[0], with_g[1]);
  products[1] = add_lanes(with_itself[0], with_itself[1]);
  const __m128i two = _mm_add_epi64(_mm256_castsi256_si128(counts), _mm256_extracti128_si256(counts, 1));
  return _mm_cvtsi128_si64(_mm_add_epi64(two, _mm_unpackhi_epi64(two, two)));
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

template <class PartAt>
inline void add_rows(const PartAt& part, const double* c, Index stride, Index count, double* y, Index n) noexcept {
  for (Index r = 0; r < count; ++r) {
    inlined::axpy(c[r * stride], part(r, 0, n), y, n);
  }
}

inline void way_to_entry(Index at, double value, const double* u, const double* g, Index n, double* way,
                         double* products) noexcept {
  for (Index i = 0; i < n; ++i) {
    way[i] = (i == at ? value : 0.0) - u[i];
  }
  products[0] = inlined::dot(g, way, n);
  products[1] = inlined::dot(way, way, n);
}

template <bool kFindsLargest>
inline double move_along(double step, const double* way, double strength, const double* centre, Index n, double* u,
                         double* g) noexcept {
  double largest = 0.0;
  for (Index i = 0; i < n; ++i) {
    u[i] = inlined::multiply_add(step, way[i], u[i]);
    g[i] = strength * (u[i] - centre[i]);
    largest = kFindsLargest && std::abs(g[i]) > largest ? std::abs(g[i]) : largest;
  }
  return largest;
}

inline Count way_to_largest(double largest, double size, const double* u, const double* g, Index n, double* way,
                            double* products) noexcept {
  Count count = 0;
  for (Index i = 0; i < n; ++i) {
    const bool is_largest = std::abs(g[i]) == largest;
    count += is_largest ? 1 : 0;
    way[i] = (is_largest ? std::copysign(size, -g[i]) : 0.0) - u[i];
  }
  products[0] = inlined::dot(g, way, n);
  products[1] = inlined::dot(way, way, n);
  return count;
}

#endif

}  // namespace slidemesh::wide
