#include "slidemesh/algorithms/exact_passes.h"

#include <algorithm>

#include "slidemesh/base/fail.h"

namespace slidemesh {

namespace {

constexpr double kRetryShare = 0.5;  // of the measure at the last one, which did not certify
constexpr Count kMostVain = 3;

}  // namespace

bool ExactPasses::is_worth_while(const SolvedStage& stage, Count stages) const {
  const bool is_near = stage.rho <= kRequestShare * stage.request && stage.change <= stage.request;
  return is_near && (stage.rho <= kRetryShare * rho_ || stages / 2 >= stages_);
}

bool ExactPasses::may_show_more(double rho, double request, bool is_below_rounding) {
  const bool has_halved = rho <= kRetryShare * rho_shown_;
  rho_shown_ = std::min(rho_shown_, rho);
  if (rho <= kLeastShare * request) {
    return false;
  }
  return has_halved || !(is_below_rounding || rho <= kRequestShare * request);
}

bool ExactPasses::was_in_vain(double rho, double residual, double request) {
  if (!(rho <= kRequestShare * request)) {
    vain_ = 0;
    return false;
  }
  const auto has_halved = [](double now, double before) { return now > 0.0 && now <= kRetryShare * before; };
  vain_ = has_halved(rho, vain_rho_) || has_halved(residual, vain_residual_) ? 0 : vain_ + 1;
  vain_rho_ = std::min(vain_rho_, rho);
  vain_residual_ = std::min(vain_residual_, residual);
  return vain_ >= (rho <= kLeastShare * request ? 1 : kMostVain);
}

void ExactPasses::make(double rho, Count stages) {
  rho_ = rho;
  stages_ = stages;
}

void ExactPasses::visit_state(StateVisitor& visitor) {
  visitor.visit("rho_of_exact_pass", rho_);
  visitor.visit("rho_shown_by_exact_passes", rho_shown_);
  visitor.visit("rho_of_vain_passes", vain_rho_);
  visitor.visit("residual_of_vain_passes", vain_residual_);
  visitor.visit("vain_passes", vain_);
  visitor.visit("stages_at_exact_pass", stages_);
  require<DataError>(!visitor.is_reading() || (stages_ >= 0 && vain_ >= 0), "checkpoint",
                     "counts of stages and of exact passes", "a number below 0");
}

}  // namespace slidemesh
