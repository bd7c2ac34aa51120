#include "slidemesh/linalg/triangular.h"

#include "slidemesh/linalg/kernels_inline.h"
#include "slidemesh/linalg/wide_kernels.h"

namespace slidemesh {

namespace {

using wide::kRowsAtOnce;

}  // namespace

void add_columns(const double* columns, Index stride, ConstVectorRef v, double* out, Index n) noexcept {
  const double* chosen[kRowsAtOnce] = {};
  double factors[kRowsAtOnce] = {};
  Index count = 0;
  for (Index j = 0; j < v.size(); ++j) {
    if (v(j) == 0.0) {
      continue;
    }
    chosen[count] = columns + j * stride;
    factors[count] = v(j);
    if (++count == kRowsAtOnce) {
      wide::axpys<kRowsAtOnce>(chosen, factors, 1, out, n);
      count = 0;
    }
  }
  for (Index k = 0; k < count; ++k) {
    wide::axpys<1>(chosen + k, factors + k, 1, out, n);
  }
}

// Four columns at a time: their own triangle, and then all of them together from the rows below.
void solve_lower(const LowerTriangle& L, double* r) noexcept {
  const auto column = [&](Index j) { return L.columns + j * L.stride; };
  Index j = 0;
  for (; j + kRowsAtOnce <= L.size; j += kRowsAtOnce) {
    double factors[kRowsAtOnce];
    const double* below[kRowsAtOnce];
    for (Index a = 0; a < kRowsAtOnce; ++a) {
      double sum = r[j + a];
      for (Index b = 0; b < a; ++b) {
        sum = inlined::multiply_add(factors[b], column(j + b)[j + a], sum);
      }
      r[j + a] = sum * L.reciprocals[j + a];
      factors[a] = -r[j + a];
      below[a] = column(j + a) + j + kRowsAtOnce;
    }
    wide::axpys<kRowsAtOnce>(below, factors, 1, r + j + kRowsAtOnce, L.size - j - kRowsAtOnce);
  }
  for (; j < L.size; ++j) {
    r[j] *= L.reciprocals[j];
    inlined::axpy(-r[j], column(j) + j + 1, r + j + 1, L.size - j - 1);
  }
}

void solve_lower_transposed(const LowerTriangle& L, double* r) noexcept {
  const auto column = [&](Index j) { return L.columns + j * L.stride; };
  Index end = L.size;
  for (; end >= kRowsAtOnce; end -= kRowsAtOnce) {
    const Index j = end - kRowsAtOnce;
    const double* below[kRowsAtOnce];
    for (Index a = 0; a < kRowsAtOnce; ++a) {
      below[a] = column(j + a) + end;
    }
    double sums[kRowsAtOnce];
    wide::dots<kRowsAtOnce>(below, r + end, L.size - end, sums, 1);
    for (Index a = kRowsAtOnce - 1; a >= 0; --a) {
      double rest = r[j + a] - sums[a];
      for (Index b = a + 1; b < kRowsAtOnce; ++b) {
        rest = inlined::multiply_add(-column(j + a)[j + b], r[j + b], rest);
      }
      r[j + a] = rest * L.reciprocals[j + a];
    }
  }
  for (Index j = end - 1; j >= 0; --j) {
    r[j] = (r[j] - inlined::dot(column(j) + j + 1, r + j + 1, L.size - j - 1)) * L.reciprocals[j];
  }
}

}  // namespace slidemesh
