#include "slidemesh/core/loss.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace slidemesh {

void Loss::curvatures(std::span<const double> labels, std::span<const double> predictions,
                      std::span<const double> moves, std::span<double> curvatures) const {
  const auto outputs = static_cast<std::size_t>(this->outputs());
  std::fill(curvatures.begin(), curvatures.end(), 0.0);
  for (std::size_t r = 0; r < labels.size(); ++r) {
    for (std::size_t k = 0; k < outputs; ++k) {
      curvatures[(r * outputs + k) * outputs + k] = curvature();
    }
  }
  if (outputs > 1) {
    return;
  }
  // (l'(t + move) − l'(t − move)) / (2 move): the mean of l'' over where the prediction may go
  std::vector<double> above(predictions.begin(), predictions.end());
  std::vector<double> below(predictions.begin(), predictions.end());
  for (std::size_t r = 0; r < labels.size(); ++r) {
    const double move = std::isfinite(moves[r]) ? moves[r] : 0.0;
    above[r] += move;
    below[r] -= move;
  }
  evaluate(labels, above, above, false);
  evaluate(labels, below, below, false);
  for (std::size_t r = 0; r < labels.size(); ++r) {
    if (std::isfinite(moves[r]) && moves[r] > 0.0) {
      curvatures[r] = std::clamp((above[r] - below[r]) / (2.0 * moves[r]), 0.0, curvature());
    }
  }
}

}  // namespace slidemesh
