#include "slidemesh/algorithms/vr_rules.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "slidemesh/algorithms/restart.h"
#include "slidemesh/base/fail.h"

namespace slidemesh {

Count subset_size(const VrParameters& p, Count rows) {
  return std::min(rows, std::max(p.subset_rows, (rows + p.subset_share - 1) / p.subset_share));
}

double variance_memory(const VrParameters& p, Count rows) {
  return std::max(p.variance_memory, p.variance_share * static_cast<double>(rows));
}

Count batch_size(const VrParameters& p, const BatchFacts& f) {
  const double wanted = f.k * f.variance * f.nodes / (f.smoothness * f.noise * f.rho);
  if (!(2.0 * wanted <= static_cast<double>(f.rows))) {
    return f.rows;
  }
  return std::min(f.rows, std::max(p.smallest_batch, static_cast<Count>(std::ceil(wanted))));
}

VrStepVerdict judge_step(const VrParameters& p, const VrStepFacts& f) {
  const bool after_least = f.k >= f.least_steps;
  const double before_doubt = f.snapshots <= 1 ? p.drawn_before_first_doubt : p.drawn_before_doubt;
  const bool in_doubt = after_least && f.noise > f.rho && f.drawn > before_doubt * f.rows;
  VrStepVerdict verdict;
  verdict.diverged = after_least && f.rho > p.diverged * f.rho_base;
  verdict.requested = !f.was_exact && f.rho <= f.requested_gap && f.rho <= p.request_again * f.rho_of_request;
  verdict.takes_all =
      verdict.diverged || in_doubt || verdict.requested || f.since_snapshot >= p.longest_without_snapshot;
  return verdict;
}

bool all_rows_are_worth_it(const VrParameters& p, Count k, double planned_rows, double drawn, double rows,
                           double active_rows) {
  const bool large = planned_rows >= p.most_drawn * active_rows;
  const bool stale = k > 0 && drawn >= rows && planned_rows > p.worth_snapshot * rows;
  return large || stale;
}

NoiseControl::NoiseControl(const VrParameters& parameters, double largest_noise, double smoothness)
    : p_(parameters),
      largest_noise_(largest_noise),
      noise_(largest_noise),
      given_smoothness_(smoothness),
      bound_(smoothness),
      smoothness_(smoothness),
      smoothness_found_(smoothness),
      best_rho_(std::numeric_limits<double>::infinity()),
      rho_to_fall_below_(best_rho_) {}

NoiseControl::Verdict NoiseControl::judge(double rho, bool has_fallen) {
  if (has_fallen && rho > best_rho_) {
    take_for_best(rho);
    return Verdict::kBest;
  }
  if (!(rho <= p_.reject * best_rho_) && rejected_in_a_row_ < p_.most_rejections) {
    return Verdict::kReject;
  }
  const bool best = rho <= best_rho_ || rejected_in_a_row_ == p_.most_rejections;
  if (best) {
    noise_ = std::min(largest_noise_, 1.3 * noise_);
    take_for_best(rho);
  } else {
    noise_ = std::max(p_.smallest_noise, noise_ / 2.0);
  }
  watch_for_stall(rho);
  return best ? Verdict::kBest : Verdict::kGoOn;
}

void NoiseControl::take_for_best(double rho) {
  smoothness_ = std::max(smoothness_found_, smoothness_ / 2.0);
  best_rho_ = rho;
  rejected_in_a_row_ = 0;
}

void NoiseControl::reject() {
  ++rejections_;
  noise_ = std::max(p_.smallest_noise, noise_ / 4.0);
  if (++rejected_in_a_row_ >= 2) {
    smoothness_ *= 2.0;
  }
}

void NoiseControl::watch_for_stall(double rho) {
  if (rho <= p_.stalled * rho_to_fall_below_) {
    rho_to_fall_below_ = rho;
    without_fall_ = 0;
  } else if (++without_fall_ >= p_.patience) {
    noise_ = std::max(p_.smallest_noise, noise_ / 4.0);
    without_fall_ = 0;
  }
}

void NoiseControl::observe_smoothness(double largest) {
  largest_observed_ = std::max(largest_observed_, largest);
  if (largest > p_.clearly_above * bound_) {
    bound_ = kSmoothnessMargin * largest;
  }
  if (largest > smoothness_) {
    smoothness_ = smoothness_found_ = std::min(bound_, kSmoothnessMargin * largest);
  }
}

void NoiseControl::relax_smoothness() {
  if (largest_observed_ > 0.0 && rejected_in_a_row_ == 0) {
    smoothness_ = smoothness_found_ =
        std::clamp(kSmoothnessMargin * largest_observed_, kSmallestShareOfBound * bound_, bound_);
  }
  largest_observed_ = 0.0;
}

void NoiseControl::visit_state(StateVisitor& visitor) {
  visitor.visit("noise", noise_);
  visitor.visit("smoothness_bound", bound_);
  visitor.visit("smoothness", smoothness_);
  visitor.visit("smoothness_found", smoothness_found_);
  visitor.visit("largest_observed", largest_observed_);
  visitor.visit("best_rho", best_rho_);
  visitor.visit("rho_to_fall_below", rho_to_fall_below_);
  visitor.visit("rejections", rejections_);
  visitor.visit("rejected_in_a_row", rejected_in_a_row_);
  visitor.visit("without_fall", without_fall_);
  const bool possible = bound_ >= given_smoothness_ && smoothness_found_ >= kSmallestShareOfBound * bound_ &&
                        smoothness_found_ <= bound_ && smoothness_ >= smoothness_found_;
  if (visitor.is_reading() && !possible) {
    fail<DataError>("checkpoint", "smoothness constants of this problem", "numbers that it cannot have");
  }
}

}  // namespace slidemesh
