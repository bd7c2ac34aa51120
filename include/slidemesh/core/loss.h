#pragma once

#include <limits>
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

  /// False where `curvature()` may be an estimate, which no bound can be built on and which may take looks at the data.
  [[nodiscard]] virtual bool curvature_is_certain() const { return true; }

  /// For each row r: the curvature at predictions[r*K ..] that a second-order model of the row shall have, a symmetric
  /// positive semidefinite K x K matrix into curvatures[r*K*K ..]. Where l is twice differentiable, its second
  /// derivative. `moves[r]` is how far the prediction is expected to go from here (infinity: not known), for losses
  /// whose second derivative jumps. Optional: unless overridden, the mean curvature over that range, from two
  /// derivatives, or `curvature()` where the range is not known or K > 1.
  virtual void curvatures(std::span<const double> labels, std::span<const double> predictions,
                          std::span<const double> moves, std::span<double> curvatures) const;

  /// Whether data rows have a single feature, so that every curvature of f~_i is diagonal.
  [[nodiscard]] virtual bool has_single_features() const { return false; }

  /// The least k such that the third derivative in t is at most k times the second, everywhere and in every direction:
  /// 0 says that l is quadratic, so that a second-order model of it is exact; infinity that nothing is known.
  [[nodiscard]] virtual double third_derivative_ratio() const { return std::numeric_limits<double>::infinity(); }
};

}  // namespace slidemesh
