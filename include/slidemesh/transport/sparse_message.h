#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "slidemesh/linalg/types.h"

namespace slidemesh {

// A column as it travels with Wire::kSparse: in eight bytes how many numbers follow; the numbers; their places, four
// bytes each, ascending, and zeros up to whole eights. Where that would not be shorter, all numbers and no places. A
// number is left out if all its bits are zero, so that what arrives has the bits of what was sent.

/// The bytes that a column takes.
[[nodiscard]] std::size_t sparse_size(const double* column, Index rows);
/// How many numbers of a column are not left out, and the bytes that a column of so many takes.
[[nodiscard]] std::size_t stored_numbers(const double* column, Index rows);
[[nodiscard]] std::size_t sparse_size_of(Count numbers, Index rows);
/// The most that a column of so many numbers can take.
[[nodiscard]] std::size_t largest_sparse_size(Index rows);
/// Appends them.
void append_sparse(const double* column, Index rows, std::vector<std::byte>& bytes);
/// Reads a column from the first of some bytes, and says how many it took; nothing where they are no such column.
[[nodiscard]] std::optional<std::size_t> read_sparse(std::span<const std::byte> bytes, std::span<double> column);

}  // namespace slidemesh
