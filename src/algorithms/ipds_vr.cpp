// Variance-reduced I-PDS, beyond the paper. The phases are those of ipds-restarted; within them the
// gradient at x̲ₖ is that of a snapshot, corrected by a few rows (as in SVRG, R. Johnson and T. Zhang 2013).
//
//   ρ, ρ̂     rho           Σᵢ max over u in Xᵢ of <gᵢ + wᵢ, x̲ᵢ − u>  +  |Σᵢ <wᵢ, x̲ᵢ>|, exact or with vᵢ for ∇f̃ᵢ
//   vᵢ       v_            the corrected gradient (snapshot_gradient.h)
//   η, L     control_      share of the gap that sampling may make, and smoothness (vr_rules.h)
//   bᵢ       batch_for     k σᵢ² m / (L η ρ)
//
// A snapshot is an exact step and not a restart: the two have their own reasons. Every decision is a
// function of sums that all nodes have: one agreement per step, a second where a phase begins.
// docs/ipds.md has the rules, docs/decisions/ what was measured.

#include "slidemesh/algorithms/ipds_vr.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace slidemesh {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

RestartRule restart_rule(const IpdsVrOptions& options) {
  RestartRule rule;
  rule.rise = options.parameters.rise;
  if (options.epoch) {
    rule.fall = rule.enough = 0.0;
    rule.least_steps = rule.most_steps = *options.epoch;
  }
  return rule;
}

}  // namespace

IpdsVr::IpdsVr(const Problem& problem, Network& network, const IpdsVrOptions& options)
    : problem_(problem),
      network_(network),
      options_(options),
      p_(options_.parameters),
      rule_(restart_rule(options)),
      control_(p_, options.noise, options.smoothness.value_or(problem.smoothness)),
      gradient_(problem, network, p_, options.seed),
      phase_(problem, network, {options.laplacian_lambda_max, options.R, control_.smoothness(), options.inner}),
      contributions_(Matrix::Zero(kStatistics, network.local_nodes())),
      rho_of_request_(kInfinity),
      rho_before_(kInfinity),
      rho_base_(kInfinity),
      v_(Stacked::Zero(problem.dimension(), network.local_nodes())),
      x_next_(problem.dimension()),
      best_{phase_.x_under(), phase_.sliding().dual(), v_, gradient_.values()} {
  if (options.epoch) {
    gradient_.leave_subset();
  }
}

void IpdsVr::step() {
  ++steps_;
  if (steps_ == 1) {
    count_rows();
  }
  phase_.extrapolate(control_.smoothness());          // x̲ₖ
  const bool exact = exact_next_ && take_snapshot();  // vₖ = ∇f̃(x̲ₖ),
  if (!exact_next_) {
    gradient_.draw(phase_.x_under(), v_);  // or about that
  }
  if (!finished()) {
    gradient_.prefetch();  // which travels during the inner loop
  }
  phase_.slide(control_.smoothness(), v_, tolerance());  // to x̂ₖ
  plan_batches();
  certificate_.reset();
  if (exact) {
    certificate_ = phase_.sliding().measured_certificate(v_, gradient_.values());
  }
  decide(agree(), exact);
}

void IpdsVr::count_rows() {
  Matrix counts(2, v_.cols());
  for (Index i = 0; i < v_.cols(); ++i) {
    counts(0, i) = static_cast<double>(gradient_.rows(i));
    counts(1, i) = static_cast<double>(gradient_.dealt_rows(i));
  }
  const Vector totals = network_.agree_sum(counts);
  rows_ = static_cast<Count>(totals(0));
  active_rows_ = static_cast<Count>(totals(1));
}

/// Whether it is a snapshot of all rows.
bool IpdsVr::take_snapshot() {
  if (steps_ == 1 && gradient_.in_subset()) {
    gradient_.take_subset(phase_.x_under(), v_);
    rho_base_ = exact_measure();
    return false;
  }
  gradient_.take_all(phase_.x_under(), v_);
  if (gradient_.snapshots() > 1) {
    control_.observe_smoothness(network_.agree_max(gradient_.observed_smoothness())(0));
  }
  active_rows_ = rows_;
  drawn_ = 0.0;
  if (phase_.k() == 1) {
    judge(exact_measure());
  }
  return true;
}

