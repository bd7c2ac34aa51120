#pragma once

// Small dense kernels whose results do not depend on where the operands lie in memory. Eigen's
// reductions peel to an aligned address, so their order of summation depends on the address; these
// have one order, which keeps a column's arithmetic the same whichever process owns it.

#include <cmath>
#include <cstdint>
#include <span>

#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// <a, b> over n numbers.
[[nodiscard]] double dot(const double* a, const double* b, Index n) noexcept;

/// y += s x.
void axpy(double s, const double* x, double* y, Index n) noexcept;

/// The sum of squares.
[[nodiscard]] inline double squared_norm(const double* a, Index n) noexcept { return dot(a, a, n); }

[[nodiscard]] inline double dot(ConstVectorRef a, ConstVectorRef b) { return dot(a.data(), b.data(), a.size()); }
[[nodiscard]] inline double squared_norm(ConstVectorRef a) { return dot(a.data(), a.data(), a.size()); }
[[nodiscard]] inline double norm(ConstVectorRef a) { return std::sqrt(squared_norm(a)); }

/// The sum of squares of a vector that is zero but at ascending places, with the bits of all its numbers' sum.
[[nodiscard]] double squared_norm(std::span<const Index> places, const double* numbers) noexcept;

/// |a - b|^2.
[[nodiscard]] double squared_distance(const double* a, const double* b, Index n) noexcept;
[[nodiscard]] inline double squared_distance(ConstVectorRef a, ConstVectorRef b) {
  return squared_distance(a.data(), b.data(), a.size());
}

/// The position of the largest |a_i|, the first of them if several.
[[nodiscard]] Index largest_magnitude(const double* a, Index n) noexcept;

/// The sum of |a_i|.
[[nodiscard]] double sum_of_magnitudes(const double* a, Index n) noexcept;

}  // namespace slidemesh
