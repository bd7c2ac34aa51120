#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "slidemesh/core/state.h"
#include "slidemesh/core/types.h"

namespace slidemesh {

/// An iterative method over a network, one outer step at a time. Limits, traces, checkpoints and
/// stopping are the driver's (run.h); a method only steps.
class Method {
 public:
  virtual ~Method() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;

  /// One outer step. May throw PeerLostError or DataError.
  virtual void step() = 0;
  /// True once its length is run (the number of outer steps it was given).
  [[nodiscard]] virtual bool finished() const = 0;
  [[nodiscard]] virtual int steps_done() const = 0;

  /// x_out as of the last step: this process's columns.
  [[nodiscard]] virtual const Stacked& output() = 0;

  /// This process's nodes' terms of a lower bound on F* (SPEC 2.5 of the docs: certificate.md), one a
  /// node, as of the last step; nothing where the method has none. Costs one linear-oracle call a
  /// node, which is measuring and not charged.
  [[nodiscard]] virtual std::optional<Vector> lower_bound_terms() { return std::nullopt; }

  /// Every piece of state that the next step depends on.
  virtual void visit_state(StateVisitor& visitor) = 0;
};

}  // namespace slidemesh
