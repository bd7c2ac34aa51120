#include "slidemesh/losses/weighted.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "slidemesh/base/fail.h"
#include "slidemesh/base/text.h"

namespace slidemesh {

WeightedLoss::WeightedLoss(std::shared_ptr<const Loss> loss, std::vector<double> labels, std::vector<double> weights)
    : loss_(std::move(loss)), labels_(std::move(labels)), weights_(std::move(weights)) {
  require<UsageError>(labels_.size() == weights_.size(), "weights",
                      fmt::format("one for each of {} rows", labels_.size()), std::to_string(weights_.size()));
  for (const double weight : weights_) {
    if (!(weight > 0.0) || !std::isfinite(weight)) {
      fail<UsageError>("weights", "positive numbers", text::shortest(weight));
    }
    largest_weight_ = std::max(largest_weight_, weight);
  }
}

// Row by row, since the sum of a block's values cannot be weighted afterwards.
double WeightedLoss::evaluate(std::span<const double> rows, std::span<const double> predictions,
                              std::span<double> derivatives, bool want_value) const {
  const auto k = static_cast<std::size_t>(outputs());
  double sum = 0.0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto j = static_cast<std::size_t>(rows[r]);
    const auto derivative = derivatives.subspan(r * k, k);
    const double value =
        loss_->evaluate(std::span(&labels_[j], 1), predictions.subspan(r * k, k), derivative, want_value);
    sum += weights_[j] * value;
    for (double& d : derivative) {
      d *= weights_[j];
    }
  }
  return sum;
}

void WeightedLoss::curvatures(std::span<const double> rows, std::span<const double> predictions,
                              std::span<const double> moves, std::span<double> curvatures) const {
  const auto k = static_cast<std::size_t>(outputs());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto j = static_cast<std::size_t>(rows[r]);
    const auto curvature = curvatures.subspan(r * k * k, k * k);
    loss_->curvatures(std::span(&labels_[j], 1), predictions.subspan(r * k, k), moves.subspan(r, 1), curvature);
    for (double& c : curvature) {
      c *= weights_[j];
    }
  }
}

}  // namespace slidemesh
