// I-PDS restarted, beyond the paper: the theorem's step sizes are worst-case, and a restart from the
// last x̂ₖ with the dual variable kept makes a method for curved problems of one for the worst.
//
//   ρₖ      rho_          Σᵢ max over u in X of <gᵢ + wᵢ, x̲ᵢ − u>  +  |Σᵢ <wᵢ, x̲ᵢ>|, gᵢ = ∇fᵢ(x̲ᵢ)
//   L       L_            smoothness in use, at most `bound_`
//   r       r_            R |A| / L, so that Tₖ = ⌈r k⌉
//
// Every decision is a function of numbers that all nodes have: two agreements a step, on the largest
// observed smoothness before the slide and on sums after it.
// docs/methods.md has the rules, docs/decisions/ what was measured.

#include "slidemesh/algorithms/ipds_restarted.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "slidemesh/linalg/kernels.h"

namespace slidemesh {

namespace {

constexpr double kFirstShareOfBound = 1.0 / 16.0;  ///< L to begin with
constexpr double kMargin = 1.1;                    ///< on an observed L
constexpr double kToleranceShare = 0.01;           ///< of what is left, for inexact inner solvers
constexpr double kRounding = 1e-13;                ///< an inner solver cannot do better, relative to the first measure
constexpr double kDiverged = 10.0;                 ///< times the measure at the very first point
constexpr Count kMostUndone = 6;                   ///< phases in a row
constexpr double kFall = 0.15;                     ///< of ρ since the last restart: enough by itself,
constexpr double kEnough = 0.5;                    ///< or enough once ρ rises again

}  // namespace

IpdsRestarted::IpdsRestarted(const Problem& problem, Network& network, const IpdsRestartedOptions& options)
    : problem_(problem),
      network_(network),
      options_(options),
      operator_norm_(operator_norm(Gossip::kSqrtLaplacian, options.laplacian_lambda_max)),
      data_(problem, network.meters(), network.first_node(), 0),
      sliding_(problem, network, Gossip::kSqrtLaplacian, options.inner),
      told_(Matrix::Zero(kAgreed, network.local_nodes())),
      bound_(options.smoothness.value_or(problem.smoothness)),
      L_(kFirstShareOfBound * bound_),
      rho_reference_(std::numeric_limits<double>::infinity()),
      rho_best_(std::numeric_limits<double>::infinity()) {
  rule_.fall = kFall;
  rule_.enough = kEnough;
  if (options.epoch) {
    rule_ = {.fall = 0.0, .enough = 0.0, .rise = 1.0, .least_steps = *options.epoch, .most_steps = *options.epoch};
  }
  if (options.R) {
    r_ = *options.R * operator_norm_ / bound_;
  }
  dual_move_ = dual_pull_ = Vector::Zero(problem.dimension());
  observed_ = Matrix::Zero(1, network.local_nodes());
  values_before_ = Vector::Zero(network.local_nodes());
  v_ = v_before_ = Stacked::Zero(problem.dimension(), network.local_nodes());
  x_start_ = x_under_before_ = sliding_.x_hat();
  z_start_ = sliding_.z();
  w_start_ = sliding_.w();
}

void IpdsRestarted::step() {
  ++steps_;
  ++k_;
  sliding_.extrapolate(step_after_restart(k_, L_, r_, operator_norm_, problem_.mu));  // x̲ₖ
  data_.gradient(sliding_.x_under(), v_);  // vₖ = ∇f̃(x̲ₖ): the only touch of the data
  observe_smoothness();
  if (steps_ == 1) {
    sliding_.measure(v_);
    agree();
    rho_first_ = rho_reference_ = rho_best_ = rho_;
  }
  sliding_.slide(step_after_restart(k_, L_, r_, operator_norm_, problem_.mu), v_, {tolerance()});  // to x̂ₖ
  sliding_.measure(v_);
  certificate_ = sliding_.measured_certificate(v_, data_.values());
  agree();
  if (!std::isfinite(rho_) || (rho_ > kDiverged * rho_first_ && undone_in_a_row_ < kMostUndone)) {
    undo();
  } else if (slidemesh::restart_is_due(rule_, k_, rho_, rho_before_, rho_reference_)) {
    restart();
  }
}

/// Two gradients with their values tell a node how curved its function is between them. The most curved
/// node decides, before this step's slide.
void IpdsRestarted::observe_smoothness() {
  const Stacked& x = sliding_.x_under();
  if (k_ > 1) {
    for (Index i = 0; i < x.cols(); ++i) {
      observed_(0, i) = observed_smoothness(values_before_(i), x_under_before_.col(i), v_before_.col(i),
                                            data_.values()(i), x.col(i), v_.col(i));
    }
    const double largest = network_.agree_max(observed_)(0);
    largest_observed_ = std::max(largest_observed_, largest);
    bound_ = std::max(bound_, largest);  // what was given as a bound may be none
    L_ = largest > L_ ? std::min(bound_, kMargin * largest) : L_;
  }
  values_before_ = data_.values();
  v_before_ = v_;
  x_under_before_ = x;
}

double IpdsRestarted::tolerance() const {
  const auto nodes = static_cast<double>(network_.nodes());
  const double adaptive = kToleranceShare * rho_best_ / (nodes * static_cast<double>(k_));
  return options_.tolerance.value_or(std::max(adaptive, kRounding * rho_first_ / nodes));
}

void IpdsRestarted::agree() {
  for (Index i = 0; i < told_.cols(); ++i) {
    told_(kWolfe, i) = sliding_.wolfe_gap()(i);
    told_(kCoupling, i) = sliding_.coupling()(i);
    dual_move_ = sliding_.z().col(i) - z_start_.col(i);
    dual_pull_ = sliding_.w().col(i) - w_start_.col(i);
    told_(kDualMove, i) = dot(dual_move_, dual_pull_);
    told_(kPrimalMove, i) = squared_distance(sliding_.x_hat().col(i), x_start_.col(i));
  }
  const Vector sum = network_.agree_sum(told_);
  rho_before_ = rho_;
  rho_ = sum(kWolfe) + std::abs(sum(kCoupling));
  rho_best_ = std::min(rho_best_, rho_);
  squared_dual_move_ = sum(kDualMove);
  squared_primal_move_ = sum(kPrimalMove);
}

void IpdsRestarted::restart() {
  if (!options_.R) {
    r_ = balanced_r(r_, squared_dual_move_, squared_primal_move_, operator_norm_, L_);
  }
  L_ = largest_observed_ > 0.0 ? std::min(bound_, kMargin * largest_observed_) : L_;
  largest_observed_ = 0.0;
  undone_in_a_row_ = 0;
  x_start_ = sliding_.x_hat();
  z_start_ = sliding_.z();
  w_start_ = sliding_.w();
  sliding_.restart_from(x_start_);
  rho_reference_ = rho_;
  ++restarts_;
  k_ = 0;
}

/// The phase has diverged, so L was too small. Back to its start, with the bound, and with twice that
/// where the bound was in use already.
void IpdsRestarted::undo() {
  if (L_ >= bound_) {
    bound_ *= 2.0;
  }
  L_ = bound_;
  ++undone_in_a_row_;
  const Stacked x = x_start_;
  sliding_.restart_from(x, z_start_, w_start_);
  rho_ = rho_reference_;
  k_ = 0;
}

Count IpdsRestarted::next_data_oracle_calls() const {
  Count calls = 0;
  for (Index i = 0; i < v_.cols() && !finished(); ++i) {
    calls += data_.rows(i);
  }
  return calls;
}

void IpdsRestarted::visit_state(StateVisitor& visitor) {
  sliding_.visit_state(visitor);
  visitor.visit("steps", steps_);
  visitor.visit("restarts", restarts_);
  visitor.visit("k", k_);
  visitor.visit("bound", bound_);
  visitor.visit("L", L_);
  visitor.visit("r", r_);
  visitor.visit("rho", rho_);
  visitor.visit("rho_first", rho_first_);
  visitor.visit("undone_in_a_row", undone_in_a_row_);
  visitor.visit("rho_reference", rho_reference_);
  visitor.visit("rho_best", rho_best_);
  visitor.visit("largest_observed", largest_observed_);
  visitor.visit("values_before", values_before_);
  visitor.visit("v_before", v_before_);
  visitor.visit("x_under_before", x_under_before_);
  visitor.visit("x_start", x_start_);
  visitor.visit("z_start", z_start_);
  visitor.visit("w_start", w_start_);
}

}  // namespace slidemesh
