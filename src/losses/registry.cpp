#include "slidemesh/losses/registry.h"

#include <fmt/format.h>

#include <cmath>

#include "slidemesh/base/fail.h"
#include "slidemesh/base/text.h"
#include "slidemesh/losses/huber.h"
#include "slidemesh/losses/least_squares.h"
#include "slidemesh/losses/logistic.h"
#include "slidemesh/losses/matrix_completion.h"
#include "slidemesh/losses/smoothed_hinge.h"
#include "slidemesh/losses/softmax.h"

namespace slidemesh {

const std::vector<LossKind>& loss_kinds() {
  static const std::vector<LossKind> kinds = {
      {"logistic", "log(1 + exp(-b t)), labels -1 and +1", {}},
      {"least-squares", "(t - b)^2 / 2", {}},
      {"huber", "a square near, a line beyond delta: regression that forgives outliers", {"delta"}},
      {"smoothed-hinge", "max(0, 1 - b t) with its corner rounded over gamma, labels -1 and +1", {"gamma"}},
      {"softmax", "multinomial logistic, labels 0 .. classes - 1; the model is features x classes", {"classes"}},
      {"matrix-completion", "(X_rc - y)^2 / 2 over known entries of a matrix", {}},
  };
  return kinds;
}

std::shared_ptr<const Loss> make_loss(const LossSpec& spec) {
  if (spec.kind == "logistic") {
    return std::make_shared<Logistic>();
  }
  if (spec.kind == "least-squares") {
    return std::make_shared<LeastSquares>();
  }
  if (spec.kind == "huber") {
    return std::make_shared<Huber>(spec.delta);
  }
  if (spec.kind == "smoothed-hinge") {
    return std::make_shared<SmoothedHinge>(spec.gamma);
  }
  if (spec.kind == "softmax") {
    return std::make_shared<Softmax>(spec.classes);
  }
  if (spec.kind == "matrix-completion") {
    return std::make_shared<MatrixCompletion>();
  }
  fail<UsageError>("problem.loss", "one of " + text::joined(loss_kinds(), ", ", &LossKind::name),
                   text::quoted(spec.kind));
}

namespace {

bool understood(const Loss& loss, double label) {
  switch (loss.label_kind()) {
    case LabelKind::kBinary:
      return label == -1.0 || label == 1.0;
    case LabelKind::kClass:
      return label >= 0.0 && label < static_cast<double>(loss.outputs()) && label == std::floor(label);
    case LabelKind::kReal:
      break;
  }
  return std::isfinite(label);
}

std::string wanted_labels(const Loss& loss) {
  switch (loss.label_kind()) {
    case LabelKind::kBinary:
      return "labels -1 and 1";
    case LabelKind::kClass:
      return "class labels 0 to " + std::to_string(loss.outputs() - 1);
    case LabelKind::kReal:
      break;
  }
  return "finite labels";
}

}  // namespace

void check_labels(const Loss& loss, std::span<const double> labels, const std::string& what) {
  for (std::size_t r = 0; r < labels.size(); ++r) {
    if (!understood(loss, labels[r])) {
      fail<DataError>(what, fmt::format("{} for the {} loss", wanted_labels(loss), loss.name()),
                      fmt::format("{} at row {}", labels[r], r + 1));
    }
  }
}

}  // namespace slidemesh
