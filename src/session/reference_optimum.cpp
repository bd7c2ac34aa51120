// FISTA (A. Beck and M. Teboulle 2009) with the gradient restart of B. O'Donoghue and E. Candès (2015)
// on F/m and, where that is slow, Newton's method over X. A lower bound on F* comes with every gradient, by Frank and
// Wolfe's linearization: F* ≥ F(y) + min over v in X of <∇F(y), v − y>, so the accuracy reached is known, not guessed.

#include "slidemesh/session/reference_optimum.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "slidemesh/algorithms/inner/inner_solver.h"
#include "slidemesh/algorithms/projected_newton.h"
#include "slidemesh/base/errors.h"
#include "slidemesh/control/control.h"
#include "slidemesh/linalg/kernels.h"
#include "slidemesh/linalg/parallel.h"
#include "slidemesh/session/measures.h"

namespace slidemesh {

namespace {

constexpr int kCheckEvery = 10;
constexpr int kPatience = 2000;  ///< iterations without any gain in certainty: rounding has been reached
constexpr double kInexactProjection = 1e-14;
constexpr Index kNewtonAfter = 500;   ///< iterations, or d: one step costs about as much as d gradients do
constexpr Index kMostColumns = 2000;  ///< of a curvature matrix that is kept and factored
constexpr int kNewtonSteps = 100;
constexpr int kNewtonPatience = 20;  ///< steps, halvings among them, that leave the bracket about as wide as it was
constexpr double kNarrower = 0.9;    ///< the share of its width that is less than about as wide

class CentralGradient {
 public:
  CentralGradient(const Problem& problem, Network& network)
      : problem_(problem),
        control_(network),
        gradients_(problem.dimension(), network.local_nodes()),
        values_(network.local_nodes()) {}

  /// F(x)/m, and its gradient into g.
  double operator()(const Vector& x, Vector& g) {
    const auto rows = static_cast<double>(problem_.objectives.front()->rows());
    for_each_node(values_.size(), 4.0 * rows * static_cast<double>(x.size()), [&](Index i) {
      values_(i) =
          problem_.objectives[static_cast<std::size_t>(i)]->gradient(AccessPurpose::kReference, x, gradients_.col(i));
    });
    control_.mean(gradients_, g);
    g += problem_.mu * x;
    return control_.sum(values_) / static_cast<double>(control_.nodes()) + problem_.mu / 2.0 * squared_norm(x);
  }

 private:
  const Problem& problem_;
  Control control_;  ///< over all nodes, whatever the trace looks at
  Stacked gradients_;
  Vector values_;
};

/// F/m, its gradient and its curvature, for Newton's method.
class CentralCurvature {
 public:
  CentralCurvature(const Problem& problem, Network& network) : problem_(problem), control_(network) {
    for (const auto& objective : problem.objectives) {
      auto& rows = all_rows_.emplace_back(static_cast<std::size_t>(objective->rows()));
      std::iota(rows.begin(), rows.end(), Index{0});
    }
  }

  /// Whether every objective, of other processes too, is rows of several features whose curvature matrix is not large.
  [[nodiscard]] bool exists() const {
    Vector misfits = Vector::Zero(static_cast<Index>(problem_.objectives.size()));
    for (Index i = 0; i < misfits.size(); ++i) {
      const Loss* loss = problem_.objectives[static_cast<std::size_t>(i)]->row_loss();
      misfits(i) = loss != nullptr && !loss->has_single_features() ? 0.0 : 1.0;
    }
    return problem_.dimension() <= kMostColumns && control_.sum(misfits) == 0.0;
  }

  [[nodiscard]] Vector operator()(const Vector& x, SumLayout layout) {
    Stacked summaries(layout.size(), static_cast<Index>(problem_.objectives.size()));
    for_each_node(summaries.cols(), 1e6, [&](Index i) {
      auto& objective = *problem_.objectives[static_cast<std::size_t>(i)];
      const auto touch = [&](const LocalObjective::TouchVisit& visit) {
        objective.touch(AccessPurpose::kReference, x, all_rows_[static_cast<std::size_t>(i)], visit);
      };
      summarize_rows(objective, problem_.mu, layout, x, touch, summaries.col(i));
    });
    Vector mean(layout.size());
    control_.mean(summaries, mean);
    return mean;
  }

 private:
  const Problem& problem_;
  Control control_;
  std::vector<std::vector<Index>> all_rows_;
};

/// The best value at a point of X and the best bound so far, both of F/m.
struct Bracket {
  double start_value = 0.0;
  double value = std::numeric_limits<double>::infinity();
  double bound = -std::numeric_limits<double>::infinity();
  Vector x;

