#pragma once

// Losses work through a block in pieces of a fixed, aligned buffer that is filled up to whole vector
// registers. So every number takes the same path through the vectorized exp and log wherever its row
// lies in memory and in the block, and a row's derivative has the same bits alone as among 256.

#include <Eigen/Core>

#include <algorithm>
#include <cmath>

#include "slidemesh/linalg/kernels_inline.h"
#include "slidemesh/linalg/types.h"

namespace slidemesh::losses {

inline constexpr Index kPiece = 256;
inline constexpr Index kLanes = 8;

/// As wide as the registers are, and no more: GCC 12 gives locals no more on the stack that finds uses after return.
struct Buffer {
  alignas(32) double number[kPiece];

  double& operator[](Index i) { return number[i]; }
  const double& operator[](Index i) const { return number[i]; }
  /// The first n numbers, n a multiple of kLanes.
  auto array(Index n) { return Eigen::Map<Eigen::ArrayXd, Eigen::Aligned32>(number, n); }
};

inline Index filled_up(Index n) { return (n + kLanes - 1) / kLanes * kLanes; }

/// The sum of the first n numbers: one order, whatever the vector width.
inline double sum(const Buffer& buffer, Index n) { return inlined::sum(buffer.number, n); }

/// Calls work(first, count) for consecutive pieces of n rows, and adds up what it returns.
template <class Work>
double over_pieces(Index n, const Work& work) {
  double total = 0.0;
  for (Index first = 0; first < n; first += kPiece) {
    total += work(first, std::min(kPiece, n - first));
  }
  return total;
}

/// For a derivative that is r clipped to [-limit, limit]: the curvature that a parabola at r should have if r may move
/// by `move` either way; if that is not known, that of the flattest parabola that is nowhere below.
inline double clipped_line_curvature(double r, double limit, double move) {
  if (!std::isfinite(move)) {
    return std::min(1.0, limit / std::abs(r));
  }
  if (!(move > 0.0)) {
    return std::abs(r) <= limit ? 1.0 : 0.0;
  }
  const double above = std::clamp(r + move, -limit, limit);
  const double below = std::clamp(r - move, -limit, limit);
  return (above - below) / (2.0 * move);
}

}  // namespace slidemesh::losses
