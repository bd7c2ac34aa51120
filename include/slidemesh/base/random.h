#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace slidemesh {

/// What a random number is for. Part of the key, so that two uses never share a stream.
enum class Purpose : std::uint32_t {
  kRowSampling = 1,
  kRowShuffle = 2,
  kGraph = 3,
  kSplit = 4,
  kSynthetic = 5,
  kPowerMethod = 6,
  kTest = 7,
};

/// Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011): a counter-based generator. A number is a pure
/// function of its key and counter, so that who draws it, when and on which machine is irrelevant.
inline std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                               std::array<std::uint32_t, 2> key) noexcept {
  constexpr std::uint64_t kMultiplier0 = 0xD2511F53U;
  constexpr std::uint64_t kMultiplier1 = 0xCD9E8D57U;
  constexpr std::uint32_t kWeyl0 = 0x9E3779B9U;
  constexpr std::uint32_t kWeyl1 = 0xBB67AE85U;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = kMultiplier0 * counter[0];
    const std::uint64_t p1 = kMultiplier1 * counter[2];
    counter = {static_cast<std::uint32_t>(p1 >> 32U) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(p1),
               static_cast<std::uint32_t>(p0 >> 32U) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(p0)};
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  return counter;
}

/// 64 random bits for (seed, purpose, stream, step, draw). `stream` is a node wherever there is one.
inline std::uint64_t random_bits(std::uint64_t seed, Purpose purpose, std::uint32_t stream, std::uint32_t step,
                                 std::uint64_t draw) noexcept {
  const auto block =
      philox4x32({static_cast<std::uint32_t>(draw), static_cast<std::uint32_t>(draw >> 32U), step, stream},
                 {static_cast<std::uint32_t>(seed) ^ (static_cast<std::uint32_t>(purpose) * 0x85EBCA6BU),
                  static_cast<std::uint32_t>(seed >> 32U) + static_cast<std::uint32_t>(purpose)});
  return (static_cast<std::uint64_t>(block[0]) << 32U) | block[1];
}

/// Maps 64 bits to 0 .. n-1 (the high half of a 128-bit product; the bias is below n / 2^64).
inline std::int64_t bits_to_index(std::uint64_t bits, std::int64_t n) noexcept {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::int64_t>((static_cast<Wide>(bits) * static_cast<Wide>(n)) >> 64U);
}

/// Maps 64 bits to [0, 1), on the grid of 53-bit fractions.
inline double bits_to_unit(std::uint64_t bits) noexcept { return static_cast<double>(bits >> 11U) * 0x1.0p-53; }

/// A sequential view of one stream, for code that just wants the next number (generators of graphs
/// and data, shuffles, tests). The position is its only state.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, Purpose purpose, std::uint32_t stream = 0, std::uint32_t step = 0) noexcept
      : seed_(seed), purpose_(purpose), stream_(stream), step_(step) {}

  std::uint64_t bits() noexcept { return random_bits(seed_, purpose_, stream_, step_, draw_++); }
  std::int64_t index(std::int64_t n) noexcept { return bits_to_index(bits(), n); }
  double unit() noexcept { return bits_to_unit(bits()); }
  double uniform(double low, double high) noexcept { return low + (high - low) * unit(); }

  /// Standard normal by Box and Muller; one number for two draws, so that the position stays simple.
  double normal() noexcept {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - unit()));
    return radius * std::cos(2.0 * std::numbers::pi * unit());
  }

 private:
  std::uint64_t seed_;
  Purpose purpose_;
  std::uint32_t stream_;
  std::uint32_t step_;
  std::uint64_t draw_ = 0;
};

/// Fisher and Yates, with our own stream so that every standard library gives the same order.
template <class Range>
void shuffle(Range& range, RandomStream& random) {
  for (auto n = static_cast<std::int64_t>(range.size()); n > 1; --n) {
    std::swap(range[static_cast<std::size_t>(n - 1)], range[static_cast<std::size_t>(random.index(n))]);
  }
}

}  // namespace slidemesh
