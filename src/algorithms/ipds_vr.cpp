// Variance-reduced I-PDS, beyond the paper. The phases are those of ipds-restarted; within them the
// gradient at x̲ₖ is that of a snapshot, corrected by a few rows (as in SVRG, R. Johnson and T. Zhang 2013):
//
//   vᵢ = ḡᵢ + (1/bᵢ) Σ over drawn rows j of (∇lⱼ(x̲ᵢ) − ∇lⱼ(x̃ᵢ)),     x̃ᵢ the snapshot, ḡᵢ = ∇f̃ᵢ(x̃ᵢ)
//
//   ρ, ρ̂     rho           Σᵢ max over u in X of <gᵢ + wᵢ, x̲ᵢ − u>  +  |Σᵢ <wᵢ, x̲ᵢ>|, exact or with vᵢ for ∇f̃ᵢ
//   σᵢ²      variance_     of one row's correction, as the draws show it
//   η        noise_        share of the gap that sampling may make
//   bᵢ       batch_        k σᵢ² m / (L η ρ): noise of variance σ²/b at each of k accelerated steps makes a gap of
//                          about k σ²/(L b) at a node
//
// A snapshot is an exact step and not a restart: the two have their own reasons. Every decision is a
// function of sums that all nodes have: one agreement a step, a second where a phase begins.
// docs/methods.md has the rules, docs/decisions/ what was measured.

#include "slidemesh/algorithms/ipds_vr.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "slidemesh/linalg/kernels.h"

namespace slidemesh {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Phases.
constexpr double kRise = 1.5;            ///< of ρ̂ from step to step: less is noise
constexpr double kDiverged = 10.0;       ///< times ρ̂ at the phase's begin
constexpr double kToleranceShare = 0.1;  ///< of what is left, for inexact inner solvers
constexpr double kRounding = 1e-13;      ///< they cannot do better, relative to the first measure

// The first phases look at a part of the rows.
constexpr Count kSubsetRestarts = 2;
constexpr Count kSubsetShare = 5;  ///< one row in so many,
constexpr Count kSubsetRows = 16;  ///< but at least so many of them

// Batches and snapshots.
constexpr Count kSmallestBatch = 2;
constexpr double kVarianceMemory = 10.0;   ///< draws
constexpr double kMostDrawn = 0.5;         ///< of the rows, in one step: then take all of them
constexpr double kWorthSnapshot = 0.02;    ///< of the rows, in one step, once all have been drawn once
constexpr double kCostlyPhase = 0.5;       ///< of the rows, in the phase to come
constexpr double kDrawnBeforeDoubt = 0.4;  ///< of the rows, before noise above ρ̂ asks for a snapshot;
constexpr double kDrawnBeforeFirst = 0.8;  ///< later after the first, which comes early by itself
constexpr Count kLongestWithoutSnapshot = 400;
constexpr double kHopeAgain = 0.5;  ///< of the measure at which a certificate was hoped for in vain

// What exact measures undo.
constexpr double kReject = 3.0;  ///< times the smallest ρ: go back there
constexpr Count kMostRejections = 6;
constexpr double kStalled = 0.8;
constexpr Count kPatience = 2;  ///< snapshots without a fall below kStalled
constexpr double kSmallestNoise = 1e-6;
constexpr double kMargin = 1.1;  ///< on an observed L
constexpr double kClearlyAbove = 1.01;

}  // namespace

