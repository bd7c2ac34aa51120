#include "slidemesh/linalg/triangular.h"

#include <algorithm>
#include <array>

#include "slidemesh/linalg/kernels_inline.h"
#include "slidemesh/linalg/wide_kernels.h"

namespace slidemesh {

namespace {

using wide::kRowsAtOnce;

/// Right-hand sides that are solved for at once: a solve waits for its own numbers most of the time, so that a second
/// one costs next to nothing.
template <int kSides>
using Sides = std::array<double*, kSides>;

// Four columns at a time: their own triangle, and then all of them together from the rows below.
template <int kSides>
void solve_lower_for(const LowerTriangle& L, const Sides<kSides>& sides) noexcept {
  const auto column = [&](Index j) { return L.columns + j * L.stride; };
  Index j = 0;
  for (; j + kRowsAtOnce <= L.size; j += kRowsAtOnce) {
    const double* below[kRowsAtOnce];
    for (Index a = 0; a < kRowsAtOnce; ++a) {
      below[a] = column(j + a) + j + kRowsAtOnce;
    }
    for (double* r : sides) {
      double factors[kRowsAtOnce];
      for (Index a = 0; a < kRowsAtOnce; ++a) {
        double sum = r[j + a];
        for (Index b = 0; b < a; ++b) {
          sum = inlined::multiply_add(factors[b], column(j + b)[j + a], sum);
        }
        r[j + a] = sum * L.reciprocals[j + a];
        factors[a] = -r[j + a];
      }
      wide::axpys<kRowsAtOnce>(below, factors, 1, r + j + kRowsAtOnce, L.size - j - kRowsAtOnce);
    }
  }
  for (; j < L.size; ++j) {
    for (double* r : sides) {
      r[j] *= L.reciprocals[j];
      inlined::axpy(-r[j], column(j) + j + 1, r + j + 1, L.size - j - 1);
    }
  }
}

template <int kSides>
void solve_lower_transposed_for(const LowerTriangle& L, const Sides<kSides>& sides) noexcept {
  const auto column = [&](Index j) { return L.columns + j * L.stride; };
  Index end = L.size;
  for (; end >= kRowsAtOnce; end -= kRowsAtOnce) {
    const Index j = end - kRowsAtOnce;
    const double* below[kRowsAtOnce];
    for (Index a = 0; a < kRowsAtOnce; ++a) {
      below[a] = column(j + a) + end;
    }
    for (double* r : sides) {
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
  }
  for (Index j = end - 1; j >= 0; --j) {
    for (double* r : sides) {
      r[j] = (r[j] - inlined::dot(column(j) + j + 1, r + j + 1, L.size - j - 1)) * L.reciprocals[j];
    }
  }
}

}  // namespace

void add_columns(const double* columns, Index stride, ConstVectorRef v, double* out, Index n) noexcept {
  constexpr Index kMost = 64;
  const double* chosen[kMost];
  double factors[kMost];
  for (Index first = 0; first < v.size(); first += kMost) {
    const Index last = std::min(first + kMost, v.size());
    Index count = 0;
    for (Index j = first; j < last; ++j) {  // without a branch: nobody can guess which are 0
      chosen[count] = columns + j * stride;
      factors[count] = v(j);
      count += v(j) != 0.0 ? 1 : 0;
    }
    wide::add_rows([&](Index k, Index begin, Index) { return chosen[k] + begin; }, factors, 1, count, out, n);
  }
}

void solve_lower(const LowerTriangle& L, double* r) noexcept { solve_lower_for<1>(L, {r}); }

void solve_lower_transposed(const LowerTriangle& L, double* r) noexcept { solve_lower_transposed_for<1>(L, {r}); }

void solve_lower(const LowerTriangle& L, double* r, double* s) noexcept { solve_lower_for<2>(L, {r, s}); }

void solve_lower_transposed(const LowerTriangle& L, double* r, double* s) noexcept {
  solve_lower_transposed_for<2>(L, {r, s});
}

}  // namespace slidemesh
