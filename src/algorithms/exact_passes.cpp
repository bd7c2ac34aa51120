#include "slidemesh/algorithms/exact_passes.h"

#include "slidemesh/base/errors.h"

namespace slidemesh {

bool ExactPasses::is_worth_while(const SolvedStage& stage, Count stages) const {
  constexpr double kRetryShare = 0.5;  // of the measure at the last one, which did not certify
  const bool is_near = stage.rho <= kRequestShare * stage.request && stage.change <= stage.request;
  return is_near && (stage.rho <= kRetryShare * rho_ || stages / 2 >= stages_);
}

void ExactPasses::make(double rho, Count stages) {
  rho_ = rho;
  stages_ = stages;
}

void ExactPasses::visit_state(StateVisitor& visitor) {
  visitor.visit("rho_of_exact_pass", rho_);
  visitor.visit("stages_at_exact_pass", stages_);
  if (visitor.is_reading() && stages_ < 0) {
    throw DataError("checkpoint: expected the stages until an exact pass, got a number below 0");
  }
}

}  // namespace slidemesh
