#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "slidemesh/core/objective.h"
#include "slidemesh/core/problem.h"
#include "slidemesh/core/rows.h"
#include "slidemesh/graphs/generators.h"
#include "slidemesh/losses/logistic.h"
#include "slidemesh/network/in_process.h"
#include "slidemesh/sets/norm_balls.h"

namespace slidemesh::testing {

/// A problem with the network that it is solved over.
struct Toy {
  std::unique_ptr<InProcessNetwork> network;
  Problem problem;
};

/// Rows that any language can rebuild: a 31-bit linear congruential generator from seed 12345. The
/// labels follow a sparse linear model with noise.
inline Rows toy_rows(Index count = 60, Index features = 5) {
  const std::vector<double> truth = {1.5, -2.0, 0.0, 0.5, 0.0};
  std::uint64_t state = 12345;
  const auto uniform = [&state] {
    state = (1103515245U * state + 12345U) % (std::uint64_t{1} << 31U);
    return static_cast<double>(state) / static_cast<double>(std::uint64_t{1} << 31U);
  };
  Rows rows;
  rows.features = features;
  for (Index r = 0; r < count; ++r) {
    double score = 0.0;
    for (Index j = 0; j < features; ++j) {
      rows.values.push_back(2.0 * uniform() - 1.0);
      score += rows.values.back() * truth[static_cast<std::size_t>(j) % truth.size()];
    }
    score += 2.0 * (uniform() - 0.5);
    rows.labels.push_back(score > 0.0 ? 1.0 : -1.0);
  }
  return rows;
}

/// Deals the rows of a table contiguously over the graph, each node the same number.
inline Toy make_toy(const Graph& graph, Rows table, std::shared_ptr<const Loss> loss,
                    std::shared_ptr<const FeasibleSet> set, double mu) {
  Toy toy;
  toy.network = std::make_unique<InProcessNetwork>(graph);
  const auto shared = std::make_shared<const Rows>(std::move(table));
  const Index each = shared->count() / graph.nodes();
  for (Index i = 0; i < graph.nodes(); ++i) {
    auto source = std::make_shared<MemorySource>(shared, i * each, each);
    toy.problem.objectives.push_back(std::make_shared<RowObjective>(std::move(source), loss));
    toy.problem.smoothness = std::max(toy.problem.smoothness, toy.problem.objectives.back()->smoothness());
  }
  toy.problem.mu = mu;
  toy.problem.start = start_of(*set);
  toy.problem.sets = same_set(std::move(set), toy.problem.objectives.size());
  return toy;
}

/// Logistic regression on `toy_rows` in the l1 ball of radius 2, over the named graph.
inline Toy make_toy(const std::string& kind, Index nodes, double mu) {
  GraphSpec spec;
  spec.kind = kind;
  spec.nodes = nodes;
  return make_toy(make_graph(spec), toy_rows(), std::make_shared<Logistic>(), std::make_shared<L1Ball>(5, 2.0), mu);
}

}  // namespace slidemesh::testing
