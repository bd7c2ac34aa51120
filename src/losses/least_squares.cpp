#include "slidemesh/losses/least_squares.h"

#include "blocks.h"

namespace slidemesh {

double LeastSquares::evaluate(std::span<const double> labels, std::span<const double> predictions,
                              std::span<double> derivatives, bool want_value) const {
  return losses::over_pieces(static_cast<Index>(labels.size()), [&](Index first, Index count) {
    const double* b = labels.data() + first;
    const double* t = predictions.data() + first;
    double* derivative = derivatives.data() + first;
    losses::Buffer value;
    for (Index r = 0; r < count; ++r) {
      const double residual = t[r] - b[r];
      derivative[r] = residual;
      value[r] = 0.5 * residual * residual;
    }
    return want_value ? losses::sum(value, count) : 0.0;
  });
}

void LeastSquares::curvatures(std::span<const double> /*labels*/, std::span<const double> /*predictions*/,
                              std::span<const double> /*moves*/, std::span<double> curvatures) const {
  std::fill(curvatures.begin(), curvatures.end(), 1.0);
}

}  // namespace slidemesh
