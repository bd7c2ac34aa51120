#include "slidemesh/transport/sparse_message.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

namespace slidemesh {

namespace {

using Place = std::uint32_t;
constexpr std::size_t kNumber = sizeof(double);
constexpr std::size_t kHeader = sizeof(std::uint64_t);

bool is_left_out(double number) { return std::bit_cast<std::uint64_t>(number) == 0; }

/// Behind the header, with places.
std::size_t body_size(std::size_t numbers) {
  return numbers * kNumber + (numbers * sizeof(Place) + kNumber - 1) / kNumber * kNumber;
}

bool places_are_shorter(std::size_t numbers, std::size_t rows) {
  return rows <= std::numeric_limits<Place>::max() && body_size(numbers) < rows * kNumber;
}

}  // namespace

std::size_t stored_numbers(const double* column, Index rows) {
  return static_cast<std::size_t>(std::count_if(column, column + rows, [](double x) { return !is_left_out(x); }));
}

std::size_t sparse_size_of(Count count, Index rows) {
  const auto all = static_cast<std::size_t>(rows);
  const auto numbers = static_cast<std::size_t>(count);
  return kHeader + (places_are_shorter(numbers, all) ? body_size(numbers) : all * kNumber);
}

std::size_t sparse_size(const double* column, Index rows) {
  return sparse_size_of(static_cast<Count>(stored_numbers(column, rows)), rows);
}

std::size_t largest_sparse_size(Index rows) { return kHeader + static_cast<std::size_t>(rows) * kNumber; }

void append_sparse(const double* column, Index rows, std::vector<std::byte>& bytes) {
  const std::size_t all = static_cast<std::size_t>(rows);
  std::uint64_t numbers = stored_numbers(column, rows);
  const bool has_places = places_are_shorter(numbers, all);
  numbers = has_places ? numbers : all;
  const std::size_t begin = bytes.size();
  bytes.resize(begin + kHeader + (has_places ? body_size(numbers) : all * kNumber));  // zeros
  std::byte* number = bytes.data() + begin;
  std::memcpy(number, &numbers, kHeader);
  number += kHeader;
  if (!has_places) {
    std::memcpy(number, column, all * kNumber);
    return;
  }
  std::byte* place = number + numbers * kNumber;
  for (std::size_t r = 0; r < all; ++r) {
    if (!is_left_out(column[r])) {
      const auto at = static_cast<Place>(r);
      std::memcpy(number, &column[r], kNumber);
      std::memcpy(place, &at, sizeof at);
      number += kNumber;
      place += sizeof at;
    }
  }
}

std::optional<std::size_t> read_sparse(std::span<const std::byte> bytes, std::span<double> column) {
  std::uint64_t numbers = 0;
  if (bytes.size() < kHeader) {
    return std::nullopt;
  }
  std::memcpy(&numbers, bytes.data(), kHeader);
  const std::byte* number = bytes.data() + kHeader;
  if (numbers == column.size() && bytes.size() >= kHeader + column.size_bytes()) {
    std::memcpy(column.data(), number, column.size_bytes());
    return kHeader + column.size_bytes();
  }
  // No product with the number that was sent may be formed before it is known to be small.
  if (numbers >= column.size() || !places_are_shorter(numbers, column.size()) ||
      bytes.size() < kHeader + body_size(numbers)) {
    return std::nullopt;
  }
  std::fill(column.begin(), column.end(), 0.0);
  const std::byte* place = number + numbers * kNumber;
  std::size_t least = 0;
  for (std::uint64_t k = 0; k < numbers; ++k) {
    Place at = 0;
    std::memcpy(&at, place + k * sizeof at, sizeof at);
    if (at < least || at >= column.size()) {
      return std::nullopt;
    }
    std::memcpy(&column[at], number + k * kNumber, kNumber);
    least = std::size_t{at} + 1;
  }
  return kHeader + body_size(numbers);
}

}  // namespace slidemesh