IpdsVr::IpdsVr(const Problem& problem, Network& network, const IpdsVrOptions& options)
    : problem_(problem),
      network_(network),
      options_(options),
      operator_norm_(operator_norm(Gossip::kSqrtLaplacian, options.laplacian_lambda_max)),
      data_(problem, network.meters(), network.first_node(), options.seed),
      sliding_(problem, network, Gossip::kSqrtLaplacian, options.inner),
      told_(Matrix::Zero(kAgreed, network.local_nodes())),
      draws_(static_cast<std::size_t>(network.local_nodes()), 0),
      L_(options.smoothness.value_or(problem.smoothness)),
      L_found_(L_),
      noise_(options.noise),
      rho_of_hope_(kInfinity),
      rho_before_(kInfinity),
      rho_base_(kInfinity),
      rho_fall_(kInfinity),
      batch_(static_cast<std::size_t>(network.local_nodes()), kSmallestBatch) {
  rule_.rise = kRise;
  if (options.epoch) {
    rule_ = {.fall = 0.0, .enough = 0.0, .rise = kRise, .least_steps = *options.epoch, .most_steps = *options.epoch};
    in_subset_ = 0;
  }
  if (options.R) {
    r_ = *options.R * operator_norm_ / L_;
  }
  dual_move_ = dual_pull_ = Vector::Zero(problem.dimension());
  variance_ = drawn_variance_ = values_ = Vector::Zero(network.local_nodes());
  v_ = Stacked::Zero(problem.dimension(), network.local_nodes());
  snapshot_ = {sliding_.x_hat(), v_};
  begin_phase_here();
  best_ = {kInfinity, x_start_, z_start_, w_start_, v_, values_};
}

void IpdsVr::step() {
  ++steps_;
  if (steps_ == 1) {
    count_rows();
  }
  ++k_;
  sliding_.extrapolate(step_after_restart(k_, L_, r_, operator_norm_, problem_.mu));  // x̲ₖ
  const bool exact = exact_next_ != 0 && take_snapshot();                             // vₖ = ∇f̃(x̲ₖ),
  if (exact_next_ == 0) {
    draw();  // or about that
  }
  plan_batches();
  if (!finished()) {
    data_.prefetch_correction(batch_);  // which travels during the inner loop
  }
  sliding_.slide(step_after_restart(k_, L_, r_, operator_norm_, problem_.mu), v_, {tolerance()});  // to x̂ₖ
  sliding_.measure(v_);
  certificate_ = exact ? std::optional(sliding_.measured_certificate(v_, values_)) : std::nullopt;
  decide(agree(), exact);
}

Count IpdsVr::dealt_rows(Index i) const {
  const Count n = data_.rows(i);
  return in_subset_ == 0 ? n : std::min(n, std::max(kSubsetRows, (n + kSubsetShare - 1) / kSubsetShare));
}

void IpdsVr::count_rows() {
  Matrix counts(2, told_.cols());
  for (Index i = 0; i < told_.cols(); ++i) {
    counts(0, i) = static_cast<double>(data_.rows(i));
    counts(1, i) = static_cast<double>(dealt_rows(i));
  }
  const Vector sum = network_.agree_sum(counts);
  rows_ = static_cast<Count>(sum(0));
  active_rows_ = static_cast<Count>(sum(1));
}

/// Whether it is a snapshot of all rows.
bool IpdsVr::take_snapshot() {
  if (steps_ == 1 && in_subset_ != 0) {
    take_subset_snapshot();
    return false;
  }
  in_subset_ = 0;
  active_rows_ = rows_;
  data_.snapshot(sliding_.x_under(), v_);
  observe_smoothness();
  snapshot_ = {sliding_.x_under(), v_};
  values_ = data_.values();
  variance_.setZero();
  drawn_ = 0.0;
  since_snapshot_ = 0;
  ++snapshots_;
  if (k_ == 1) {
    judge(exact_measure());
  }
  return true;
}

void IpdsVr::take_subset_snapshot() {
  for (Index i = 0; i < told_.cols(); ++i) {
    draws_[static_cast<std::size_t>(i)] = dealt_rows(i);
  }
  data_.subset_snapshot(sliding_.x_under(), draws_, v_);
  snapshot_ = {sliding_.x_under(), v_};
  rho_base_ = exact_measure();
}

