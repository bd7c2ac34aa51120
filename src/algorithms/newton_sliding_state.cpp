// What a checkpoint has of Newton sliding.

#include "slidemesh/algorithms/newton_sliding.h"
#include "slidemesh/base/fail.h"

namespace slidemesh {

/// What a checkpoint may hold: whoever changed it must not make a run that never ends or counts backwards.
void NewtonSliding::require_state() const {
  const bool counts = steps_ >= 0 && stages_ >= 0 && epoch_ >= 0 && wanted_ >= 1 && wanted_ <= kMostRows;
  const bool measures = times_astray_ >= 0 && variances_.size() == problem_.dimension() && damping_.amount >= 0.0 &&
                        damping_.good_stages >= 0 && rho_first_ >= 0.0 && rho_target_ >= 0.0 && local_target_ >= 0.0;
  require<DataError>(counts && measures, "checkpoint", "the state of a stage", "numbers that none can have");
}

void NewtonSliding::visit_state(StateVisitor& visitor) {
  slide_.visit_state(visitor);
  visitor.each_node(models_.size(), [&](std::size_t i) {
    models_[i].visit_state(visitor);
    visitor.visit("next_row", next_[i]);
    require<DataError>(next_[i] >= 0 && next_[i] < rows(static_cast<Index>(i)), "checkpoint",
                       "a place in a permutation of a node's rows", "none");
  });
  sums_.visit_state(visitor);
  visitor.visit("posted", posted_);
  visitor.visit("epoch", epoch_);
  visitor.visit("untouched", has_untouched_rows_);
  visitor.visit("exact_next", exact_next_);
  visitor.visit("exact", is_exact_);
  visitor.visit("has_answer", has_answer_);
  exact_passes_.visit_state(visitor);
  visitor.visit("value_at_begin", value_at_begin_);
  visitor.visit("steps", steps_);
  visitor.visit("stages", stages_);
  visitor.visit("wanted_rows", wanted_);
  visitor.visit("stage_is_over", stage_is_over_);
  visitor.visit("is_solved", is_solved_);
  visitor.visit("variances", variances_);
  visitor.visit("stage_damping", damping_.amount);
  visitor.visit("good_stages", damping_.good_stages);
  visitor.visit("times_astray", times_astray_);
  visitor.visit("has_gone_back", has_gone_back_);
  visitor.visit("largest_loss", largest_loss_);
  if (!is_quadratic_) {
    stage_began_at_.visit_state(visitor, "stage_began_at");
    last_good_.visit_state(visitor, "last_good");
  }
  visitor.visit("rho_first", rho_first_);
  visitor.visit("rho_target", rho_target_);
  visitor.visit("local_target", local_target_);
  visitor.visit("rho_at_restart", rho_at_restart_);
  visitor.visit("rho_before", rho_before_);
  if (visitor.is_reading()) {
    require_state();
  }
}

}  // namespace slidemesh
