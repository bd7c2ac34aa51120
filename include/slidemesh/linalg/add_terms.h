#pragma once

// Sums over neighbours, in their order, whatever the rows that are taken at once.

#include <span>

#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// Rows begin .. end-1 of a column.
struct Piece {
  Index begin = 0;
  Index end = 0;
};

/// A neighbour's column, and its weight in a sum.
struct Term {
  const double* column;
  double weight;
};

/// Four numbers that a register holds, from anywhere in memory.
using Four = double __attribute__((vector_size(32), aligned(8), may_alias));

/// sum = keep own + the sum of the terms, for rows from `row` on, kFours times four of them: they stay in registers
/// until all neighbours have been added.
template <int kFours>
inline void sum_fours(std::span<const Term> terms, const double* own, double keep, Index row, Four (&sum)[kFours]) {
#pragma GCC unroll 8
  for (int r = 0; r < kFours; ++r) {
    sum[r] = keep * reinterpret_cast<const Four*>(own + row)[r];
  }
  for (const Term& term : terms) {
    const auto* theirs = reinterpret_cast<const Four*>(term.column + row);
#pragma GCC unroll 8
    for (int r = 0; r < kFours; ++r) {
      sum[r] += term.weight * theirs[r];
    }
  }
}

/// The same into `out`.
template <int kFours>
void add_fours(std::span<const Term> terms, const double* own, double keep, double* out, Index row) {
  Four sum[kFours];
  sum_fours(terms, own, keep, row, sum);
#pragma GCC unroll 8
  for (int r = 0; r < kFours; ++r) {
    reinterpret_cast<Four*>(out + row)[r] = sum[r];
  }
}

/// The same for the rows of a piece.
inline void add_terms(std::span<const Term> terms, const double* own, double keep, double* out, Piece piece) {
  constexpr int kWide = 8;
  constexpr int kHalf = kWide / 2;
  Index row = piece.begin;
  for (; row + 4 * kWide <= piece.end; row += 4 * kWide) {
    add_fours<kWide>(terms, own, keep, out, row);
  }
  if (row + 4 * kHalf <= piece.end) {
    add_fours<kHalf>(terms, own, keep, out, row);
    row += 4 * kHalf;
  }
  for (; row + 4 <= piece.end; row += 4) {
    add_fours<1>(terms, own, keep, out, row);
  }
  for (; row < piece.end; ++row) {
    double sum = keep * own[row];
    for (const Term& term : terms) {
      sum += term.weight * term.column[row];
    }
    out[row] = sum;
  }
}

}  // namespace slidemesh
