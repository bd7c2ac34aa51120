#include "slidemesh/session/measures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "slidemesh/base/fail.h"
#include "slidemesh/linalg/add_terms.h"
#include "slidemesh/linalg/kernels.h"
#include "slidemesh/linalg/parallel.h"

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

StartValues start_values(const Problem& problem, const Control& control, ConstVectorRef x) {
  const Vector values = local_objectives(problem, control.network(), x, AccessPurpose::kTrace);
  return {control.sum(values), control.total(values)};
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

/// How long a point of a node's set can be, for each local node.
static Vector reaches(const Problem& problem) {
  const Stacked inside = problem.starts();
  Vector reach(inside.cols());
  for (Index i = 0; i < inside.cols(); ++i) {
    reach(i) = norm(inside.col(i)) + problem.set(i).diameter();
  }
  return reach;
}

Vector rounding_of_bounds(const Problem& problem, const Network& network) {
  const Graph& graph = network.graph();
  Vector rounding = reaches(problem);
  for (Index i = 0; i < rounding.size(); ++i) {
    const Index node = network.global(i);
    Index largest = graph.degree(node);
    for (const Index j : graph.neighbours(node)) {
      largest = std::max(largest, graph.degree(j));
    }
    rounding(i) *=
        std::numeric_limits<double>::epsilon() * 2.0 * static_cast<double>(graph.degree(node) * (largest + 1));
  }
  return rounding;
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

/// sum_i f_i(x_i).
static double objective_stacked(const Problem& problem, const Control& control, const Stacked& x) {
  Vector values(x.cols());
  for_each_node(x.cols(), passes_work(problem),
                [&](Index i) { values(i) = local_objective(problem, i, x.col(i), AccessPurpose::kTrace); });
  require_finite(values, control.network());
  return control.sum(values);
}

/// |(x Lap)_i|² of each local node. Where this process has all nodes it keeps one column of x Lap at a time: iterates
/// may be most of its memory.
static Vector squared_differences(const Control& control, const Stacked& x) {
  const Network& network = control.network();
  Vector squares(x.cols());
  if (network.local_nodes() < network.nodes()) {
    Stacked differences;
    control.laplacian(x, differences);
    for (Index i = 0; i < x.cols(); ++i) {
      squares(i) = squared_norm(differences.col(i));
    }
    return squares;
  }
  const Graph& graph = network.graph();
  for_each_node(x.cols(), 2.0 * static_cast<double>(x.rows()), [&](Index i) {
    std::vector<Term> terms;
    for (const Index j : graph.neighbours(i)) {
      terms.push_back({x.col(j).data(), -1.0});
    }
    Vector difference(x.rows());
    add_terms(terms, x.col(i).data(), static_cast<double>(graph.degree(i)), difference.data(), {0, x.rows()});
    squares(i) = squared_norm(difference);
  });
  return squares;
}

Measures measure(const Problem& problem, const Control& control, const Stacked& x, Look look) {
  Measures out;
  Vector mean;
  control.mean(x, mean);
  if (look != Look::kNothing) {
    out.objective_at_average = objective(problem, control, mean);
  }
  if (look == Look::kEverything) {
    out.objective_stacked = objective_stacked(problem, control, x);
  }

  Vector values = squared_differences(control, x);
  out.consensus_error = std::sqrt(control.sum(values));
  for (Index i = 0; i < x.cols(); ++i) {
    values(i) = squared_distance(x.col(i), mean);
  }
  const double spread = control.sum(values);
  const double size = static_cast<double>(control.nodes()) * squared_norm(mean);
  out.infeasibility = infeasibility(problem, control, mean);
  out.relative_disagreement = size > 0.0 ? std::sqrt(spread / size) : (spread > 0.0 ? INFINITY : 0.0);
  return out;
}

}  // namespace slidemesh
