// A loss of your own: log cosh of the error, between squares near 0 and magnitudes far away. Every method takes it.

#include <cmath>
#include <numbers>

#include "slidemesh/sets/norm_balls.h"
#include "toy_problem.h"

using namespace slidemesh;

/// l(b, t) = log cosh(t - b),  l' = tanh(t - b),  l'' <= 1.
class LogCosh final : public Loss {
 public:
  std::string_view name() const override { return "log-cosh"; }
  LabelKind label_kind() const override { return LabelKind::kReal; }
  double curvature() const override { return 1.0; }

  double evaluate(std::span<const double> labels, std::span<const double> predictions, std::span<double> derivatives,
                  bool /*want_value*/) const override {
    double sum = 0.0;
    for (std::size_t r = 0; r < labels.size(); ++r) {
      const double error = std::abs(predictions[r] - labels[r]);
      sum += error + std::log1p(std::exp(-2.0 * error)) - std::numbers::ln2;
      derivatives[r] = std::tanh(predictions[r] - labels[r]);
    }
    return sum;
  }
};

int main() { toy::solve_with_every_method(std::make_shared<L1Ball>(5, 1.5), std::make_shared<LogCosh>()); }
