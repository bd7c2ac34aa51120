#include "slidemesh/linalg/sparse_columns.h"

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <numeric>

#include "slidemesh/linalg/kernels_inline.h"

namespace slidemesh {

namespace {

/// What a register holds, from anywhere in memory.
template <class Real>
struct Register;
template <>
struct Register<double> {
  using Lanes = double __attribute__((vector_size(32), aligned(8), may_alias));
};
template <>
struct Register<float> {
  using Lanes = float __attribute__((vector_size(32), aligned(4), may_alias));
};

/// a b + c in every lane, fused where the machine does that.
template <class Lanes>
inline Lanes multiply_add(Lanes a, Lanes b, Lanes c) noexcept {
#if defined(__AVX2__) && defined(__FMA__)
  if constexpr (sizeof(a[0]) == sizeof(float)) {
    return _mm256_fmadd_ps(a, b, c);
  } else {
    return _mm256_fmadd_pd(a, b, c);
  }
#else
  return a * b + c;
#endif
}

}  // namespace

SparseColumns::SparseColumns(Index rows, Index columns, const std::vector<Count>& places)
    : rows_(rows), first_(static_cast<std::size_t>(columns) + 1, 0) {
  row_.reserve(places.size());
  for (const Count place : places) {
    row_.push_back(static_cast<std::int32_t>(place % rows));
    ++first_[static_cast<std::size_t>(place / rows) + 1];
  }
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
}

void SparseColumns::multiply_transposed(const double* numbers, const double* y, double* out) const noexcept {
  constexpr std::int32_t kSums = 4;  // side by side: one sum would wait for each of its additions
  const std::int32_t* row = row_.data();
  const Index count = columns();
  for (Index c = 0; c < count; ++c) {
    std::int32_t left = first_[static_cast<std::size_t>(c) + 1] - first_[static_cast<std::size_t>(c)];
    double sum[kSums] = {};
    for (; left >= kSums; left -= kSums, numbers += kSums, row += kSums) {
#pragma GCC unroll 4
      for (std::int32_t l = 0; l < kSums; ++l) {
        sum[l] = inlined::multiply_add(numbers[l], y[row[l]], sum[l]);
      }
    }
    for (std::int32_t l = 0; l < left; ++l) {
      sum[l] = inlined::multiply_add(numbers[l], y[row[l]], sum[l]);
    }
    numbers += left;
    row += left;
    out[c] = (sum[0] + sum[2]) + (sum[1] + sum[3]);
  }
}

template <class Real>
void SparseColumns::multiply_squares(const Real* numbers, const Real* y, Real* out) const noexcept {
  using Lanes = typename Register<Real>::Lanes;
  std::fill_n(out, kTogether<Real> * rows_, Real{0});
  const auto* number = reinterpret_cast<const Lanes*>(numbers);
  const auto* in = reinterpret_cast<const Lanes*>(y);
  auto* sum = reinterpret_cast<Lanes*>(out);
  const std::int32_t* const row = row_.data();
  const Index count = columns();
  for (Index c = 0; c < count; ++c) {  // G G'y is the sum over the columns g of <g, y> g
    const std::int32_t begin = first_[static_cast<std::size_t>(c)];
    const std::int32_t end = first_[static_cast<std::size_t>(c) + 1];
    Lanes product[2] = {};  // by turns: one sum would wait for each of its additions
    std::int32_t k = begin;
    for (; k + 1 < end; k += 2) {
      product[0] = multiply_add(number[k], in[row[k]], product[0]);
      product[1] = multiply_add(number[k + 1], in[row[k + 1]], product[1]);
    }
    if (k < end) {
      product[0] = multiply_add(number[k], in[row[k]], product[0]);
    }
    const Lanes factor = product[0] + product[1];
#pragma GCC unroll 4
    for (k = begin; k < end; ++k) {
      sum[row[k]] = multiply_add(number[k], factor, sum[row[k]]);
    }
  }
}

template void SparseColumns::multiply_squares(const double* numbers, const double* y, double* out) const noexcept;
template void SparseColumns::multiply_squares(const float* numbers, const float* y, float* out) const noexcept;

void SparseColumns::expand(const double* numbers, Vector& out) const {
  out.setZero(rows_ * columns());
  for (Index c = 0; c < columns(); ++c) {
    const std::int32_t end = first_[static_cast<std::size_t>(c) + 1];
    for (std::int32_t k = first_[static_cast<std::size_t>(c)]; k < end; ++k) {
      out(c * rows_ + row_[static_cast<std::size_t>(k)]) = numbers[k];
    }
  }
}

}  // namespace slidemesh
