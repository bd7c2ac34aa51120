#include "slidemesh/session/measures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "slidemesh/algorithms/bound_rounding.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/linalg/add_terms.h"
#include "slidemesh/linalg/kernels.h"
#include "slidemesh/linalg/parallel.h"
#include "slidemesh/linalg/sparse_vector.h"

namespace slidemesh {

namespace {

double passes_work(const Problem& problem) {
  return 4.0 * static_cast<double>(problem.objectives.front()->rows()) * static_cast<double>(problem.dimension() + 8);
}

double local_objective(const Problem& problem, Index i, ConstVectorRef x, AccessPurpose purpose) {
  return problem.objectives[static_cast<std::size_t>(i)]->value(purpose, x) + problem.mu / 2.0 * squared_norm(x);
}

/// A NaN or an overflow must not be summed into a number that looks like an answer.
void require_finite(const Vector& values, const Network& network) {
  for (Index i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values(i))) {
      fail<DataError>(fmt::format("node {}", network.global(i)), "a finite objective",
                      (std::isnan(values(i)) ? "NaN" : "infinity"));
    }
  }
}

Vector local_objectives(const Problem& problem, const Network& network, ConstVectorRef x, AccessPurpose purpose) {
  Vector values(network.local_nodes());
  for_each_node(network.local_nodes(), passes_work(problem),
                [&](Index i) { values(i) = local_objective(problem, i, x, purpose); });
  require_finite(values, network);
  return values;
}

}  // namespace

double objective(const Problem& problem, const Control& control, ConstVectorRef x, AccessPurpose purpose) {
  return control.sum(local_objectives(problem, control.network(), x, purpose));
}

double total_objective(const Problem& problem, const Control& control, ConstVectorRef x, AccessPurpose purpose) {
  return control.total(local_objectives(problem, control.network(), x, purpose));
}

Vector local_rows(const Problem& problem) {
  return Vector::NullaryExpr(static_cast<Index>(problem.objectives.size()), [&](Index i) {
    return static_cast<double>(problem.objectives[static_cast<std::size_t>(i)]->rows());
  });
}

namespace {

/// At the nodes of this process. Nodes that share a set are asked once.
double local_violation(const Problem& problem, ConstVectorRef x) {
  double largest = 0.0;
  for (std::size_t i = 0; i < problem.sets.size(); ++i) {
    if (i == 0 || problem.sets[i] != problem.sets[i - 1]) {
      largest = std::max(largest, problem.sets[i]->violation(x));
    }
  }
  return largest;
}

}  // namespace

double infeasibility(const Problem& problem, const Control& control, ConstVectorRef x) {
  return control.max(Vector::Constant(control.network().local_nodes(), local_violation(problem, x)));
}

bool violates_a_set(const Problem& problem, const Control& control, ConstVectorRef x, double tolerance) {
  return control.any(!(local_violation(problem, x) <= tolerance));
}

bool proves_no_common_point(const Problem& problem, const Control& control, const Stacked& w) {
  const Vector reach = reaches(problem);
  Vector minimum(w.cols());
  Vector size(w.cols());
  Vector vertex(w.rows());
  for (Index i = 0; i < w.cols(); ++i) {
    problem.set(i).clone()->linear_minimizer(w.col(i), vertex);
    minimum(i) = dot(w.col(i), vertex);
    size(i) = norm(w.col(i));
  }
  Vector mean;
  control.mean_over_tree(w, mean);
  const double rest = static_cast<double>(control.network().nodes()) * norm(mean);
  // A common point is no longer than the reaches' sum; rounding and the oracles' own accuracy are covered with it.
  return control.total(minimum) > (rest + kMembershipTolerance * control.total(size)) * control.total(reach);
}

namespace {

Vector mean_of(const Stacked& columns, const Control& control) {
  Vector mean;
  control.mean(columns, mean);
  return mean;
}

/// Columns with all their rows.
class WholeColumns {
 public:
  explicit WholeColumns(const Stacked& x) : x_(x) {}

  [[nodiscard]] Vector mean(const Control& control) const { return mean_of(x_, control); }
  [[nodiscard]] auto column(Index i) const { return x_.col(i); }
  [[nodiscard]] Vector squared_differences(const Control& control) const;
  [[nodiscard]] double squared_distance_to(const Vector& mean, Index i) const {
    return squared_distance(x_.col(i), mean);
  }

