#pragma once

#include <limits>

#include "slidemesh/core/state.h"
#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// When all rows are touched at one point for a certificate that was asked for. Of a stage that is solved.
struct SolvedStage {
  double rho = 0.0;      ///< its measure now,
  double change = 0.0;   ///< and how far the models' value has moved in it
  double request = 0.0;  ///< the gap that was asked for; none: not above 0
};

/// The share of the requested gap that a stage's measure, or what it may still gain, is at most where an exact pass is
/// worth while.
inline constexpr double kRequestShare = 0.25;

/// The exact passes that have been made. One is worth while where the stage is solved to a share of the requested gap,
/// and another one where the measure has halved since or the run has made twice as many stages.
class ExactPasses {
 public:
  static constexpr double kLeastShare = 1e-3;  ///< of the requested gap: what a stage need not be solved below

  [[nodiscard]] bool is_worth_while(const SolvedStage& stage, Count stages) const;
  /// Where rounding leaves nothing to gain: whether none was made since the last stage.
  [[nodiscard]] bool may_tell_more(Count stages) const { return stages_ != stages; }
  /// Of a stage that begins with all rows touched where the nodes are, whose certificate misses by its measure at most:
  /// whether the next may miss by less. Not where the measure is next to nothing, or has not halved and is a small
  /// share of the request: then the certificate has failed by what rounding may have done to the multipliers. Of a
  /// request below rounding a measure that has not halved is enough.
  [[nodiscard]] bool may_show_more(double rho, double request, bool is_below_rounding);
  /// Of such a stage too: whether what its certificate missed by was rounding. Its measure is a share of the request,
  /// and neither that nor the residual has halved since the last one of which that was so: once where the measure is
  /// next to nothing, else three times in a row.
  [[nodiscard]] bool was_in_vain(double rho, double residual, double request);
  /// One is made, with this measure and after so many stages.
  void make(double rho, Count stages);

  void visit_state(StateVisitor& visitor);

 private:
  double rho_ = std::numeric_limits<double>::max();        ///< when the last one was made,
  Count stages_ = 0;                                       ///< and the stages until then
  double rho_shown_ = std::numeric_limits<double>::max();  ///< the least where a stage began with an exact pass
  double vain_rho_ =
      std::numeric_limits<double>::max();  ///< the least of those whose measure was a share of the request
  double vain_residual_ = std::numeric_limits<double>::max();  ///< likewise
  Count vain_ = 0;                                             ///< of them in a row that did not fall
};

}  // namespace slidemesh
