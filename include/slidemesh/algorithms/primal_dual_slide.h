#pragma once

#include <memory>
#include <vector>

#include "slidemesh/algorithms/local_model.h"
#include "slidemesh/algorithms/local_step.h"
#include "slidemesh/algorithms/metric.h"
#include "slidemesh/core/method.h"
#include "slidemesh/core/problem.h"
#include "slidemesh/core/state.h"
#include "slidemesh/network/network.h"

namespace slidemesh {

/// One round each of the primal-dual hybrid gradient method on  min over x in X of sum_i M_i(x), x_1 = ... = x_m,
/// with exact local steps and a metric C:
///
///     s += σ x̂;  w += σ Lap x̂                                                          σ = ω C / sqrt(λmax)
///     x⁺_i = argmin over X_i of M_i(x) + <w_i, x> + (x - x_i)'τ^{-1}(x - x_i)/2          τ^{-1} = ω sqrt(λmax) C
///     x̂ = 2x⁺ - x
///
/// No data is touched. Averages since the last restart are kept; when to restart, and from where, is the caller's.
class PrimalDualSlide {
 public:
  /// The ends of the spectrum of the graph's Laplacian.
  PrimalDualSlide(const Problem& problem, Network& network, double lambda_max, double lambda_2);

  /// The sums over nodes of what `measure` leaves are what decisions are made from.
  enum Statistic {
    kWolfe,       ///< max over v in X_i of <∇M_i(x_i) + w_i, x_i - v>
    kDual,        ///< <s_i, w_i> in the metric: |z|^2, with z the multipliers of A x = 0, A = Lap^{1/2}
    kApart,       ///< <x_i, (Lap x)_i> likewise, |A x|^2: how far the nodes are from agreeing
    kPrimalMove,  ///< |x_i - x_i at the last restart|^2 in the metric
    kDualMove,    ///< <s_i - s_i there, w_i - w_i there> likewise
    kSize,        ///< |x_i|^2 likewise
    kStageMove,   ///< |x_i - x_i where the stage began|^2 likewise
    kValue,       ///< M_i(x_i), but for a constant
    kStatistics
  };

  /// ρ, from sums over nodes that begin at `first`: the Wolfe gaps and |A x|^2/(2 λ₂) >= |x - x̄|^2/2 in the metric.
  /// Convexity has M(x) + <z, A x> - M* <= the Wolfe gaps, and M(x̄) = M(x) + <∇M(x), x̄ - x> + |x - x̄|^2/2 with
  /// ∇M(x) = -A z but for what sets hold back: <z, A x> cancels, and what disagreement costs at x̄ is of second order.
  [[nodiscard]] double optimality(const Vector& sums, Index first) const;

  /// The Wolfe gaps and |z||A x|, which vanish together only where x, z is a solution.
  [[nodiscard]] static double residual(const Vector& sums, Index first);

  /// What rounding may leave of it in local steps: of the terms of x'(C + τ^{-1})x, C standing for the models'
  /// curvature.
  [[nodiscard]] double rounding(const Vector& sums, Index first) const;

  /// How far the nodes are from agreeing, |A x| / |A|, as a share of how far they have moved in this stage.
  [[nodiscard]] double disagreement(const Vector& sums, Index first) const;

  /// From now on with this metric; or after the models have changed.
  void set_metric(const Metric& metric);
  /// Adds `damping` (x - x_i)'C(x - x_i)/2 to every M_i, from where the nodes are now. 0: nothing.
  void damp_around_here(double damping);
  /// Changes how much, and not from where.
  void damp(double damping);

  /// Where the nodes are, so that they can come back to it.
  struct Place {
    Stacked x, s, w;
    Vector apart;
    double omega = 0.0;

    void visit_state(StateVisitor& visitor, const std::string& name);
  };
  [[nodiscard]] Place place() const { return {x_, s_, w_, apart_, omega_}; }
  void go_back(const Place& place);

  /// Begins with these s, and w = Lap s: one round.
  void start_with_dual(const Stacked& s);

  /// One exchange and one local step at every node.
  void round(std::vector<LocalModel>& models, double tolerance);
  /// Statistics of the last iterate in the first kStatistics rows of `out`, of the average in the next; one column
  /// per local node.
  void measure(const std::vector<LocalModel>& models, Matrix& out);
  /// Goes on from the last iterate or from the average, with another ω.
  void restart(bool from_average, double omega);

  [[nodiscard]] const Stacked& x() const { return x_; }
  [[nodiscard]] const Stacked& w() const { return w_; }
  [[nodiscard]] const Stacked& s() const { return s_; }
  [[nodiscard]] double omega() const { return omega_; }
  [[nodiscard]] const Metric& metric() const { return metric_; }
  [[nodiscard]] Count rounds_since_restart() const { return k_; }
  [[nodiscard]] const InnerWork& inner_work() const { return inner_work_; }

  void visit_state(StateVisitor& visitor);

 private:
  void set_quadratics();
  void measure_one(const LocalModel& model, Index i, const Stacked& x, const Stacked& product, const Stacked& s,
                   const Stacked& w, Matrix& out, Index first);
  /// <s - s at the last restart, w - w there> in the metric.
  [[nodiscard]] double dual_move(Index i, const Stacked& s, const Stacked& w) const;
  /// From what `dual_move` is of the last iterate.
  [[nodiscard]] double apart_of_average(double dual_move) const;

  Network& network_;
  double norm_;  ///< sqrt(λmax)
  double lambda_2_;
  double omega_;
  double damping_ = 0.0;
  Count k_ = 0;
  Metric metric_;
  Vector apart_;  ///< per node <x̂_i, (Lap x̂)_i> in the metric, of the last exchange
  Stacked x_, s_, w_, ahead_;
  Stacked product_;  ///< H_i x_i of the model that the last round was made with
  Stacked x_sum_, s_sum_, w_sum_, product_sum_;
  Stacked x_start_, s_start_, w_start_;  ///< at the last restart
  Stacked centre_;                       ///< of the damping
  Stacked exchanged_;
  Stacked linear_, scratch_, damped_, vertex_, x_mean_, s_mean_, w_mean_, product_mean_;
  std::vector<std::unique_ptr<LocalStep>> steps_;
  std::vector<std::unique_ptr<FeasibleSet>> measure_sets_;
  InnerWork inner_work_;
};

}  // namespace slidemesh
