#include "slidemesh/losses/smoothed_hinge.h"

#include <cmath>

#include "blocks.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/base/text.h"

namespace slidemesh {

SmoothedHinge::SmoothedHinge(double gamma) : gamma_(gamma) {
  require<UsageError>(gamma > 0.0 && std::isfinite(gamma), "problem.gamma", "a positive number", text::shortest(gamma));
}

// With c = s clipped to [0, gamma], all three branches are c (s - c / 2) / gamma.
void SmoothedHinge::evaluate_each(std::span<const double> labels, std::span<const double> predictions,
                                  std::span<double> derivatives, std::span<double> values) const {
  for (std::size_t r = 0; r < labels.size(); ++r) {
    const double s = 1.0 - labels[r] * predictions[r];
    const double slope = std::min(std::max(s, 0.0), gamma_) / gamma_;
    derivatives[r] = -labels[r] * slope;
    values[r] = slope * (s - 0.5 * gamma_ * slope);
  }
}

// In s = 1 - b t this is Huber's loss of s - gamma/2 with delta = gamma/2, over gamma, and a line: see there.
void SmoothedHinge::curvatures(std::span<const double> labels, std::span<const double> predictions,
                               std::span<const double> moves, std::span<double> curvatures) const {
  for (std::size_t r = 0; r < labels.size(); ++r) {
    const double s = 1.0 - labels[r] * predictions[r];
    curvatures[r] = losses::clipped_line_curvature(s - 0.5 * gamma_, 0.5 * gamma_, moves[r]) / gamma_;
  }
}

}  // namespace slidemesh