void IpdsVr::draw() {
  const Stacked& x = sliding_.x_under();
  for (Index i = 0; i < x.cols(); ++i) {
    const bool has_moved = squared_distance(x.col(i), snapshot_.x.col(i)) > 0.0;
    draws_[static_cast<std::size_t>(i)] = has_moved ? batch_[static_cast<std::size_t>(i)] : 0;
  }
  data_.corrected_gradient(x, draws_, snapshot_, v_, drawn_variance_);
  for (Index i = 0; i < x.cols(); ++i) {
    const Count drawn = draws_[static_cast<std::size_t>(i)];
    if (drawn >= data_.rows(i)) {
      values_(i) = data_.values()(i);
      variance_(i) = 0.0;
    } else if (drawn > 0) {
      const double weight = static_cast<double>(drawn) / (static_cast<double>(drawn) + kVarianceMemory);
      variance_(i) =
          variance_(i) == 0.0 ? drawn_variance_(i) : (1.0 - weight) * variance_(i) + weight * drawn_variance_(i);
    }
  }
  ++since_snapshot_;
}

/// Two snapshots with their values tell how curved f~ is between them: a check on L, which may have
/// been given and be wrong.
void IpdsVr::observe_smoothness() {
  if (snapshots_ == 0) {
    return;
  }
  Matrix observed(1, told_.cols());
  for (Index i = 0; i < told_.cols(); ++i) {
    observed(0, i) = observed_smoothness(values_(i), snapshot_.x.col(i), snapshot_.gradient.col(i), data_.values()(i),
                                         sliding_.x_under().col(i), v_.col(i));
  }
  const double largest = network_.agree_max(observed)(0);
  if (largest > kClearlyAbove * L_) {
    L_ = L_found_ = kMargin * largest;
  }
}

/// ρ with the gradient in v_, before the step's slide.
double IpdsVr::exact_measure() {
  sliding_.measure(v_);
  Matrix told(2, told_.cols());
  told.row(0) = sliding_.wolfe_gap().transpose();
  told.row(1) = sliding_.coupling().transpose();
  const Vector sum = network_.agree_sum(told);
  const double rho = sum(0) + std::abs(sum(1));
  rho_first_ = steps_ == 1 ? rho : rho_first_;
  return rho;
}

/// An exact ρ where a phase begins, which tells what the phases since the last such were worth.
void IpdsVr::judge(double rho) {
  if (!(rho <= kReject * best_.rho) && rejected_in_a_row_ < kMostRejections) {
    go_back();
    return;
  }
  if (rho <= best_.rho || rejected_in_a_row_ == kMostRejections) {
    noise_ = std::min(options_.noise, 1.3 * noise_);
    L_ = std::max(L_found_, L_ / 2.0);
    best_ = {rho, sliding_.x_under(), sliding_.z(), sliding_.w(), v_, values_, 1};
    data_.set_snapshot_aside();
    rejected_in_a_row_ = 0;
  } else {
    noise_ = std::max(kSmallestNoise, noise_ / 2.0);
  }
  rho_base_ = rho;
  watch_for_stall(rho);
}

/// Noise that only keeps ρ from falling is not rejected by any single measure.
void IpdsVr::watch_for_stall(double rho) {
  if (rho <= kStalled * rho_fall_) {
    rho_fall_ = rho;
    without_fall_ = 0;
  } else if (++without_fall_ >= kPatience) {
    noise_ = std::max(kSmallestNoise, noise_ / 4.0);
    without_fall_ = 0;
  }
}

/// To the best snapshot, which costs nothing, with larger batches; and with shorter steps if that
/// happens again at once.
void IpdsVr::go_back() {
  ++rejections_;
  noise_ = std::max(kSmallestNoise, noise_ / 4.0);
  if (++rejected_in_a_row_ >= 2) {
    L_ *= 2.0;
  }
  sliding_.restart_from(best_.x, best_.z, best_.w);
  begin_phase_here();
  variance_.setZero();
  rho_base_ = rho_before_ = best_.rho;
  v_ = best_.gradient;
  values_ = best_.values;
  snapshot_ = {best_.x, best_.gradient};
  if (best_.has_snapshot != 0) {
    data_.return_to_snapshot();
  }
}