/// ρ with the gradient in v_, before the step's slide.
double IpdsVr::exact_measure() {
  const double rho = phase_.measure(v_);
  rho_first_ = steps_ == 1 ? rho : rho_first_;
  return rho;
}

/// An exact ρ where a phase begins, which tells what the phases since the last such were worth.
void IpdsVr::judge(double rho) {
  const bool has_fallen = has_fallen_ && rho <= p_.diverged * rho_first_;
  const NoiseControl::Verdict verdict = control_.judge(rho, has_fallen);
  if (verdict == NoiseControl::Verdict::kReject) {
    go_back(1);
    return;
  }
  if (verdict == NoiseControl::Verdict::kBest) {
    best_ = {phase_.x_under(), phase_.sliding().dual(), v_, gradient_.values(), true};
    gradient_.set_aside();
  }
  rho_base_ = rho;
}

/// To the best snapshot, which costs nothing, with larger batches.
void IpdsVr::go_back(Count k) {
  control_.reject();
  phase_.go_back(best_.x, best_.dual, k);
  gradient_.return_to(best_.x, best_.gradient, best_.values, best_.has_snapshot);
  best_.gradient.expand(v_);
  rho_base_ = rho_before_ = control_.best_rho();
  has_fallen_ = false;
}

double IpdsVr::tolerance() const {
  const auto nodes = static_cast<double>(network_.nodes());
  const double adaptive = p_.tolerance_share * rho_base_ / (nodes * static_cast<double>(phase_.k()));
  return options_.tolerance.value_or(std::max(adaptive, p_.rounding * rho_first_ / nodes));
}

Count IpdsVr::batch_for(Index i, double k, double variance, double rho) const {
  const Count rows = gradient_.dealt_rows(i);
  if (options_.batch || !gradient_.knows_variance(i)) {
    return std::min(rows, options_.batch.value_or(p_.first_batch));
  }
  return batch_size(
      p_, {rows, k, variance, static_cast<double>(network_.nodes()), control_.smoothness(), control_.noise(), rho});
}

/// Of the next step, unless a phase ends before.
void IpdsVr::plan_batches() {
  for (Index i = 0; i < v_.cols(); ++i) {
    phase_.foresee(i, x_next_);
    const double variance = gradient_.variance_at(i, x_next_);
    gradient_.plan(i, batch_for(i, static_cast<double>(phase_.k() + 1), variance, rho_base_));
  }
}

/// ρ̂; the other sums go to totals_.
double IpdsVr::agree() {
  phase_.contribute(contributions_);
  for (Index i = 0; i < v_.cols(); ++i) {
    const Count drawn = exact_next_ ? 0 : gradient_.drawn(i);
    const bool is_noisy = drawn > 0 && drawn < gradient_.dealt_rows(i);
    const double radius = problem_.set(i).diameter() / 2.0;
    contributions_(kDrawn, i) = static_cast<double>(drawn);
    contributions_(kNoise, i) = is_noisy ? radius * std::sqrt(gradient_.variance(i) / static_cast<double>(drawn)) : 0.0;
    contributions_(kBatch, i) = static_cast<double>(gradient_.planned(i));
  }
  totals_ = network_.agree_sum(contributions_);
  return optimality(totals_);
}

void IpdsVr::decide(double rho, bool was_exact) {
  drawn_ += totals_(kDrawn);
  if (!std::isfinite(rho)) {
    go_back(0);
    gradient_.plan_all(p_.smallest_batch);
    exact_next_ = !best_.has_snapshot;
    return;
  }
  VrStepFacts facts;
  facts.k = phase_.k();
  facts.least_steps = rule_.least_steps;
  facts.rho = rho;
  facts.rho_base = rho_base_;
  facts.noise = totals_(kNoise);
  facts.drawn = drawn_;
  facts.rows = static_cast<double>(rows_);
  facts.snapshots = gradient_.snapshots();
  facts.since_snapshot = gradient_.steps_since_snapshot();
  facts.was_exact = was_exact;
  facts.requested_gap = requested_gap_;
  facts.rho_of_request = rho_of_request_;
  const VrStepVerdict verdict = judge_step(p_, facts);
  rho_of_request_ = verdict.requested ? rho : rho_of_request_;
  const bool is_quiet = totals_(kNoise) <= rho && !options_.epoch;
  const RestartRule& rule = is_quiet ? kExactRestartRule : rule_;
  if (verdict.diverged || restart_is_due(rule, phase_.k(), rho, rho_before_, rho_base_)) {
    has_fallen_ = was_exact && rho <= kExactRestartRule.enough * rho_base_;
    restart(rho, verdict.takes_all);
  } else {
    plan(verdict.takes_all, totals_(kBatch));
  }
  rho_before_ = rho;
}

