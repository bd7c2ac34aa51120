#pragma once

#include <memory>
#include <vector>

#include "slidemesh/core/loss.h"

namespace slidemesh {

/// l(j, t) = w_j l(b_j, t): a loss whose rows weigh differently. Row j of a table has the label j here; the loss knows
/// the labels and weights of all of them.
class WeightedLoss final : public Loss {
 public:
  /// Weights are positive, one for each label.
  WeightedLoss(std::shared_ptr<const Loss> loss, std::vector<double> labels, std::vector<double> weights);

  [[nodiscard]] std::string_view name() const override { return loss_->name(); }
  [[nodiscard]] LabelKind label_kind() const override { return LabelKind::kReal; }
  [[nodiscard]] Index outputs() const override { return loss_->outputs(); }
  double evaluate(std::span<const double> rows, std::span<const double> predictions, std::span<double> derivatives,
                  bool want_value) const override;
  [[nodiscard]] double curvature() const override { return largest_weight_ * loss_->curvature(); }
  [[nodiscard]] bool curvature_is_certain() const override { return loss_->curvature_is_certain(); }
  void curvatures(std::span<const double> rows, std::span<const double> predictions, std::span<const double> moves,
                  std::span<double> curvatures) const override;
  [[nodiscard]] bool has_single_features() const override { return loss_->has_single_features(); }
  [[nodiscard]] double third_derivative_ratio() const override { return loss_->third_derivative_ratio(); }

 private:
  std::shared_ptr<const Loss> loss_;
  std::vector<double> labels_;
  std::vector<double> weights_;
  double largest_weight_ = 0.0;
};

}  // namespace slidemesh
