#pragma once

#include <optional>
#include <string_view>

#include "slidemesh/core/state.h"
#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// One number per local node each. The sum over all nodes of `lower_bound` is a lower bound on F*
/// (docs/certificate.md); the sum of `value`, of f_i where node i took its gradient, costs nothing and
/// tells when evaluating F itself is worth while.
struct Certificate {
  Vector lower_bound;
  Vector value;
  /// How far the multipliers that the bounds were made with may be from a sum of zero by rounding, each node's share.
  /// Empty where all that is known is that w = Lap s.
  Vector rounding = {};
};

/// What the inner solvers of the last outer step reported. One number per local node each.
struct InnerWork {
  Vector wolfe_gap;        ///< the largest that an inner problem was left with; 0 where they are solved exactly
  Vector active_set_size;  ///< points that the last answer is a mixture of, or that are cached; 0 where none are kept
};

/// The dual variable in two forms, a column per local node: s, and w = Lap s, which sums to zero over the nodes and is
/// what the inner problems feel.
struct Dual {
  Stacked s;
  Stacked w;
};

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

  /// The same without rows of zeros, for methods that keep it so; null for others. Whoever can do with it asks for it
  /// first: where columns are long, all of them with their zeros may take more memory than anything else.
  [[nodiscard]] virtual const CompactStacked* compact_output() { return nullptr; }

  /// As of the last step, where the method has a certificate then; see Certificate. Costs one
  /// linear-oracle call per node, which is measuring and not charged.
  [[nodiscard]] virtual std::optional<Certificate> certificate() { return std::nullopt; }

  /// What the method knows of each local node's f_i near where it is now, without another look at the data: for traces
  /// that are to cost nothing.
  [[nodiscard]] virtual std::optional<Vector> known_values() const { return std::nullopt; }

  /// Upper bounds on f_i(at), one per local node, from what the certificate of the last step was made of and without
  /// touching a row again; nothing where the method has none, or that step had no certificate.
  [[nodiscard]] virtual std::optional<Vector> upper_bounds(const Vector& /*at*/) const { return std::nullopt; }

  /// The caller would stop at a certificate of at most `gap`. A method that has one only now and then sees to it that
  /// it has one once its own measures say that this may be so. Said before a step, and true for that step.
  virtual void request_certificate_below(double /*gap*/) {}

  /// The multipliers of consensus as of the last step, this process's columns, for methods that have them; null for
  /// others. They say how hard the network pulls each node, and prove that sets have no common point where they have
  /// none.
  [[nodiscard]] virtual const Dual* dual() const { return nullptr; }
  /// Begins with the multipliers of an earlier answer: columns s_i with w = Lap s. Said before the first step; costs
  /// one round. Together with the answer as Problem::start, a run on the same problem is done at once. False where the
  /// method has no multipliers, and then nothing happens.
  virtual bool start_with_dual(const Stacked& /*s*/) { return false; }

  /// As of the last step, for methods that solve inner problems; null for others.
  [[nodiscard]] virtual const InnerWork* inner_work() const { return nullptr; }

  /// How many data-oracle calls the next step will make at this process's nodes, so that a budget can
  /// stop a run before it is overspent.
  [[nodiscard]] virtual Count next_data_oracle_calls() const = 0;

  /// Whether it goes by the problem's L~, so that computing that from rows is part of its costs (charge_smoothness).
  [[nodiscard]] virtual bool uses_smoothness() const { return false; }

  /// Every piece of state that the next step depends on.
  virtual void visit_state(StateVisitor& visitor) = 0;
};

}  // namespace slidemesh
