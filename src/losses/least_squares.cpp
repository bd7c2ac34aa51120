#include "slidemesh/losses/least_squares.h"

#include "blocks.h"

namespace slidemesh {

double LeastSquares::evaluate(std::span<const double> labels, std::span<const double> predictions,
                              std::span<double> derivatives, bool want_value) const {
  return losses::evaluate_rows(labels, predictions, derivatives, want_value, [](double b, double t) {
    const double residual = t - b;
    return losses::Slope{residual, 0.5 * residual * residual};
  });
}

void LeastSquares::curvatures(std::span<const double> /*labels*/, std::span<const double> /*predictions*/,
                              std::span<const double> /*moves*/, std::span<double> curvatures) const {
  std::fill(curvatures.begin(), curvatures.end(), 1.0);
}

}  // namespace slidemesh
