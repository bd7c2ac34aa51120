// DeFW (defw.cpp has the paper and its letters) for wide rows over sets whose vertices are sparse, as those of l1 balls
// and simplices are.
//
// After the first step, which takes nothing over from the start, an iterate is a mixture of vertices: t steps of m
// nodes leave at most t m rows of θ that are not zero, times the numbers of a vertex. A tracked gradient is a mixture
// of gradients, which are zero but at columns that some row of some node has. Those rows alone are kept and mixed, and
// a node's gradient is worked out at its own columns, which the pass of the first gradient shows.
//
// The others would be zero at every node: to leave them out changes no bit of those that are kept, and what a round is
// charged does not change either. All this is for one process that has all nodes: messages between processes have whole
// columns, as Defw sends them (`wire = "sparse"` sends them without zeros). A checkpoint is that of Defw, and either
// goes on from the other's.

#include "slidemesh/algorithms/sparse_defw.h"

#include <algorithm>
#include <string>
#include <utility>

#include "slidemesh/base/fail.h"
#include "slidemesh/linalg/parallel.h"

namespace slidemesh {

namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// The row of every place, given that it is among `places`; both ascend.
std::vector<Index> rows_of(const std::vector<Index>& wanted, const std::vector<Index>& places) {
  std::vector<Index> rows;
  rows.reserve(wanted.size());
  std::size_t k = 0;
  for (const Index place : wanted) {
    while (places[k] != place) {
      ++k;
    }
    rows.push_back(static_cast<Index>(k));
  }
  return rows;
}

std::vector<Index> sorted_once(std::vector<Index> places) {
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

}  // namespace

bool SparseDefw::can_take(const Problem& problem, const Network& network, const DefwOptions& options) {
  const auto has_rows = [](const std::shared_ptr<LocalObjective>& objective) {
    return objective->row_source() != nullptr && objective->row_loss()->outputs() == 1;
  };
  return problem.common_set("defw").has_sparse_vertices() && problem.mu == 0.0 && !options.batch && options.tracking &&
         network.can_mix_compact() && std::all_of(problem.objectives.begin(), problem.objectives.end(), has_rows);
}

bool SparseDefw::fits(const Problem& problem, const Network& network, const DefwOptions& options) {
  return problem.dimension() >= kFewestColumns && can_take(problem, network, options);
}

SparseDefw::SparseDefw(const Problem& problem, Network& network, const DefwOptions& options)
    : BaselineMethod("defw", problem, network, options.outer_steps, {std::nullopt, true, options.seed}),
      mixing_rounds_(options.mixing_rounds),
      w_(mixing_weights(network.graph(), options.weights, options.laplacian_lambda_max)),
      theta_(problem.start, network.local_nodes()),
      tracked_(problem.dimension(), network.local_nodes()),
      nodes_(at(network.local_nodes())) {
  if (mixing_rounds_ && *mixing_rounds_ < 1) {
    fail<UsageError>("method.mixing_rounds", "at least 1", std::to_string(*mixing_rounds_));
  }
  for (Index i = 0; i < network.local_nodes(); ++i) {
    Node& node = nodes_[at(i)];
    node.columns = std::make_shared<OwnColumns>(data_.objective(i).row_source());
    node.objective = data_.objective(i).over(node.columns);
  }
}

void SparseDefw::step() {
  const auto t = static_cast<double>(++t_);
  whole_.resize(0, 0);
  mix(theta_);  // θ̄_t = W θ_t
  gradients();  // ∇f(θ̄_t): the only touch of the data
  track();
  mix(tracked_);  // G_t = W (G_{t−1} + ∇f(θ̄_t) − ∇f(θ̄_{t−1})),  G_0 = ∇f(θ̄_0) = 0
  find_vertices();
  move(2.0 / (t + 1.0));  // θ_{t+1} = (1 − γ_t) θ̄_t + γ_t a
}

const Stacked& SparseDefw::output() {
  if (whole_.size() == 0) {
    whole_ = theta_.whole();
  }
  return whole_;
}

Count SparseDefw::numbers_kept() const {
  Count count = theta_.numbers().size() + tracked_.numbers().size();
  for (const Node& node : nodes_) {
    count += node.x.size() + node.fresh.size() + node.last.size();
  }
  return count;
}

void SparseDefw::mix(CompactStacked& x) {
  const int rounds = defw_mixing_rounds(mixing_rounds_, t_);
  for (int round = 0; round < rounds; ++round) {
    network_.mix_compact(w_, x);
  }
}

void SparseDefw::gradients() {
  const Index width = knows_columns_ ? tracked_.kept() : problem_.dimension();
  for_each_node(network_.local_nodes(), gradient_work(data_.rows(0), width),
                [&](Index i) { knows_columns_ ? gradient_at_own_columns(i) : first_gradient(i); });
  if (!knows_columns_) {
    use_columns();
  }
}

/// Over all columns, since nobody knows yet which the rows have.
void SparseDefw::first_gradient(Index i) {
  Node& node = nodes_[at(i)];
  const Vector x = theta_.expanded(theta_.numbers().col(i));
  Vector g(problem_.dimension());
  data_.gradient_of(i, *node.objective, x, g);
  g += problem_.mu * x;
  node.x = x(node.columns->columns());
  node.fresh = g(node.columns->columns());
  node.last = Vector::Zero(node.fresh.size());
}

void SparseDefw::gradient_at_own_columns(Index i) {
  Node& node = nodes_[at(i)];
  const std::vector<Index>& own = node.columns->columns();
  node.x.setConstant(theta_.rest(i));
  auto column = own.begin();
  for (Index k = 0; k < theta_.kept(); ++k) {
    column = std::lower_bound(column, own.end(), theta_.places()[at(k)]);
    if (column != own.end() && *column == theta_.places()[at(k)]) {
      node.x(column - own.begin()) = theta_.numbers()(k, i);
    }
  }
  data_.gradient_of(i, *node.objective, node.x, node.fresh);
  node.fresh += problem_.mu * node.x;
}

/// Makes room in G for all nodes' columns, once they are known.
void SparseDefw::use_columns() {
  std::vector<bool> has(at(problem_.dimension()), false);
  for (const Node& node : nodes_) {
    for (const Index column : node.columns->columns()) {
      has[at(column)] = true;
    }
  }
  std::vector<Index> columns;
  for (Index j = 0; j < problem_.dimension(); ++j) {
    if (has[at(j)]) {
      columns.push_back(j);
    }
  }
  tracked_.include(columns);
  for (Node& node : nodes_) {
    const std::vector<Index>& own = node.columns->columns();
    node.row = rows_of(own, tracked_.places());
    for (std::size_t k = 0; k < node.resumed.places.size(); ++k) {
      const auto found = std::lower_bound(own.begin(), own.end(), node.resumed.places[k]);
      if (found == own.end() || *found != node.resumed.places[k]) {
        fail<DataError>("checkpoint", "a gradient at columns that the node's rows have", "one at another");
      }
      node.last(found - own.begin()) = node.resumed.numbers[k];
    }
    node.resumed = {};
  }
  knows_columns_ = true;
}

/// tracked += ∇f(θ̄_t) − ∇f(θ̄_{t−1}), at the nodes' own columns.
void SparseDefw::track() {
  for_each_node(network_.local_nodes(), 4.0 * static_cast<double>(nodes_.front().row.size()), [&](Index i) {
    Node& node = nodes_[at(i)];
    double* tracked = tracked_.numbers().col(i).data();
    for (std::size_t k = 0; k < node.row.size(); ++k) {
      const auto slot = static_cast<Index>(k);
      tracked[node.row[k]] += node.fresh(slot) - node.last(slot);
    }
    node.last.swap(node.fresh);
  });
}

/// a = argmin over X of <G_t, v>.
void SparseDefw::find_vertices() {
  for_each_node(network_.local_nodes(), 4.0 * static_cast<double>(tracked_.kept()), [&](Index i) {
    Node& node = nodes_[at(i)];
    const auto numbers = tracked_.numbers().col(i).head(tracked_.kept());
    require_finite_point(numbers, network_.global(i));
    node_set(i).sparse_minimizer({tracked_.places(), {numbers.data(), tracked_.places().size()}}, node.vertex);
    const auto count = static_cast<Index>(node.vertex.numbers.size());
    require_finite_point(Eigen::Map<const Vector>(node.vertex.numbers.data(), count), network_.global(i));
  });
}

void SparseDefw::move(double gamma) {
  std::vector<Index> places;
  for (const Node& node : nodes_) {
    places.insert(places.end(), node.vertex.places.begin(), node.vertex.places.end());
  }
  theta_.include(sorted_once(std::move(places)));
  const double keep = 1.0 - gamma;
  for (Index i = 0; i < network_.local_nodes(); ++i) {
    const SparseVector& vertex = nodes_[at(i)].vertex;
    std::size_t next = 0;
    for (Index k = 0; k <= theta_.kept(); ++k) {
      const bool is_in =
          k < theta_.kept() && next < vertex.places.size() && vertex.places[next] == theta_.places()[at(k)];
      const double a = is_in ? vertex.numbers[next++] : 0.0;
      double& number = theta_.numbers()(k, i);
      number = keep * number + gamma * a;
    }
  }
  if (keep == 0.0) {  // the first step: nothing is left of the start
    theta_.drop_ordinary_rows();
  }
}

/// As Defw has it: all numbers that are not zero, by their places.
void SparseDefw::visit_last_gradient(StateVisitor& visitor, Node& node) const {
  CompactStacked gradient(problem_.dimension(), 1);
  if (knows_columns_) {
    gradient = CompactStacked(problem_.dimension(), node.columns->columns(), node.last);
  } else {
    const SparseVector& resumed = node.resumed;
    gradient =
        CompactStacked(problem_.dimension(), resumed.places,
                       Eigen::Map<const Vector>(resumed.numbers.data(), static_cast<Index>(resumed.numbers.size())));
  }
  visitor.visit("last_gradient", gradient);
  if (visitor.is_reading()) {
    node.resumed.clear();
    for (Index k = 0; k < gradient.kept(); ++k) {
      node.resumed.append(gradient.places()[at(k)], gradient.numbers()(k, 0));
    }
    node.last.setZero();
  }
}

void SparseDefw::visit_state(StateVisitor& visitor) {
  visitor.visit("t", t_);
  visitor.visit("theta", theta_);
  visitor.visit("tracked", tracked_);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    visitor.node(static_cast<Index>(i));
    visit_last_gradient(visitor, nodes_[i]);
  }
  visitor.all_nodes();
  if (visitor.is_reading()) {
    whole_.resize(0, 0);
    if (knows_columns_) {
      use_columns();
    }
  }
  visit_sets(visitor);
}

}  // namespace slidemesh
