#include "certifier.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "slidemesh/algorithms/bound_rounding.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/linalg/kernels.h"

namespace slidemesh {

Certifier::Certifier(Method& method, const Problem& problem, const Control& control, const RunOptions& options,
                     double start_value)
    : method_(method),
      problem_(problem),
      control_(control),
      network_(control.network()),
      options_(options),
      start_value_(start_value),
      has_certificates_(!options.before),
      state_(options.before ? options.before->certificate : CertificateState{}) {}

void Certifier::before_step() {
  has_certificates_ = true;
  state_.gap.reset();
  value_.reset();
  if (options_.stop.certified_gap) {
    // Before there is any bound, F where the run began stands for the scale: losses are not negative.
    const double first_scale = options_.stop.certified_gap_is_relative ? std::abs(start_value_) : 1.0;
    method_.request_certificate_below(state_.lower_bound ? wanted_gap() : *options_.stop.certified_gap * first_scale);
  }
}

std::optional<Certificate> Certifier::certificate() {
  std::optional<Certificate> found;
  if (has_certificates_) {
    at_step(method_, [&] { found = method_.certificate(); });
  }
  if (found) {
    take_off_rounding(*found);
  }
  return found;
}

/// Of the multipliers. At a point x of the intersection it has added at most their sum's rounding times |x|.
void Certifier::take_off_rounding(Certificate& found) {
  if (found.rounding.size() > 0) {
    if (reaches_.size() == 0) {
      reaches_ = reaches(problem_);
    }
    found.lower_bound -= found.rounding.cwiseProduct(reaches_);
    return;
  }
  const Dual* dual = method_.dual();
  if (dual == nullptr || dual->s.size() == 0) {
    return;
  }
  if (rounding_.size() == 0) {
    rounding_ = rounding_of_bounds(problem_, network_);
  }
  for (Index i = 0; i < rounding_.size(); ++i) {
    found.lower_bound(i) -= rounding_(i) * norm(dual->s.col(i));
  }
}

void Certifier::raise_lower_bound(double bound) {
  if (std::isfinite(bound)) {  // a step that was left half done proves nothing
    state_.lower_bound = std::max(state_.lower_bound.value_or(bound), bound);
  }
}

void Certifier::look() {
  if (const auto found = certificate()) {
    raise_lower_bound(control_.total(found->lower_bound));
  }
}

double Certifier::gap_scale() const {
  return options_.stop.certified_gap_is_relative ? certified_gap_scale(start_value_, *state_.lower_bound) : 1.0;
}

std::optional<double> Certifier::gap_of(const std::optional<double>& objective) const {
  const bool is_over_all = control_.scope() == ControlScope::kAllNodes;
  return state_.lower_bound && is_over_all && objective ? gap_to_bound(*objective) : state_.gap;
}

/// Where nodes have sets of their own, x̄ may lie outside some and F(x̄) below F*. A contradiction is a bug of ours, or
/// of a resumed run the work of whoever changed its checkpoint.
double Certifier::gap_to_bound(double objective) const {
  const double bound = *state_.lower_bound;
  if (problem_.sets_differ) {
    return objective - bound;
  }
  try {
    return certified_gap(objective, bound, std::abs(objective) + std::abs(bound) + std::abs(start_value_));
  } catch (const InternalError& error) {
    if (options_.before) {
      fail<DataError>("checkpoint", "a state that the run was in",
                      std::string("one that contradicts itself: ") + error.what());
    }
    throw;
  }
}

/// An evaluation costs a pass: the next waits until the estimate has halved, or for a tenth more steps, because
/// rounding may keep an estimate from ever halving.
bool Certifier::failed_too_recently(double estimate) const {
  return state_.failed_estimate && estimate > *state_.failed_estimate / 2.0 &&
         method_.steps_done() < state_.failed_step + std::max(1, state_.failed_step / 10);
}

bool Certifier::try_to_certify() {
  const auto found = certificate();
  if (!found) {
    return false;
  }
  Matrix both(2, network_.local_nodes());
  both << found->lower_bound.transpose(), found->value.transpose();
  const Vector sums = control_.totals_of(both);
  raise_lower_bound(sums(0));
  for (NodeMeters& meters : network_.meters().node) {
    ++meters.linear_oracle_calls;
  }
  if (!state_.lower_bound) {
    return false;
  }
  const double estimate = sums(1) - *state_.lower_bound;
  if (!(estimate <= wanted_gap()) || failed_too_recently(estimate)) {
    return false;
  }
  Vector mean;
  control_.mean_over_tree(method_.output(), mean);
  look_whether_feasible(mean);
  if (certifies_without_a_pass(mean)) {
    return false;
  }
  for (Index i = 0; i < network_.local_nodes(); ++i) {
    network_.meters().at(i).data_oracle_calls += problem_.objectives[static_cast<std::size_t>(i)]->rows();
    ++network_.meters().at(i).data_oracle_accesses;
  }
  value_ = total_objective(problem_, control_, mean, AccessPurpose::kCertificate);
  state_.gap = gap_to_bound(*value_);
  if (control_.scope() != ControlScope::kAllNodes) {
    value_.reset();  // a trace of this process's nodes tells of these alone
  }
  state_.failed_estimate = estimate;
  state_.failed_step = method_.steps_done();
  return true;
}

/// Whether what the method knows bounds F(x̄) from above well enough.
bool Certifier::certifies_without_a_pass(const Vector& mean) {
  const auto bounds = method_.upper_bounds(mean);
  if (!bounds) {
    return false;
  }
  const double gap = gap_to_bound(control_.total(*bounds));
  if (gap > wanted_gap()) {
    return false;
  }
  state_.gap = gap;
  return true;
}

/// Where every node has the same set x̄ is in it.
void Certifier::look_whether_feasible(const Vector& mean) {
  infeasible_ = problem_.sets_differ && violates_a_set(problem_, control_, mean, options_.stop.target_infeasibility);
}

void Certifier::look_for_a_common_point() {
  const Dual* dual = method_.dual();
  Vector mean;
  control_.mean_over_tree(method_.output(), mean);
  look_whether_feasible(mean);
  if (dual == nullptr || !infeasible_) {
    return;
  }
  for (NodeMeters& meters : network_.meters().node) {
    ++meters.linear_oracle_calls;
  }
  sets_have_no_common_point_ = proves_no_common_point(problem_, control_, dual->w);
}

void Certifier::tell(Statistics& statistics) const {
  statistics.infeasible = infeasible_;
  statistics.sets_have_no_common_point = sets_have_no_common_point_;
  statistics.certified_gap = state_.gap;
  if (state_.lower_bound) {
    statistics.certified_gap_scale = certified_gap_scale(start_value_, *state_.lower_bound);
  }
}

}  // namespace slidemesh
