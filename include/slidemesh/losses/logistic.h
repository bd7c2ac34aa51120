#pragma once

#include "slidemesh/core/loss.h"
#include "slidemesh/core/values_by_row.h"

namespace slidemesh {

/// l(b, t) = log(1 + exp(-b t)),  l' = -b / (1 + exp(b t)),  l'' <= 1/4,  for b = -1 or +1.
class Logistic final : public Loss, public ValuesByRow {
 public:
  [[nodiscard]] std::string_view name() const override { return "logistic"; }
  [[nodiscard]] LabelKind label_kind() const override { return LabelKind::kBinary; }
  double evaluate(std::span<const double> labels, std::span<const double> predictions, std::span<double> derivatives,
                  bool want_value) const override;
  void evaluate_each(std::span<const double> labels, std::span<const double> predictions, std::span<double> derivatives,
                     std::span<double> values) const override;
  [[nodiscard]] double curvature() const override { return 0.25; }
  void curvatures(std::span<const double> labels, std::span<const double> predictions, std::span<const double> moves,
                  std::span<double> curvatures) const override;
  [[nodiscard]] double third_derivative_ratio() const override { return 1.0; }
};

}  // namespace slidemesh
