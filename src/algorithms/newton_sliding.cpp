// Newton sliding, beyond the paper. With M_i the node's model (local_model.h):
//
//   repeat (stage)
//     touch:  while some rows are untouched, as many new ones as are touched already; then the oldest quarter
//             (newton_sliding_touch.cpp)
//     slide:  solve  min over x in X of Σᵢ Mᵢ(x)  over the network until ρ <= θ (ρ at the stage's begin) and the nodes
//             are apart by at most θ of how far they have moved in the stage; √θ while some rows are untouched
//
//   ρ = Σᵢ max over v in Xᵢ of <∇Mᵢ(xᵢ) + wᵢ, xᵢ − v>  +  |Ax|²/(2λ₂),   A = Lap^{1/2}, w = Az

#include "slidemesh/algorithms/newton_sliding.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "slidemesh/algorithms/model_metric.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/base/random.h"
#include "slidemesh/linalg/parallel.h"

namespace slidemesh {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Count kRoundsPerStep = 8;
constexpr Count kCheckEvery = 4;
constexpr double kToleranceShare = 0.05;        ///< of the stage's target, for the local steps of all nodes
constexpr double kLeastShareOfVariance = 0.01;  ///< of what a column's was when rows were new
constexpr double kSlideVectors = 30.0;  ///< dense vectors of a node: with few elements these take most of the room

using Slide = PrimalDualSlide;

/// The share of the first measure at which nothing is left to gain. Nodes whose numbers travel in float32 stay apart by
/// its rounding, which a residual shows.
double residual_rounding(Wire wire, double otherwise) { return wire == Wire::kFloat32 ? 1e-7 : otherwise; }

/// What nodes post where a stage begins: what a check has, and these; then what the metric is made from.
constexpr Index kChecked = 2 * Slide::kStatistics;
enum Begin : Index { kPredictedChange = kChecked, kPredictionError, kLossBefore, kNewRows, kUntouchedRows, kBegin };

void require_finite_measures(const Vector& sum) {
  if (!sum.allFinite()) {
    throw DataError(
        "expected finite measures of the nodes' models, got NaN or infinity (scale the columns, data.scaling)");
  }
}

/// Of a path with as many edges as lie between a tree's leaves at most.
double lambda_2_of_path(Index edges) {
  const double quarter = std::sin(0.5 * std::numbers::pi / static_cast<double>(edges + 1));
  return 4.0 * quarter * quarter;
}

}  // namespace

double newton_model_bytes(const LocalObjective& objective, bool allows_sparse) {
  if (objective.row_loss() == nullptr) {
    return kInfinity;
  }
  const ModelShape shape = shape_for(objective, allows_sparse);
  const double vectors = shape == ModelShape::kSparse ? kSlideVectors : 0.0;
  return model_bytes(objective, shape) + sizeof(double) * vectors * static_cast<double>(objective.dimension());
}

bool newton_models_are_exact(const Problem& problem, Network& network) {
  const bool here = std::all_of(problem.objectives.begin(), problem.objectives.end(), [](const auto& objective) {
    return objective->row_loss() != nullptr && objective->row_loss()->third_derivative_ratio() == 0.0;
  });
  if (!problem.losses_differ) {
    return here;
  }
  return network.agree_max(Matrix::Constant(1, network.local_nodes(), here ? 0.0 : 1.0))(0) == 0.0;
}

