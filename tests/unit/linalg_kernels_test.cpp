#include "slidemesh/linalg/kernels.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <set>
#include <vector>

#include "slidemesh/base/random.h"

namespace slidemesh {
namespace {

TEST(Philox, MatchesTheKnownAnswersOfItsAuthors) {
  using Words = std::array<std::uint32_t, 4>;
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t f = 0xffffffff;
  EXPECT_EQ(philox4x32({f, f, f, f}, {f, f}), (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(RandomBits, DifferInEveryPartOfTheKey) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed : {0ULL, 1ULL, 1ULL << 40U}) {
    for (const Purpose purpose : {Purpose::kRowSampling, Purpose::kRowShuffle}) {
      for (std::uint32_t node = 0; node < 3; ++node) {
        for (std::uint32_t step = 0; step < 3; ++step) {
          for (std::uint64_t draw = 0; draw < 3; ++draw) {
            seen.insert(random_bits(seed, purpose, node, step, draw));
          }
        }
      }
    }
  }
  EXPECT_EQ(seen.size(), 3U * 2U * 3U * 3U * 3U);
}

TEST(RandomStream, IsUniformEnough) {
  RandomStream random(3, Purpose::kTest);
  constexpr int kDraws = 100'000;
  std::vector<int> bins(10);
  double sum = 0.0;
  double squares = 0.0;
  for (int i = 0; i < kDraws; ++i) {
    ++bins[static_cast<std::size_t>(random.index(10))];
    const double normal = random.normal();
    sum += normal;
    squares += normal * normal;
  }
  constexpr double kFiveSigma = 5.0 * 95.0;  // sqrt(n p (1 - p)) = 94.9
  for (const int bin : bins) {
    EXPECT_NEAR(bin, kDraws / 10, kFiveSigma);
  }
  EXPECT_NEAR(sum / kDraws, 0.0, 0.02);
  EXPECT_NEAR(squares / kDraws, 1.0, 0.03);
}

TEST(Kernels, GiveTheSameBitsAtEveryAddress) {
  RandomStream random(1, Purpose::kTest);
  for (const Index n : {1, 2, 3, 7, 8, 9, 22, 64, 1001}) {
    std::vector<double> a(static_cast<std::size_t>(n));
    std::vector<double> b(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] = random.normal();
      b[i] = random.normal();
    }
    const double expected = dot(a.data(), b.data(), n);
    double plain = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      plain += a[i] * b[i];
    }
    EXPECT_NEAR(expected, plain, 1e-12 * static_cast<double>(n));
    for (Index shift = 0; shift < 8; ++shift) {
      std::vector<double> moved(a.size() + 8);
      std::copy(a.begin(), a.end(), moved.begin() + shift);
      EXPECT_EQ(dot(moved.data() + shift, b.data(), n), expected);
      EXPECT_EQ(sum_of_magnitudes(moved.data() + shift, n), sum_of_magnitudes(a.data(), n));
      EXPECT_EQ(squared_distance(moved.data() + shift, b.data(), n), squared_distance(a.data(), b.data(), n));
    }
  }
}

/// The first is what decides where Eigen cuts long sums into pieces, and so their last bits.
TEST(Kernels, LeaveEigensProductsNothingOfTheMachinesCaches) {
  EXPECT_EQ(Eigen::l1CacheSize(), 32 * 1024);
  EXPECT_EQ(Eigen::l2CacheSize(), 1024 * 1024);
  EXPECT_EQ(Eigen::l3CacheSize(), 16 * 1024 * 1024);
}

TEST(Kernels, LargestMagnitudeTakesTheFirstOfSeveral) {
  const std::vector<double> a{1.0, -3.0, 3.0, 2.0};
  EXPECT_EQ(largest_magnitude(a.data(), 4), 1);
  const std::vector<double> zeros(5, 0.0);
  EXPECT_EQ(largest_magnitude(zeros.data(), 5), 0);
}

}  // namespace
}  // namespace slidemesh
