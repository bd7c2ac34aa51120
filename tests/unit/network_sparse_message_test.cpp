#include "slidemesh/transport/sparse_message.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <cstring>

namespace slidemesh {
namespace {

std::vector<std::byte> message_of(const std::vector<double>& column) {
  std::vector<std::byte> bytes;
  append_sparse(column.data(), static_cast<Index>(column.size()), bytes);
  return bytes;
}

TEST(SparseMessage, GivesTheBitsBackAndIsAsLongAsItSays) {
  std::vector<double> column(100, 0.0);
  for (const std::size_t numbers : {0U, 1U, 2U, 65U, 66U, 67U, 100U}) {
    std::fill(column.begin(), column.end(), 0.0);
    for (std::size_t k = 0; k < numbers; ++k) {
      column[99 - k] = k == 1 ? -0.0 : 0.1 * static_cast<double>(k + 1);
    }
    const auto bytes = message_of(column);
    EXPECT_EQ(bytes.size(), sparse_size(column.data(), 100));
    EXPECT_LE(bytes.size(), largest_sparse_size(100));
    EXPECT_EQ(bytes.size(), 8 + std::min<std::size_t>(8 * numbers + (4 * numbers + 7) / 8 * 8, 800));
    std::vector<double> back(100, 3.0);
    ASSERT_EQ(read_sparse(bytes, back), bytes.size());
    EXPECT_EQ(std::memcmp(back.data(), column.data(), 800), 0);
  }
}

TEST(SparseMessage, RefusesWhatIsNoColumn) {
  std::vector<double> column(100, 0.0);
  column[3] = 1.0;
  column[7] = 2.0;
  const auto good = message_of(column);
  std::vector<double> back(100);
  const auto with = [&](std::size_t at, auto value) {
    auto bytes = good;
    std::memcpy(bytes.data() + at, &value, sizeof value);
    return bytes;
  };
  EXPECT_TRUE(read_sparse(good, back));
  EXPECT_FALSE(read_sparse(std::span(good).first(good.size() - 1), back)) << "cut short";
  EXPECT_FALSE(read_sparse(std::span(good).first(4), back));
  EXPECT_FALSE(read_sparse(with(0, std::uint64_t{100}), back)) << "all numbers, which are not there";
  EXPECT_FALSE(read_sparse(with(0, ~std::uint64_t{0}), back)) << "a product of which would overflow";
  EXPECT_FALSE(read_sparse(with(0, std::uint64_t{99}), back)) << "shorter without places";
  EXPECT_FALSE(read_sparse(with(24, std::uint32_t{100}), back)) << "a place beyond the column";
  EXPECT_FALSE(read_sparse(with(28, std::uint32_t{3}), back)) << "a place twice";
}

}  // namespace
}  // namespace slidemesh
