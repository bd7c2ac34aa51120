#pragma once

#include <optional>
#include <string>

#include "slidemesh/base/errors.h"
#include "slidemesh/control/control.h"
#include "slidemesh/core/method.h"
#include "slidemesh/core/problem.h"
#include "slidemesh/session/run.h"

namespace slidemesh {

/// Runs `part`; an error of data or of our own says at which step it happened.
template <class Part>
void at_step(const Method& method, Part&& part) {
  const auto where = [&] { return "step " + std::to_string(method.steps_done()) + ": "; };
  try {
    part();
  } catch (const DataError& error) {
    throw DataError(where() + error.what());
  } catch (const InternalError& error) {
    throw InternalError(where() + error.what());
  }
}

/// What a run can prove (docs/certificate.md): the best lower bound on F* so far, when F(x̄) is worth evaluating for a
/// stop at a certified gap, and whether the nodes' sets have a common point.
class Certifier {
 public:
  Certifier(Method& method, const Problem& problem, const Control& control, const RunOptions& options,
            double start_value);

  [[nodiscard]] const CertificateState& state() const { return state_; }
  /// F(x̄) over all nodes, where it was evaluated at this step.
  [[nodiscard]] const std::optional<double>& value() const { return value_; }
  /// F(x̄) less the bound, once there is one. A trace of this process's nodes, or one that does not look at data, has no
  /// F(x̄) but where the stop rule had it evaluated.
  [[nodiscard]] std::optional<double> gap_of(const std::optional<double>& objective) const;
  void tell(Statistics& statistics) const;

  /// Forgets what holds for the last step, and tells the method what gap would end the run.
  void before_step();
  /// What the method has after a step raises the bound. Costs no data.
  void look();
  /// The free numbers first: only when they say that the gap may be small enough is F(x̄) evaluated, and that is
  /// charged, because a decision hangs on it. True where it was.
  bool try_to_certify();
  /// While consensus does not come the multipliers grow; if that is because the sets have no common point, they prove
  /// it. The linear-oracle call of each node is charged, because a decision hangs on it.
  void look_for_a_common_point();

 private:
  [[nodiscard]] std::optional<Certificate> certificate();
  void take_off_rounding(Certificate& found);
  [[nodiscard]] double gap_to_bound(double objective) const;
  [[nodiscard]] double gap_scale() const;
  [[nodiscard]] double wanted_gap() const { return *options_.stop.certified_gap * gap_scale(); }
  [[nodiscard]] bool failed_too_recently(double estimate) const;
  bool certifies_without_a_pass(const Vector& mean);
  void look_whether_feasible(const Vector& mean);
  void raise_lower_bound(double bound);

  Method& method_;
  const Problem& problem_;
  const Control control_;
  Network& network_;
  const RunOptions& options_;
  double start_value_;
  bool has_certificates_;  ///< not before the first step of a resumed run: what they are made of is not kept
  CertificateState state_;
  std::optional<double> value_;
  Vector rounding_;  ///< of bounds, for multipliers of length 1, once a certificate asks
  Vector reaches_;   ///< likewise
  bool infeasible_ = false;
  bool sets_have_no_common_point_ = false;
};

}  // namespace slidemesh
