// The primal-dual hybrid gradient method (A. Chambolle, T. Pock 2011) with diagonal steps (T. Pock, A. Chambolle 2011),
// restarts and a primal weight (D. Applegate et al., "Practical large-scale linear programming using primal-dual hybrid
// gradient", 2021), for A = Lap^{1/2}, of which only w = A's' = Lap s is needed.
//
//   x, x̂     x_, ahead_   per node; the extrapolation that is exchanged
//   s, w     s_, w_       w = Lap s: what nodes pay each other for disagreeing; sums to zero over the nodes
//   ω        omega_       weight of the primal move against the dual one
//   C        metric_      a diagonal and a vector's square

#include "slidemesh/algorithms/primal_dual_slide.h"

#include <algorithm>
#include <cmath>

#include "slidemesh/algorithms/stages.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/core/metered_set.h"
#include "slidemesh/linalg/kernels.h"
#include "slidemesh/linalg/parallel.h"

namespace slidemesh {

namespace {

constexpr Count kWorthAveraging = 4;  ///< rounds: an average of fewer is behind the last iterate

}  // namespace

PrimalDualSlide::PrimalDualSlide(const Problem& problem, Network& network, double lambda_max, double lambda_2)
    : network_(network),
      norm_(std::sqrt(lambda_max)),
      lambda_2_(lambda_2),
      omega_(first_omega(lambda_2)),
      metric_(problem.dimension()) {
  const Index d = problem.dimension();
  const Index m = network.local_nodes();
  apart_ = Vector::Zero(m);
  x_ = problem.starts();
  for (Stacked* zero : {&s_, &w_, &x_sum_, &s_sum_, &w_sum_, &product_, &product_sum_, &exchanged_, &linear_, &scratch_,
                        &damped_, &vertex_}) {
    zero->setZero(d, m);
  }
  ahead_ = centre_ = x_mean_ = product_mean_ = x_start_ = x_;
  s_mean_ = s_start_ = w_mean_ = w_start_ = s_;
  for (Index i = 0; i < m; ++i) {
    const MeteredSet counted(problem.set(i), network.meters(), i);
    const Loss* loss = problem.objectives[static_cast<std::size_t>(i)]->row_loss();
    steps_.push_back(make_round_step(counted, loss != nullptr && loss->has_single_features()));
    measure_sets_.push_back(counted.clone());
  }
  inner_work_ = {Vector::Zero(m), Vector::Zero(m)};
}

void PrimalDualSlide::set_metric(const Metric& metric) {
  metric_ = metric;
  set_quadratics();
}

void PrimalDualSlide::damp_around_here(double damping) {
  centre_ = x_;
  damping_ = damping;
  set_quadratics();
}

void PrimalDualSlide::damp(double damping) {
  if (damping != damping_) {
    damping_ = damping;
    set_quadratics();
  }
}

void PrimalDualSlide::set_quadratics() {
  const Vector weights = (norm_ * omega_ + damping_) * metric_.diagonal();  // of 1/τ, and the damping's
  for (const auto& step : steps_) {
    step->set_quadratic(weights);
  }
}

void PrimalDualSlide::go_back(const Place& place) {
  x_ = place.x;
  s_ = place.s;
  w_ = place.w;
  apart_ = place.apart;
  restart(false, place.omega);
}

void PrimalDualSlide::Place::visit_state(StateVisitor& visitor, const std::string& name) {
  visitor.visit(name + "_x", x);
  visitor.visit(name + "_s", s);
  visitor.visit(name + "_w", w);
  visitor.visit(name + "_omega", omega);
  for (Index i = 0; i < apart.size(); ++i) {
    visitor.node(i);
    visitor.visit(name + "_apart", apart(i));
  }
  visitor.all_nodes();
  if (visitor.is_reading() && !(omega > 0.0)) {
    fail<DataError>("checkpoint", "the weight of a slide", "a number that none can have");
  }
}

void PrimalDualSlide::start_with_dual(const Stacked& s) {
  s_ = s_start_ = s;
  network_.laplacian(s_, w_);
  w_start_ = w_;
}

void PrimalDualSlide::round(std::vector<LocalModel>& models, double tolerance) {
  network_.laplacian(ahead_, exchanged_);
  const double sigma = omega_ / norm_;
  const double pull = norm_ * omega_;
  ++k_;
  inner_work_.wolfe_gap.setZero();
  for_each_node(x_.cols(), 4.0 * static_cast<double>(x_.rows() * x_.rows()), [&](Index i) {
    const auto n = static_cast<std::size_t>(i);
    auto scaled = scratch_.col(i);
    metric_.multiply(ahead_.col(i), scaled);
    apart_(i) = dot(scaled, exchanged_.col(i));
    s_.col(i) += sigma * scaled;  // s += σ x̂
    metric_.multiply(exchanged_.col(i), scaled);
    w_.col(i) += sigma * scaled;  // w += σ Lap x̂
    metric_.multiply(x_.col(i), scaled);
    linear_.col(i) = models[n].linear() + w_.col(i) - pull * scaled;
    if (damping_ > 0.0) {
      metric_.multiply(centre_.col(i), scaled);
      linear_.col(i) -= damping_ * scaled;
    }
    ahead_.col(i) = -x_.col(i);
    const TiltedQuadratic model(models[n], metric_, pull + damping_, product_.col(i).data());
    const InnerResult result = steps_[n]->solve(model, linear_.col(i), tolerance, x_.col(i));  // x⁺
    require_finite(result, x_.col(i), network_.global(i));
    if (!steps_[n]->multiplies_answer_last()) {
      models[n].multiply(x_.col(i), product_.col(i));
    }
    ahead_.col(i) += 2.0 * x_.col(i);  // x̂ = 2x⁺ - x
    x_sum_.col(i) += x_.col(i);
    product_sum_.col(i) += product_.col(i);
    s_sum_.col(i) += s_.col(i);
    w_sum_.col(i) += w_.col(i);
    inner_work_.wolfe_gap(i) = result.wolfe_gap;
    inner_work_.active_set_size(i) = static_cast<double>(result.active_set_size);
  });
}

/// Of x with its product with the model's H.
void PrimalDualSlide::measure_one(const LocalModel& model, Index i, const Stacked& x, const Stacked& product,
                                  const Stacked& s, const Stacked& w, Matrix& out, Index first) {
  auto g = scratch_.col(i);
  g = product.col(i) + model.linear();
  out(first + kValue, i) = 0.5 * (dot(g, x.col(i)) + dot(model.linear(), x.col(i)));
  g += w.col(i);
  if (damping_ > 0.0) {
    auto moved = vertex_.col(i);
    auto scaled = damped_.col(i);
    moved = x.col(i) - centre_.col(i);
    metric_.multiply(moved, scaled);
    g += damping_ * scaled;
  }
  measure_sets_[static_cast<std::size_t>(i)]->linear_minimizer(g, vertex_.col(i));
  require_finite_point(vertex_.col(i), network_.global(i));
  out(first + kWolfe, i) = dot(g, x.col(i)) - dot(g, vertex_.col(i));
  const double* here = x.col(i).data();
  out(first + kDual, i) = metric_.inverse_product(s.col(i).data(), w.col(i).data());
  out(first + kStageMove, i) = metric_.squared_distance(here, centre_.col(i).data());
  out(first + kApart, i) = first == 0 ? apart_(i) : apart_of_average(out(kDualMove, i));
  out(first + kPrimalMove, i) = metric_.squared_distance(here, x_start_.col(i).data());
  out(first + kDualMove, i) = dual_move(i, s, w);
  out(first + kSize, i) = metric_.squared(here);
}

double PrimalDualSlide::dual_move(Index i, const Stacked& s, const Stacked& w) const {
  return metric_.inverse_product(s.col(i).data(), s_start_.col(i).data(), w.col(i).data(), w_start_.col(i).data());
}

/// Δw = σ Lap Σx̂ since the last restart, so that <Δs, Δw>/(σ k)² is that of the mean of the x̂.
double PrimalDualSlide::apart_of_average(double dual_move) const {
  const double sigma_k = omega_ / norm_ * static_cast<double>(k_);
  return dual_move / (sigma_k * sigma_k);
}

double PrimalDualSlide::optimality(const Vector& sums, Index first) const {
  return sums(first + kWolfe) + 0.5 * std::max(0.0, sums(first + kApart)) / lambda_2_;
}

double PrimalDualSlide::residual(const Vector& sums, Index first) {
  return sums(first + kWolfe) + std::sqrt(std::max(0.0, sums(first + kDual)) * std::max(0.0, sums(first + kApart)));
}

double PrimalDualSlide::rounding(const Vector& sums, Index first) const {
  constexpr double kRounding = 1e-15;
  return kRounding * (1.0 + norm_ * omega_) * sums(first + kSize);
}

double PrimalDualSlide::disagreement(const Vector& sums, Index first) const {
  const double apart = above_rounding(sums(first + kApart), norm_ * norm_ * sums(first + kSize));
  const double moved = sums(first + kStageMove);
  return apart > 0.0 ? std::sqrt(apart / moved) / norm_ : 0.0;
}

void PrimalDualSlide::measure(const std::vector<LocalModel>& models, Matrix& out) {
  const double share = 1.0 / static_cast<double>(std::max<Count>(k_, 1));
  for_each_node(x_.cols(), 4.0 * static_cast<double>(x_.rows() * x_.rows()), [&](Index i) {
    const LocalModel& model = models[static_cast<std::size_t>(i)];
    if (k_ == 0) {  // the models may be others than at the last round
      model.multiply(x_.col(i), product_.col(i));
    }
    measure_one(model, i, x_, product_, s_, w_, out, 0);
    if (k_ < kWorthAveraging) {
      out.col(i).segment(kStatistics, kStatistics) = out.col(i).head(kStatistics);
      return;
    }
    x_mean_.col(i) = share * x_sum_.col(i);
    s_mean_.col(i) = share * s_sum_.col(i);
    w_mean_.col(i) = share * w_sum_.col(i);
    product_mean_.col(i) = share * product_sum_.col(i);
    measure_one(model, i, x_mean_, product_mean_, s_mean_, w_mean_, out, kStatistics);
  });
}

void PrimalDualSlide::restart(bool from_average, double omega) {
  if (from_average && k_ > 1) {
    for (Index i = 0; i < apart_.size(); ++i) {
      apart_(i) = apart_of_average(dual_move(i, s_, w_));
    }
    const double share = 1.0 / static_cast<double>(k_);
    x_ = share * x_sum_;
    s_ = share * s_sum_;
    w_ = share * w_sum_;
  }
  if (omega != omega_) {
    omega_ = omega;
    set_quadratics();
  }
  k_ = 0;
  for (Stacked* sum : {&x_sum_, &s_sum_, &w_sum_, &product_sum_}) {
    sum->setZero();
  }
  ahead_ = x_start_ = x_;
  s_start_ = s_;
  w_start_ = w_;
}

void PrimalDualSlide::visit_state(StateVisitor& visitor) {
  visitor.visit("omega", omega_);
  visitor.visit("damping", damping_);
  visitor.visit("rounds_since_restart", k_);
  metric_.visit_state(visitor);
  if (visitor.is_reading() && (!(omega_ > 0.0) || !(damping_ >= 0.0) || k_ < 0)) {
    fail<DataError>("checkpoint", "the weights of a slide", "numbers that none can have");
  }
  visitor.visit("x", x_);
  visitor.visit("s", s_);
  visitor.visit("w", w_);
  visitor.visit("x_ahead", ahead_);
  visitor.visit("x_sum", x_sum_);
  visitor.visit("s_sum", s_sum_);
  visitor.visit("w_sum", w_sum_);
  visitor.visit("product_sum", product_sum_);
  visitor.visit("x_start", x_start_);
  visitor.visit("s_start", s_start_);
  visitor.visit("w_start", w_start_);
  visitor.visit("damping_centre", centre_);
  visitor.each_node(steps_.size(), [&](std::size_t i) {
    visitor.visit("apart", apart_(static_cast<Index>(i)));
    steps_[i]->visit_state(visitor);
    measure_sets_[i]->visit_state(visitor);
  });
}

}  // namespace slidemesh