NewtonSliding::NewtonSliding(const Problem& problem, Network& network, const NewtonSlidingOptions& options)
    : problem_(problem),
      network_(network),
      options_(options),
      data_(problem, network.meters(), network.first_node(), options.seed),
      sums_(network),
      slide_(problem, network, options.laplacian_lambda_max,
             options.laplacian_lambda_2 > 0.0 ? options.laplacian_lambda_2 : lambda_2_of_path(sums_.delay())),
      next_(problem.objectives.size(), 0),
      predictions_(problem.objectives.size()),
      new_rows_(problem.objectives.size(), 0),
      is_half_touched_(problem.objectives.size(), 0),
      variances_(Vector::Zero(problem.dimension())),
      is_quadratic_(newton_models_are_exact(problem, network)),
      contributions_(Matrix::Zero(kChecked, network.local_nodes())),
      wanted_(first_stage_rows(problem.dimension(), network.nodes())) {
  for (Index i = 0; i < network.local_nodes(); ++i) {
    const auto& objective = *problem.objectives[static_cast<std::size_t>(i)];
    require<UsageError>(objective.row_loss() != nullptr, "newton-sliding", "objectives that are means over rows",
                        "another");
    models_.emplace_back(objective, problem.mu, options.curvature, shape_for(objective, options.allows_sparse_models));
    may_be_tilted_.push_back(steps_may_be_tilted(problem.set(i)) ? 1 : 0);
    auto& order = order_.emplace_back(static_cast<std::size_t>(objective.rows()));
    std::iota(order.begin(), order.end(), RowNumber{0});
    if (!options.natural_order) {
      RandomStream random(options.seed, Purpose::kRowShuffle, static_cast<std::uint32_t>(network.global(i)));
      shuffle(order, random);
    }
  }
  if (!is_quadratic_) {
    stage_began_at_ = last_good_ = slide_.place();
  }
}

void NewtonSliding::step() {
  ++steps_;
  certificate_.reset();
  if (stage_is_over_) {
    begin_stage();
  }
  for (Count r = 0; r < kRoundsPerStep && !stage_is_over_; ++r) {
    round();
  }
  dual_.s = slide_.s();
  dual_.w = slide_.w();
}

/// Where nodes are at an answer, models of a few rows would lead them away from it: all are touched there first, which
/// may certify it at once.
bool NewtonSliding::start_with_dual(const Stacked& s) {
  slide_.start_with_dual(s);
  has_answer_ = true;
  return true;
}

void NewtonSliding::begin_stage() {
  exact_next_ = exact_next_ || starts_from_answer();
  for_each_node(network_.local_nodes(), 1e6, [&](Index i) { touch(i); });
  is_exact_ = exact_next_ || (is_quadratic_ && !has_untouched_rows_);
  if (is_exact_) {
    certify();
  }
  exact_next_ = false;
  wanted_ = std::min(2 * wanted_, kMostRows);
  stage_is_over_ = false;
  ++epoch_;
  if (!is_quadratic_) {
    stage_began_at_ = slide_.place();
  }
  slide_.damp_around_here(damping_.amount);
  slide_.restart(false, slide_.omega());
  rho_before_ = kInfinity;
  post_begin();
  if (stages_ == 0) {
    sums_.flush();  // before anything is known there is nothing to go on with
    hear(sums_.take());
  }
}

/// The measures where a stage begins, what refreshed rows showed, and what the metric is made from.
void NewtonSliding::post_begin() {
  const Index metric = is_quadratic_ && !has_untouched_rows_ ? 0 : metric_size(models_.front());
  Matrix begin(kBegin + metric, network_.local_nodes());
  slide_.measure(models_, contributions_);
  begin.topRows(contributions_.rows()) = contributions_;
  for (Index i = 0; i < begin.cols(); ++i) {
    const auto n = static_cast<std::size_t>(i);
    const Prediction& p = predictions_[n];
    begin(kPredictedChange, i) = p.predicted - p.before;
    begin(kPredictionError, i) = p.found - p.predicted;
    begin(kLossBefore, i) = p.before;
    begin(kNewRows, i) = static_cast<double>(new_rows_[n]);
    begin(kUntouchedRows, i) = static_cast<double>(rows(i) - models_[n].touched());
    if (metric > 0) {
      write_metric(models_[n], may_be_tilted_[n] != 0, begin.col(i).tail(metric));
    }
  }
  sums_.post(begin);
  posted_.push_back(epoch_);
}

void NewtonSliding::round() {
  slide_.round(models_, kToleranceShare * local_target_ / static_cast<double>(network_.nodes()));
  if (check_is_due()) {
    slide_.measure(models_, contributions_);
    sums_.post(contributions_);
    posted_.push_back(epoch_);
  }
  while (sums_.ready() && !stage_is_over_) {
    hear(sums_.take());
  }
}

