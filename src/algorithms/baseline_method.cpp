#include "slidemesh/algorithms/baseline_method.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

#include "slidemesh/base/fail.h"
#include "slidemesh/core/metered_set.h"
#include "slidemesh/linalg/parallel.h"

namespace slidemesh {

namespace {

/// Elementary operations of an oracle or a projection of a set, roughly.
double oracle_work(const Problem& problem) { return 20.0 * static_cast<double>(problem.dimension()); }

}  // namespace

BaselineMethod::BaselineMethod(std::string_view name, const Problem& problem, Network& network, int outer_steps,
                               const Sampling& sampling, Sets sets)
    : problem_(problem),
      network_(network),
      set_(sets == Sets::kOwn ? problem.set(0) : problem.common_set(name)),
      data_(problem, network.meters(), network.first_node(), sampling.seed),
      name_(name),
      outer_steps_(outer_steps),
      sampling_(sampling) {
  require<UsageError>(outer_steps >= 1, "method.outer_steps", "at least 1", std::to_string(outer_steps));
  if (sampling.batch && *sampling.batch < 1) {
    fail<UsageError>("method.batch", "at least 1", std::to_string(*sampling.batch));
  }
  for (Index i = 0; i < network.local_nodes(); ++i) {
    sets_.push_back(std::make_unique<MeteredSet>(problem.set(i), network.meters(), i));
  }
}

void BaselineMethod::gradient(const Stacked& x, Stacked& g, int number) {
  if (sampling_.batch) {
    constexpr Count kMostDraws = std::numeric_limits<int>::max();
    const auto draw = static_cast<int>(std::min(kMostDraws, t_ * gradients_per_step_ + number));
    const auto last = static_cast<int>(std::min(kMostDraws, (outer_steps_ + 1) * gradients_per_step_ - 1));
    data_.sampled_gradient(x, *sampling_.batch, draw, sampling_.cap, g);
    data_.prefetch([this](int) { return *sampling_.batch; }, draw + 1, last, sampling_.cap);
  } else {
    data_.gradient(x, g);
  }
  g += problem_.mu * x;
}

void BaselineMethod::linear_minimizers(const Stacked& g, Stacked& v) {
  for_each_node(g.cols(), oracle_work(problem_), [&](Index i) {
    require_finite_point(g.col(i), network_.global(i));
    sets_[static_cast<std::size_t>(i)]->linear_minimizer(g.col(i), v.col(i));
    require_finite_point(v.col(i), network_.global(i));
  });
}

void BaselineMethod::project(Stacked& x) {
  for_each_node(x.cols(), oracle_work(problem_), [&](Index i) {
    require_finite_point(x.col(i), network_.global(i));
    sets_[static_cast<std::size_t>(i)]->project(x.col(i), x.col(i));
    require_finite_point(x.col(i), network_.global(i));
  });
}

void BaselineMethod::require_projection() const {
  for (const auto& set : problem_.sets) {
    require<UsageError>(set->projection_kind() != ProjectionKind::kNone, "method.name",
                        fmt::format("a method that needs no projection, since set {} has none", set->name()),
                        fmt::format("\"{}\"", name()));
  }
}

Count BaselineMethod::next_data_oracle_calls() const {
  Count calls = 0;
  for (Index i = 0; i < network_.local_nodes() && !finished(); ++i) {
    calls += next_data_oracle_calls_of(i);
  }
  return calls;
}

Count BaselineMethod::next_data_oracle_calls_of(Index i) const {
  const Count rows = data_.rows(i);
  const bool sampled = sampling_.batch && !(sampling_.cap && *sampling_.batch >= rows);
  return gradients_per_step_ * (sampled ? *sampling_.batch : rows);
}

void BaselineMethod::visit_sets(StateVisitor& visitor) {
  visitor.each_node(sets_.size(), [&](std::size_t i) { sets_[i]->visit_state(visitor); });
}

void BaselineMethod::visit_steps(StateVisitor& visitor,
                                 std::initializer_list<std::pair<std::string_view, Stacked*>> variables) {
  visitor.visit("t", t_);
  for (const auto& [name, variable] : variables) {
    visitor.visit(name, *variable);
  }
  visit_sets(visitor);
}

double BaselineMethod::use_smoothness() {
  uses_smoothness_ = true;
  return problem_.smoothness + problem_.mu;
}

void BaselineMethod::require_room_for_curvatures(Count bytes) const {
  const auto d = static_cast<double>(problem_.dimension());
  const double each = problem_.objectives.front()->row_loss()->has_single_features() ? d : d * d;
  const double needed = sizeof(double) * each * static_cast<double>(network_.nodes());
  require<UsageError>(
      needed <= static_cast<double>(bytes), "method.curvature_memory",
      fmt::format("at least {:.0f} bytes for the curvatures of {} nodes in \"{}\"", needed, network_.nodes(), name_),
      std::to_string(bytes));
}

void BaselineMethod::require_rows() const {
  for (const auto& objective : problem_.objectives) {
    require<UsageError>(objective->row_loss() != nullptr, "method.name",
                        "a method that takes functions that are no means over rows", fmt::format("\"{}\"", name_));
  }
}

}  // namespace slidemesh
