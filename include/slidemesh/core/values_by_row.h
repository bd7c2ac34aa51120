#pragma once

#include <span>

namespace slidemesh {

/// What a loss may offer beside Loss: the value of every row by itself. Passes over many rows then take a few at a
/// time, while these are in the nearest cache, and add up the values of many; without it they go by Loss::evaluate.
class ValuesByRow {
 public:
  virtual ~ValuesByRow() = default;

  /// As Loss::evaluate, with the value of each row into `values`. Bits are those of Loss::evaluate, which adds up by
  /// inlined::sum, kBlockRows at a time.
  virtual void evaluate_each(std::span<const double> labels, std::span<const double> predictions,
                             std::span<double> derivatives, std::span<double> values) const = 0;
};

}  // namespace slidemesh