void NewtonSliding::hear(const Vector& sum) {
  require_finite_measures(sum);
  const bool is_current = posted_.front() == epoch_;
  posted_.erase(posted_.begin());
  if (sum.size() > kChecked) {
    hear_begin(sum);
  } else if (is_current) {
    decide(sum);
  }
}

void NewtonSliding::hear_begin(const Vector& sum) {
  const double rho = slide_.optimality(sum, 0);
  // At an answer the first measure is no scale for rounding: what the models change from 0 to there is.
  rho_first_ = std::max({rho_first_, rho, has_answer_ && stages_ == 0 ? std::abs(sum(Slide::kValue)) : 0.0});
  has_untouched_rows_ = sum(kUntouchedRows) > 0.0;
  rho_target_ =
      std::max({stage_share(theta(), has_untouched_rows_) * rho, asks_for_rounding() ? 0.0 : kRounding * rho_first_,
                has_untouched_rows_ ? 0.0 : ExactPasses::kLeastShare * requested_gap_});
  local_target_ = rho_target_;
  rho_at_restart_ = rho;
  value_at_begin_ = sum(Slide::kValue);
  // Where the models' minimum is a vertex, nothing may be left to gain from the first few rows. A run ends there only
  // when all have been touched, and goes on to the exact pass that a certificate takes where one is asked for.
  const double nothing = std::max(residual_rounding(network_.wire(), kRounding) * rho_first_, slide_.rounding(sum, 0));
  const bool is_confirmed = std::abs(sum(kPredictionError)) <= nothing;  // by the rows that were touched again
  const bool is_optimal = Slide::residual(sum, 0) <= nothing && is_confirmed;
  const bool awaits_certificate = requested_gap_ > kRounding * rho_first_;
  const bool may_go_on =
      is_exact_ ? requested_gap_ > 0.0 && exact_passes_.may_show_more(rho, requested_gap_, asks_for_rounding())
                : awaits_certificate;
  const bool was_in_vain = is_exact_ && !has_untouched_rows_ && requested_gap_ > 0.0 &&
                           exact_passes_.was_in_vain(rho, Slide::residual(sum, 0), requested_gap_);
  is_solved_ = was_in_vain || (is_optimal && !has_untouched_rows_ && !may_go_on);
  if (is_solved_ && !was_in_vain && requested_gap_ > 0.0 && !is_quadratic_ && exact_passes_.may_tell_more(stages_)) {
    is_solved_ = false;  // what rounding leaves may be enough for a certificate: a last pass tells
    take_exact_pass(rho);
  }
  const double damping_before = damping_.amount;
  if (options_.damps && sum(kPredictedChange) != 0.0 && !has_gone_back_) {
    damping_ = next_damping(damping_, std::abs(sum(kPredictedChange)), sum(kPredictionError), refresh_cycle(refresh()),
                            times_astray_ > 0);
    slide_.damp(damping_.amount);
  }
  const double loss_found = sum(kLossBefore) + sum(kPredictedChange) + sum(kPredictionError);
  const RowsAgain again{.loss_before = sum(kLossBefore),
                        .loss_found = loss_found,
                        .largest_loss = largest_loss_,
                        .is_cautious = times_astray_ > 0,
                        .damping_before = damping_before,
                        .damping = damping_.amount};
  const bool astray = !has_gone_back_ && sum(kNewRows) == 0.0 && has_gone_astray(again);
  if (options_.damps && astray) {
    go_back();
    return;
  }
  if (!has_gone_back_) {
    largest_loss_ = std::max(largest_loss_, sum(kLossBefore));
  }
  has_gone_back_ = false;
  if (!is_quadratic_) {
    last_good_ = stage_began_at_;
  }
  if (sum.size() > kBegin) {
    hear_metric(sum.tail(sum.size() - kBegin), sum(kNewRows) > 0.0);
  }
}

void NewtonSliding::take_exact_pass(double rho) {
  stage_is_over_ = exact_next_ = true;
  exact_passes_.make(rho, stages_);
}

