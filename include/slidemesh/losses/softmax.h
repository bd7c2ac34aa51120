#pragma once

#include "slidemesh/core/loss.h"

namespace slidemesh {

/// l(b, t) = log(sum over k of exp(t_k)) - t_b for K classes b = 0 .. K-1: multinomial logistic
/// regression. The gradient is p - e_b with p_k = exp(t_k) / sum; the Hessian diag(p) - p p' has
/// eigenvalues of at most 1/2.
class Softmax final : public Loss {
 public:
  explicit Softmax(Index classes);

  [[nodiscard]] std::string_view name() const override { return "softmax"; }
  [[nodiscard]] LabelKind label_kind() const override { return LabelKind::kClass; }
  [[nodiscard]] Index outputs() const override { return classes_; }
  double evaluate(std::span<const double> labels, std::span<const double> predictions, std::span<double> derivatives,
                  bool want_value) const override;
  [[nodiscard]] double curvature() const override { return 0.5; }
  void curvatures(std::span<const double> labels, std::span<const double> predictions, std::span<const double> moves,
                  std::span<double> curvatures) const override;
  [[nodiscard]] double third_derivative_ratio() const override { return 2.0; }

 private:
  Index classes_;
};

}  // namespace slidemesh