void IpdsVr::begin_phase_here() {
  x_start_ = sliding_.x_hat();
  z_start_ = sliding_.z();
  w_start_ = sliding_.w();
}

double IpdsVr::tolerance() const {
  const auto nodes = static_cast<double>(network_.nodes());
  const double adaptive = kToleranceShare * rho_base_ / (nodes * static_cast<double>(k_));
  return options_.tolerance.value_or(std::max(adaptive, kRounding * rho_first_ / nodes));
}

Count IpdsVr::batch_for(Index i, double k, double rho) const {
  const Count n = dealt_rows(i);
  if (options_.batch) {
    return std::min(n, *options_.batch);
  }
  const double wanted = k * variance_(i) * static_cast<double>(network_.nodes()) / (L_ * noise_ * rho);
  if (!(2.0 * wanted <= static_cast<double>(n))) {
    return n;
  }
  return std::min(n, std::max(kSmallestBatch, static_cast<Count>(std::ceil(wanted))));
}

/// Of the next step, unless a phase ends before.
void IpdsVr::plan_batches() {
  for (Index i = 0; i < told_.cols(); ++i) {
    batch_[static_cast<std::size_t>(i)] = batch_for(i, static_cast<double>(k_ + 1), rho_base_);
  }
}

/// ρ̂; the other sums go to sum_.
double IpdsVr::agree() {
  for (Index i = 0; i < told_.cols(); ++i) {
    const Count drawn = exact_next_ != 0 ? 0 : draws_[static_cast<std::size_t>(i)];
    dual_move_ = sliding_.z().col(i) - z_start_.col(i);
    dual_pull_ = sliding_.w().col(i) - w_start_.col(i);
    told_(kWolfe, i) = sliding_.wolfe_gap()(i);
    told_(kCoupling, i) = sliding_.coupling()(i);
    told_(kDualMove, i) = dot(dual_move_, dual_pull_);
    told_(kPrimalMove, i) = squared_distance(sliding_.x_hat().col(i), x_start_.col(i));
    told_(kDrawn, i) = static_cast<double>(drawn);
    told_(kNoise, i) = drawn > 0 && drawn < dealt_rows(i)
                           ? problem_.set(i).diameter() / 2.0 * std::sqrt(variance_(i) / static_cast<double>(drawn))
                           : 0.0;
    told_(kBatch, i) = static_cast<double>(batch_[static_cast<std::size_t>(i)]);
  }
  sum_ = network_.agree_sum(told_);
  return sum_(kWolfe) + std::abs(sum_(kCoupling));
}

void IpdsVr::decide(double rho, bool was_exact) {
  drawn_ += sum_(kDrawn);
  if (!std::isfinite(rho)) {
    go_back();
    k_ = 0;
    std::fill(batch_.begin(), batch_.end(), kSmallestBatch);
    exact_next_ = best_.has_snapshot == 0 ? 1 : 0;
    return;
  }
  if (was_exact && k_ > 1) {
    watch_for_stall(rho);
  }
  const bool after_least = k_ >= rule_.least_steps;
  const bool diverged = after_least && rho > kDiverged * rho_base_;
  const double drawn_before_doubt = snapshots_ <= 1 ? kDrawnBeforeFirst : kDrawnBeforeDoubt;
  const bool in_doubt = after_least && sum_(kNoise) > rho && drawn_ > drawn_before_doubt * static_cast<double>(rows_);
  const bool hopeful = !was_exact && rho <= hoped_gap_ && rho <= kHopeAgain * rho_of_hope_;
  rho_of_hope_ = hopeful ? rho : rho_of_hope_;
  const bool exact = diverged || in_doubt || hopeful || since_snapshot_ >= kLongestWithoutSnapshot;
  if (diverged || restart_is_due(rule_, k_, rho, rho_before_, rho_base_)) {
    restart(rho, exact);
  } else {
    plan(exact, sum_(kBatch));
  }
  rho_before_ = rho;
}