void IpdsVr::restart(double rho, bool exact) {
  // What a phase as long as the last one would draw, and what its first step would.
  Matrix plans(2, v_.cols());
  const auto steps = static_cast<double>(phase_.k());
  for (Index i = 0; i < v_.cols(); ++i) {
    const double variance = gradient_.variance_at(i, phase_.sliding().x_hat().col(i));
    plans(0, i) = steps * static_cast<double>(batch_for(i, steps / 2.0, variance, rho));
    gradient_.plan(i, batch_for(i, 1.0, variance, rho));
    plans(1, i) = static_cast<double>(gradient_.planned(i));
  }
  const Vector planned = network_.agree_sum(plans);
  phase_.restart(totals_, control_.smoothness());
  control_.relax_smoothness();
  rho_base_ = rho;
  const bool in_subset = gradient_.in_subset();
  const bool subset_is_done = in_subset && ++subset_restarts_ >= p_.subset_restarts;
  const bool costly = !in_subset && planned(0) > p_.costly_phase * static_cast<double>(rows_);
  plan(exact || options_.epoch || subset_is_done || costly, in_subset ? 0.0 : planned(1));
}

void IpdsVr::plan(bool exact, double planned_rows) {
  const bool may_choose = !options_.epoch && !options_.batch;
  exact_next_ =
      exact || (may_choose && all_rows_are_worth_it(p_, phase_.k(), planned_rows, drawn_, static_cast<double>(rows_),
                                                    static_cast<double>(active_rows_)));
}

/// An answer to begin with is worth more than a part of the rows can tell.
bool IpdsVr::start_with_dual(const Stacked& s) {
  phase_.start_with_dual(s);
  best_.dual = phase_.sliding().dual();
  gradient_.leave_subset();
  return true;
}

Count IpdsVr::next_data_oracle_calls() const {
  Count calls = 0;
  for (Index i = 0; i < v_.cols() && !finished(); ++i) {
    const bool whole = exact_next_ && steps_ > 0;
    calls += whole ? gradient_.rows(i) : (steps_ == 0 ? gradient_.dealt_rows(i) : gradient_.planned(i));
  }
  return calls;
}

void IpdsVr::Best::visit_state(StateVisitor& visitor) {
  visit_kept(visitor, "best.x", x);
  visit_kept(visitor, "best.dual.s", dual.s);
  visit_kept(visitor, "best.dual.w", dual.w);
  visit_kept(visitor, "best.gradient", gradient);
  visitor.visit("best.values", values);
  visitor.visit("best.has_snapshot", has_snapshot);
}

void IpdsVr::visit_state(StateVisitor& visitor) {
  visitor.visit("steps", steps_);
  visitor.visit("rows", rows_);
  visitor.visit("active_rows", active_rows_);
  visitor.visit("subset_restarts", subset_restarts_);
  phase_.visit_state(visitor);
  gradient_.visit_state(visitor);
  control_.visit_state(visitor);
  visitor.visit("exact_next", exact_next_);
  visitor.visit("has_fallen", has_fallen_);
  visitor.visit("rho_of_request", rho_of_request_);
  visitor.visit("drawn", drawn_);
  visitor.visit("rho_first", rho_first_);
  visitor.visit("rho_before", rho_before_);
  visitor.visit("rho_base", rho_base_);
  visitor.visit("v", v_);
  best_.visit_state(visitor);
}

}  // namespace slidemesh