  /// Takes F/m and its gradient at x; whether the bracket became tighter.
  bool tighten(const Vector& at, double value_at, const Vector& g, FeasibleSet& set, Vector& vertex) {
    set.linear_minimizer(g, vertex);
    const double bound_at = value_at + dot(g, vertex) - dot(g, at);
    const bool tighter = value_at < value || bound_at > bound;
    if (value_at < value) {
      value = value_at;
      x = at;
    }
    bound = std::max(bound, bound_at);
    return tighter;
  }

  [[nodiscard]] double width() const { return std::max(0.0, value - bound); }  // below 0 by rounding alone

  [[nodiscard]] double accuracy() const {
    return width() / std::max(start_value - bound, std::numeric_limits<double>::min());
  }
};

/// From the best point so far until the bracket is tight enough or becomes no tighter: however columns are scaled.
void tighten_by_newton(const Problem& problem, Network& network, const ReferenceOptions& options, FeasibleSet& set,
                       Bracket& bracket) {
  CentralCurvature central(problem, network);
  if (!central.exists()) {
    return;
  }
  ProjectedNewton newton(set, {problem.dimension(), false}, bracket.x);
  Vector vertex(problem.dimension());
  double width = bracket.width();
  int last_gain = 0;
  for (int k = 0; k < kNewtonSteps && k - last_gain <= kNewtonPatience; ++k) {
    const Vector mean = central(newton.x(), newton.layout());
    if (!mean.allFinite()) {
      return;
    }
    bracket.tighten(newton.x(), mean(0), mean.segment(1, problem.dimension()), set, vertex);
    if (bracket.accuracy() <= options.relative_accuracy || (options.interrupted && options.interrupted())) {
      return;
    }
    if (bracket.width() < kNarrower * width) {
      width = bracket.width();
      last_gain = k;
    }
    newton.take(mean);
  }
}

}  // namespace

ReferenceOptimum reference_optimum(const Problem& problem, Network& network, const ReferenceOptions& options) {
  const double L = problem.smoothness + problem.mu;
  if (problem.sets_differ) {
    throw UsageError("expected one set for all nodes to compute the reference optimum, got sets of the nodes' own");
  }
  const auto set = problem.set(0).clone();
  const bool can_project = set->projection_kind() != ProjectionKind::kNone;
  const auto solver = make_inner_solver(can_project ? "projection" : "auto", *set);
  CentralGradient central(problem, network);

  Vector x = problem.start;
  Vector y = x;
  Vector next = x;
  Vector g(x.size());
  Vector work(x.size());
  double t = 1.0;
  int last_gain = 0;
  const int newton_at = static_cast<int>(std::max(kNewtonAfter, x.size())) / kCheckEvery * kCheckEvery;
  ReferenceOptimum out;
  Bracket bracket;
  bracket.start_value = central(x, g);
  for (int k = 0; k < options.most_iterations; ++k) {
    if (k % kCheckEvery == 0) {
      const double value = central(x, g);
      last_gain = bracket.tighten(x, value, g, *set, work) ? k : last_gain;
      if (k == newton_at && bracket.accuracy() > options.relative_accuracy) {
        tighten_by_newton(problem, network, options, *set, bracket);
        x = y = bracket.x;
        t = 1.0;
      }
      out.reached = bracket.accuracy() <= options.relative_accuracy;
      if (options.on_progress) {
        options.on_progress(k, bracket.accuracy());
      }
      if (out.reached || k - last_gain > kPatience || (options.interrupted && options.interrupted())) {
        break;
      }
    }
    static_cast<void>(central(y, g));
    work = y - g / L;
    next = x;
    solver->solve(L, work, kInexactProjection, next);  // x⁺ = P(y − ∇F(y)/L)
    work = next - x;
    y -= next;
    const bool restart = dot(y, work) > 0.0;  // <y − x⁺, x⁺ − x> > 0: momentum points uphill
    const double t_next = restart ? 1.0 : (1.0 + std::sqrt(1.0 + 4.0 * t * t)) / 2.0;
    y = next + (restart ? 0.0 : (t - 1.0) / t_next) * work;
    x = next;
    t = t_next;
    out.iterations = k + 1;
  }
  const auto nodes = static_cast<double>(network.nodes());
  out.x = bracket.x;
  out.value = bracket.value * nodes;
  out.lower_bound = bracket.bound * nodes;
  return out;
}

}  // namespace slidemesh