void IpdsVr::restart(double rho, bool exact) {
  if (!options_.R) {
    r_ = balanced_r(r_, sum_(kDualMove), sum_(kPrimalMove), operator_norm_, L_);
  }
  // What a phase as long as the last one would draw, and what its first step would.
  Matrix told(2, told_.cols());
  const auto steps = static_cast<double>(k_);
  for (Index i = 0; i < told.cols(); ++i) {
    told(0, i) = steps * static_cast<double>(batch_for(i, steps / 2.0, rho));
    batch_[static_cast<std::size_t>(i)] = batch_for(i, 1.0, rho);
    told(1, i) = static_cast<double>(batch_[static_cast<std::size_t>(i)]);
  }
  const Vector sum = network_.agree_sum(told);
  sliding_.restart_from(Stacked(sliding_.x_hat()));
  begin_phase_here();
  rho_base_ = rho;
  ++restarts_;
  k_ = 0;
  const bool subset_is_done = in_subset_ != 0 && ++subset_restarts_ >= kSubsetRestarts;
  const bool costly = in_subset_ == 0 && sum(0) > kCostlyPhase * static_cast<double>(rows_);
  plan(exact || options_.epoch || subset_is_done || costly, in_subset_ != 0 ? 0.0 : sum(1));
}

void IpdsVr::plan(bool exact, double planned_rows) {
  const auto all = static_cast<double>(rows_);
  const bool large = planned_rows >= kMostDrawn * static_cast<double>(active_rows_);
  const bool stale = k_ > 0 && drawn_ >= all && planned_rows > kWorthSnapshot * all;
  exact_next_ = exact || (!options_.epoch && !options_.batch && (large || stale)) ? 1 : 0;
}

Count IpdsVr::next_data_oracle_calls() const {
  Count calls = 0;
  for (Index i = 0; i < v_.cols() && !finished(); ++i) {
    const bool whole = exact_next_ != 0 && steps_ > 0;
    calls += whole ? data_.rows(i) : (steps_ == 0 ? dealt_rows(i) : batch_[static_cast<std::size_t>(i)]);
  }
  return calls;
}

void IpdsVr::visit_state(StateVisitor& visitor) {
  sliding_.visit_state(visitor);
  data_.visit_state(visitor);
  for (Count* count :
       {&steps_, &restarts_, &snapshots_, &rejections_, &k_, &since_snapshot_, &rows_, &active_rows_, &in_subset_,
        &subset_restarts_, &exact_next_, &rejected_in_a_row_, &without_fall_, &best_.has_snapshot}) {
    visitor.visit("count", *count);
  }
  for (double* number : {&L_, &L_found_, &r_, &noise_, &drawn_, &rho_of_hope_, &rho_first_, &rho_before_, &rho_base_,
                         &rho_fall_, &best_.rho}) {
    visitor.visit("number", *number);
  }
  for (std::size_t i = 0; i < batch_.size(); ++i) {
    visitor.node(static_cast<Index>(i));
    visitor.visit("batch", batch_[i]);
  }
  visitor.all_nodes();
  visitor.visit("variance", variance_);
  visitor.visit("values", values_);
  visitor.visit("v", v_);
  visitor.visit("snapshot.x", snapshot_.x);
  visitor.visit("snapshot.gradient", snapshot_.gradient);
  visitor.visit("x_start", x_start_);
  visitor.visit("z_start", z_start_);
  visitor.visit("w_start", w_start_);
  visitor.visit("best.x", best_.x);
  visitor.visit("best.z", best_.z);
  visitor.visit("best.w", best_.w);
  visitor.visit("best.gradient", best_.gradient);
  visitor.visit("best.values", best_.values);
}

}  // namespace slidemesh
