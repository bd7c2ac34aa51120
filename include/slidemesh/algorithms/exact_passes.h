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
  [[nodiscard]] bool is_worth_while(const SolvedStage& stage, Count stages) const;
  /// Where rounding leaves nothing to gain: whether none was made since the last stage.
  [[nodiscard]] bool may_tell_more(Count stages) const { return stages_ != stages; }
  /// One is made, with this measure and after so many stages.
  void make(double rho, Count stages);

  void visit_state(StateVisitor& visitor);

 private:
  double rho_ = std::numeric_limits<double>::max();  ///< when the last one was made,
  Count stages_ = 0;                                 ///< and the stages until then
};

}  // namespace slidemesh
