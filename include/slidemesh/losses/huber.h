#pragma once

#include "slidemesh/losses/loss_by_row.h"

namespace slidemesh {

/// With r = t - b:  l = r^2 / 2 where |r| <= delta, else delta (|r| - delta / 2). l' is r clipped to
/// [-delta, delta], l'' <= 1.
class Huber final : public LossByRow {
 public:
  explicit Huber(double delta);

  [[nodiscard]] std::string_view name() const override { return "huber"; }
  [[nodiscard]] LabelKind label_kind() const override { return LabelKind::kReal; }
  void evaluate_each(std::span<const double> labels, std::span<const double> predictions, std::span<double> derivatives,
                     std::span<double> values) const override;
  [[nodiscard]] double curvature() const override { return 1.0; }
  void curvatures(std::span<const double> labels, std::span<const double> predictions, std::span<const double> moves,
                  std::span<double> curvatures) const override;

 private:
  double delta_;
};

}  // namespace slidemesh
