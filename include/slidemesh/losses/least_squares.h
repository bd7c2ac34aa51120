#pragma once

#include "slidemesh/losses/loss_by_row.h"

namespace slidemesh {

/// l(b, t) = (t - b)^2 / 2,  l' = t - b,  l'' = 1.
class LeastSquares : public LossByRow {
 public:
  [[nodiscard]] std::string_view name() const override { return "least-squares"; }
  [[nodiscard]] LabelKind label_kind() const override { return LabelKind::kReal; }
  void evaluate_each(std::span<const double> labels, std::span<const double> predictions, std::span<double> derivatives,
                     std::span<double> values) const override;
  [[nodiscard]] double curvature() const override { return 1.0; }
  void curvatures(std::span<const double> labels, std::span<const double> predictions, std::span<const double> moves,
                  std::span<double> curvatures) const override;
  [[nodiscard]] double third_derivative_ratio() const override { return 0.0; }
};

}  // namespace slidemesh
