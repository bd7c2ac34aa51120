#include "slidemesh/losses/least_squares.h"

#include <algorithm>

namespace slidemesh {

void LeastSquares::evaluate_each(std::span<const double> labels, std::span<const double> predictions,
                                 std::span<double> derivatives, std::span<double> values) const {
  for (std::size_t r = 0; r < labels.size(); ++r) {
    const double residual = predictions[r] - labels[r];
    derivatives[r] = residual;
    values[r] = 0.5 * residual * residual;
  }
}

void LeastSquares::curvatures(std::span<const double> /*labels*/, std::span<const double> /*predictions*/,
                              std::span<const double> /*moves*/, std::span<double> curvatures) const {
  std::fill(curvatures.begin(), curvatures.end(), 1.0);
}

}  // namespace slidemesh