void NewtonSliding::go_back() {
  ++times_astray_;
  slide_.go_back(last_good_);
  has_gone_back_ = exact_next_ = stage_is_over_ = true;
  is_solved_ = false;
}

/// Where the rows of a column have all become flat, its multipliers still have as far to go as before: steps that went
/// by nothing but its curvature would take for ever.
void NewtonSliding::hear_metric(const Vector& sum, bool has_new_rows) {
  Metric metric = read_metric(sum, problem_.dimension(), static_cast<double>(network_.nodes()));
  if (has_new_rows) {
    variances_ = metric.diagonal();
  }
  metric.keep_above(kLeastShareOfVariance * variances_);
  slide_.set_metric(metric);
}

bool NewtonSliding::check_is_due() const {
  const Count k = slide_.rounds_since_restart();
  return k < 2 * kCheckEvery || k % kCheckEvery == 0;
}

void NewtonSliding::decide(const Vector& sum) {
  const bool from_average = slide_.optimality(sum, Slide::kStatistics) < slide_.optimality(sum, 0);
  const Index chosen = from_average ? Index{Slide::kStatistics} : 0;
  const double rho = slide_.optimality(sum, chosen);
  const double change = std::abs(sum(chosen + Slide::kValue) - value_at_begin_);
  // With a certificate in sight, rounds are spent on the model that it will be taken from.
  const bool in_sight = requested_gap_ > 0.0 && !has_untouched_rows_ && change <= requested_gap_;
  const double target = in_sight ? std::min(rho_target_, kRequestShare * requested_gap_) : rho_target_;
  // Local steps that stop at their share of a larger target never come to this one.
  if (target < 2.0 * kToleranceShare * rho_target_) {
    local_target_ = target;
  }
  const bool agreed = slide_.disagreement(sum, chosen) <= stage_share(theta(), has_untouched_rows_);
  const Count rounds = slide_.rounds_since_restart();
  const bool is_due = slide_restart_is_due(restart_rule_, rounds, rho, rho_before_, rho_at_restart_);
  const double residual = Slide::residual(sum, chosen);
  const bool is_rounding = residual <= residual_rounding(network_.wire(), kRounding) * rho_first_;
  const bool has_stalled = is_due && rho > restart_rule_.fall * rho_at_restart_;
  const bool solved = (rho <= target && agreed) || (is_rounding && (has_stalled || !asks_for_rounding())) ||
                      residual <= slide_.rounding(sum, chosen);
  const double size = sum(chosen + Slide::kSize);
  const double moved = slide_.omega() * static_cast<double>(rounds);  // σ k sqrt(λmax)
  const double dual = above_rounding(sum(chosen + Slide::kDualMove), moved * moved * size);
  const double primal = sum(chosen + Slide::kPrimalMove);
  const bool is_too_small = omega_is_too_small(restart_rule_, rounds, sums_.delay(), slide_.omega(), dual, primal);
  const bool is_held = is_too_small && sum(chosen + Slide::kWolfe) <= kRounding * rho;  // each node at its minimum
  const bool held_back = primal_is_held_back(restart_rule_, rounds, sums_.delay(), rho / rho_at_restart_, dual, primal);
  const bool was_long = held_back || rounds >= restart_rule_.most_rounds;
  const double omega = balanced_omega(slide_.omega(), dual, primal, size, was_long, is_held);
  if (solved || is_due || is_too_small || (held_back && omega < slide_.omega())) {
    slide_.restart(from_average, omega);
    rho_at_restart_ = rho;
    rho_before_ = kInfinity;
    ++epoch_;
  } else {
    rho_before_ = rho;
  }
  if (solved) {
    stage_is_over_ = true;
    ++stages_;
    const bool is_worth_while =
        exact_passes_.is_worth_while({std::min(rho, residual), change, requested_gap_}, stages_);
    if (is_worth_while && !has_untouched_rows_ && !is_quadratic_) {
      take_exact_pass(rho);
    }
  }
}

}  // namespace slidemesh
