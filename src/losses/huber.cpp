#include "slidemesh/losses/huber.h"

#include <cmath>

#include "blocks.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/base/text.h"

namespace slidemesh {

Huber::Huber(double delta) : delta_(delta) {
  require<UsageError>(delta > 0.0 && std::isfinite(delta), "problem.delta", "a positive number", text::shortest(delta));
}

// With c = r clipped to [-delta, delta], both branches are c (r - c / 2), and nothing is squared that
// could overflow.
void Huber::evaluate_each(std::span<const double> labels, std::span<const double> predictions,
                          std::span<double> derivatives, std::span<double> values) const {
  for (std::size_t r = 0; r < labels.size(); ++r) {
    const double residual = predictions[r] - labels[r];
    const double clipped = std::min(std::max(residual, -delta_), delta_);
    derivatives[r] = clipped;
    values[r] = clipped * (residual - 0.5 * clipped);
  }
}

// Where it is not known how far the prediction goes: the flattest parabola that touches l here and is nowhere below it,
// of curvature min(1, delta / |r|). Else the mean second derivative over where it may go.
void Huber::curvatures(std::span<const double> labels, std::span<const double> predictions,
                       std::span<const double> moves, std::span<double> curvatures) const {
  for (std::size_t r = 0; r < labels.size(); ++r) {
    curvatures[r] = losses::clipped_line_curvature(predictions[r] - labels[r], delta_, moves[r]);
  }
}

}  // namespace slidemesh