 private:
  const Stacked& x_;
};

/// node i's column of x Lap, where this process has all nodes.
Vector difference(const Graph& graph, const Stacked& x, Index i) {
  std::vector<Term> terms;
  for (const Index j : graph.neighbours(i)) {
    terms.push_back({x.col(j).data(), -1.0});
  }
  Vector difference(x.rows());
  add_terms(terms, x.col(i).data(), static_cast<double>(graph.degree(i)), difference.data(), {0, x.rows()});
  return difference;
}

/// |(x Lap)_i|² of each local node. Where this process has all nodes it keeps one column of x Lap at a time: iterates
/// may be most of its memory.
Vector WholeColumns::squared_differences(const Control& control) const {
  const Network& network = control.network();
  Vector squares(x_.cols());
  if (network.local_nodes() < network.nodes()) {
    Stacked differences;
    control.laplacian(x_, differences);
    for (Index i = 0; i < x_.cols(); ++i) {
      squares(i) = squared_norm(differences.col(i));
    }
    return squares;
  }
  for_each_node(x_.cols(), 2.0 * static_cast<double>(x_.rows()),
                [&](Index i) { squares(i) = squared_norm(difference(network.graph(), x_, i)); });
  return squares;
}

/// The same of columns of which few rows are kept, where this process has all nodes: to the same bits, one column with
/// all its rows at a time, and that only where rows are read.
class CompactColumns {
 public:
  explicit CompactColumns(const CompactStacked& x) : x_(x) {}

  [[nodiscard]] Vector mean(const Control& control) const { return x_.expanded(mean_of(x_.numbers(), control)); }
  [[nodiscard]] Vector column(Index i) const { return x_.expanded(x_.numbers().col(i)); }
  [[nodiscard]] Vector squared_differences(const Control& control) const {
    const Graph& graph = control.network().graph();
    Vector squares(x_.columns());
    for (Index i = 0; i < x_.columns(); ++i) {
      squares(i) = squared_norm_of(difference(graph, x_.numbers(), i));
    }
    return squares;
  }
  [[nodiscard]] double squared_distance_to(const Vector& mean, Index i) const {
    Vector distance = x_.numbers().col(i);
    for (Index k = 0; k < x_.kept(); ++k) {
      distance(k) -= mean(x_.places()[static_cast<std::size_t>(k)]);
    }
    const Index other = first_place_without(x_.places());
    distance(x_.kept()) -= other < x_.rows() ? mean(other) : 0.0;
    return squared_norm_of(distance);
  }

 private:
  /// Of the column that has these numbers.
  [[nodiscard]] double squared_norm_of(const Vector& numbers) const {
    return numbers(x_.kept()) == 0.0 ? squared_norm(x_.places(), numbers.data()) : squared_norm(x_.expanded(numbers));
  }

  const CompactStacked& x_;
};

/// sum_i f_i(x_i).
template <class Columns>
double objective_stacked(const Problem& problem, const Control& control, const Columns& x) {
  Vector values(control.network().local_nodes());
  for_each_node(values.size(), passes_work(problem),
                [&](Index i) { values(i) = local_objective(problem, i, x.column(i), AccessPurpose::kTrace); });
  require_finite(values, control.network());
  return control.sum(values);
}

template <class Columns>
Measures measure_columns(const Problem& problem, const Control& control, const Columns& x, Look look) {
  Measures out;
  const Vector mean = x.mean(control);
  if (look != Look::kNothing) {
    out.objective_at_average = objective(problem, control, mean);
  }
  if (look == Look::kEverything) {
    out.objective_stacked = objective_stacked(problem, control, x);
  }

  Vector values = x.squared_differences(control);
  out.consensus_error = std::sqrt(control.sum(values));
  for (Index i = 0; i < values.size(); ++i) {
    values(i) = x.squared_distance_to(mean, i);
  }
  const double spread = control.sum(values);
  const double size = static_cast<double>(control.nodes()) * squared_norm(mean);
  out.infeasibility = infeasibility(problem, control, mean);
  out.relative_disagreement = size > 0.0 ? std::sqrt(spread / size) : (spread > 0.0 ? INFINITY : 0.0);
  return out;
}

}  // namespace

Measures measure(const Problem& problem, const Control& control, const Stacked& x, Look look) {
  return measure_columns(problem, control, WholeColumns(x), look);
}

Measures measure(const Problem& problem, const Control& control, Method& method, Look look) {
  const CompactStacked* compact = method.compact_output();
  const bool has_all_nodes = control.network().local_nodes() == control.network().nodes();
  return compact != nullptr && has_all_nodes ? measure_columns(problem, control, CompactColumns(*compact), look)
                                             : measure(problem, control, method.output(), look);
}

}  // namespace slidemesh
