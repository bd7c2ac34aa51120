// I-PDS restarted, beyond the paper: the theorem's step sizes are worst-case, and a restart from the
// last x̂ₖ with the dual variable kept makes a method for curved problems of one for the worst.
//
//   ρₖ      rho_          Σᵢ max over u in X of <gᵢ + wᵢ, x̲ᵢ − u>  +  |Σᵢ <wᵢ, x̲ᵢ>|, gᵢ = ∇fᵢ(x̲ᵢ)
//   L       L_            smoothness in use, at most `bound_`
//
// The steps from restart to restart are in sliding_phase.cpp, which ipds-vr shares.
//
// Every decision is a function of numbers that all nodes have: two agreements per step, on the largest
// observed smoothness before the slide and on sums after it.
// docs/ipds.md has the rules, docs/decisions/ what was measured.

#include "slidemesh/algorithms/ipds_restarted.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "slidemesh/base/fail.h"

namespace slidemesh {

namespace {

constexpr double kFirstShareOfBound = 1.0 / 16.0;  ///< L to begin with
constexpr double kToleranceShare = 0.01;           ///< of what is left, for inexact inner solvers
constexpr double kRounding = 1e-13;                ///< an inner solver cannot do better, relative to the first measure
constexpr double kDiverged = 10.0;                 ///< times the measure at the very first point
constexpr Count kMostUndone = 6;                   ///< phases in a row

}  // namespace

IpdsRestarted::IpdsRestarted(const Problem& problem, Network& network, const IpdsRestartedOptions& options)
    : network_(network),
      options_(options),
      given_bound_(options.smoothness.value_or(problem.smoothness)),
      bound_(given_bound_),
      data_(problem, network.meters(), network.first_node(), 0),
      phase_(problem, network, {options.laplacian_lambda_max, options.R, bound_, options.inner}),
      contributions_(Matrix::Zero(kPhaseStatistics, network.local_nodes())),
      totals_(Vector::Zero(kPhaseStatistics)),
      L_(kFirstShareOfBound * bound_),
      rho_reference_(std::numeric_limits<double>::infinity()),
      rho_best_(std::numeric_limits<double>::infinity()) {
  rule_ = kExactRestartRule;
  if (options.epoch) {
    rule_ = {.fall = 0.0, .enough = 0.0, .rise = 1.0, .least_steps = *options.epoch, .most_steps = *options.epoch};
  }
  observed_ = Matrix::Zero(1, network.local_nodes());
  values_before_ = Vector::Zero(network.local_nodes());
  v_ = Stacked::Zero(problem.dimension(), network.local_nodes());
  v_before_.assign(v_);
  x_under_before_.assign(phase_.x_under());
  node_v_before_ = node_x_before_ = Vector::Zero(problem.dimension());
}

void IpdsRestarted::step() {
  ++steps_;
  phase_.extrapolate(L_);                // x̲ₖ
  data_.gradient(phase_.x_under(), v_);  // vₖ = ∇f̃(x̲ₖ): the only touch of the data
  observe_smoothness();
  if (steps_ == 1) {
    phase_.sliding().measure(v_);
    agree();
    rho_first_ = rho_reference_ = rho_best_ = rho_;
  }
  phase_.slide(L_, v_, tolerance());  // to x̂ₖ
  certificate_ = phase_.sliding().measured_certificate(v_, data_.values());
  agree();
  if (!std::isfinite(rho_) || (rho_ > kDiverged * rho_first_ && undone_in_a_row_ < kMostUndone)) {
    undo();
  } else if (restart_is_due(rule_, phase_.k(), rho_, rho_before_, rho_reference_)) {
    restart();
  }
}

/// Two gradients with their values tell a node how curved its function is between them. The most curved
/// node decides, before this step's slide.
void IpdsRestarted::observe_smoothness() {
  const Stacked& x = phase_.x_under();
  if (phase_.k() > 1) {
    for (Index i = 0; i < x.cols(); ++i) {
      x_under_before_.column(i).expand(node_x_before_);
      v_before_.column(i).expand(node_v_before_);
      observed_(0, i) = observed_smoothness(values_before_(i), node_x_before_, node_v_before_, data_.values()(i),
                                            x.col(i), v_.col(i));
    }
    const double largest = network_.agree_max(observed_)(0);
    largest_observed_ = std::max(largest_observed_, largest);
    bound_ = std::max(bound_, largest);  // what was given as a bound may be none
    L_ = largest > L_ ? std::min(bound_, kSmoothnessMargin * largest) : L_;
  }
  values_before_ = data_.values();
  v_before_.assign(v_);
  x_under_before_.assign(x);
}

double IpdsRestarted::tolerance() const {
  const auto nodes = static_cast<double>(network_.nodes());
  const double adaptive = kToleranceShare * rho_best_ / (nodes * static_cast<double>(phase_.k()));
  return options_.tolerance.value_or(std::max(adaptive, kRounding * rho_first_ / nodes));
}

void IpdsRestarted::agree() {
  phase_.contribute(contributions_);
  totals_ = network_.agree_sum(contributions_);
  rho_before_ = rho_;
  rho_ = optimality(totals_);
  rho_best_ = std::min(rho_best_, rho_);
}

void IpdsRestarted::restart() {
  phase_.restart(totals_, L_);
  L_ = largest_observed_ > 0.0
           ? std::clamp(kSmoothnessMargin * largest_observed_, kSmallestShareOfBound * bound_, bound_)
           : L_;
  largest_observed_ = 0.0;
  undone_in_a_row_ = 0;
  rho_reference_ = rho_;
}

/// The phase has diverged, so L was too small. Back to its start, with the bound, and with twice that
/// where the bound was in use already.
void IpdsRestarted::undo() {
  if (L_ >= bound_) {
    bound_ *= 2.0;
  }
  L_ = bound_;
  ++undone_in_a_row_;
  phase_.undo();
  rho_ = rho_reference_;
}

bool IpdsRestarted::start_with_dual(const Stacked& s) {
  phase_.start_with_dual(s);
  return true;
}

Count IpdsRestarted::next_data_oracle_calls() const {
  Count calls = 0;
  for (Index i = 0; i < v_.cols() && !finished(); ++i) {
    calls += data_.rows(i);
  }
  return calls;
}

/// Whoever changed a checkpoint must not make steps so long that an inner problem never ends.
void IpdsRestarted::visit_state(StateVisitor& visitor) {
  phase_.visit_state(visitor);
  visitor.visit("steps", steps_);
  visitor.visit("bound", bound_);
  visitor.visit("L", L_);
  if (visitor.is_reading() && !(bound_ >= given_bound_ && L_ >= kSmallestShareOfBound * bound_ && L_ <= bound_)) {
    fail<DataError>("checkpoint", "smoothness constants of this problem", "numbers that it cannot have");
  }
  visitor.visit("rho", rho_);
  visitor.visit("rho_first", rho_first_);
  visitor.visit("undone_in_a_row", undone_in_a_row_);
  visitor.visit("rho_reference", rho_reference_);
  visitor.visit("rho_best", rho_best_);
  visitor.visit("largest_observed", largest_observed_);
  visitor.visit("values_before", values_before_);
  visit_kept(visitor, "v_before", v_before_);
  visit_kept(visitor, "x_under_before", x_under_before_);
}

}  // namespace slidemesh
