#pragma once

#include <span>
#include <string_view>

#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// What a loss understands by a label.
enum class LabelKind {
  kBinary,  ///< -1 or +1
  kReal,    ///< any number
  kClass,   ///< 0, 1, ..., outputs - 1
};

/// A smooth convex loss l(b, t) of a label b and a prediction t that is linear in the model: with
/// one output t = <a, x>; with K outputs x is a features x K matrix (column-major) and t = X'a.
///
/// To write your own, override the pure functions; see examples/custom_loss.cpp.
class Loss {
 public:
  virtual ~Loss() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual LabelKind label_kind() const = 0;
  [[nodiscard]] virtual Index outputs() const { return 1; }

  /// For each row r of a block: the derivative of l(labels[r], .) at predictions[r*K .. r*K+K-1]
  /// into the same places of `derivatives` (which may be the same memory). Returns the sum of the
  /// values if `want_value`, else anything.
  virtual double evaluate(std::span<const double> labels, std::span<const double> predictions,
                          std::span<double> derivatives, bool want_value) const = 0;

  /// The largest eigenvalue that the second derivative in t can have, over all b and t.
  [[nodiscard]] virtual double curvature() const = 0;
};

}  // namespace slidemesh
