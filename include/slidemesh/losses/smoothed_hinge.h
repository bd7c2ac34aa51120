#pragma once

#include "slidemesh/losses/loss_by_row.h"

namespace slidemesh {

/// The hinge max(0, 1 - b t) with its corner rounded. With s = 1 - b t:
///
///     l = 0 where s <= 0,   s^2 / (2 gamma) where 0 <= s <= gamma,   s - gamma / 2 beyond,
///
/// for b = -1 or +1; l'' <= 1 / gamma.
class SmoothedHinge final : public LossByRow {
 public:
  explicit SmoothedHinge(double gamma);

  [[nodiscard]] std::string_view name() const override { return "smoothed-hinge"; }
  [[nodiscard]] LabelKind label_kind() const override { return LabelKind::kBinary; }
  void evaluate_each(std::span<const double> labels, std::span<const double> predictions, std::span<double> derivatives,
                     std::span<double> values) const override;
  [[nodiscard]] double curvature() const override { return 1.0 / gamma_; }
  void curvatures(std::span<const double> labels, std::span<const double> predictions, std::span<const double> moves,
                  std::span<double> curvatures) const override;

 private:
  double gamma_;
};

}  // namespace slidemesh
