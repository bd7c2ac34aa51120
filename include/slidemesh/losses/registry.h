#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "slidemesh/core/loss.h"

namespace slidemesh {

/// What a named loss is made from. Only the fields that a kind uses matter.
struct LossSpec {
  std::string kind = "logistic";
  double delta = 1.0;  ///< huber: where the square turns into a line
  double gamma = 1.0;  ///< smoothed-hinge: how wide the corner is rounded
  Index classes = 0;   ///< softmax: how many, at least 2
};

/// The kinds, with a line on each for listings and the keys that each takes.
struct LossKind {
  std::string name;
  std::string description;
  std::vector<std::string> keys;
};
[[nodiscard]] const std::vector<LossKind>& loss_kinds();

/// UsageError says what is wrong with the spec.
[[nodiscard]] std::shared_ptr<const Loss> make_loss(const LossSpec& spec);

/// DataError unless every label is one that the loss understands; `what` names the data.
void check_labels(const Loss& loss, std::span<const double> labels, const std::string& what);

}  // namespace slidemesh
