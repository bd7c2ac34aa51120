#pragma once

#include <optional>

#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// A method that, where it has a certificate, can also bound F from above at another point than the nodes' own without
/// touching a row again, offers this beside Method.
class ValueBounds {
 public:
  virtual ~ValueBounds() = default;

  /// Upper bounds on f_i(at), one per local node, from what the certificate of the last step was made of; nothing where
  /// that step had none.
  [[nodiscard]] virtual std::optional<Vector> upper_bounds(const Vector& at) const = 0;
};

}  // namespace slidemesh
