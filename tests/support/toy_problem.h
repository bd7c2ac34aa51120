#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "slidemesh/graphs/generators.h"
#include "slidemesh/losses/logistic.h"
#include "slidemesh/network/in_process.h"
#include "slidemesh/session/solve.h"
#include "slidemesh/sets/norm_balls.h"
#include "support/toy_rows.h"

namespace slidemesh::testing {

/// A problem with the network that it is solved over.
struct Toy {
  std::unique_ptr<InProcessNetwork> network;
  Problem problem;
};

/// Deals the rows of a table contiguously over the graph, each node the same number.
inline Toy make_toy(const Graph& graph, Rows table, const std::shared_ptr<const Loss>& loss,
                    std::shared_ptr<const FeasibleSet> set, double mu) {
  const auto shared = std::make_shared<const Rows>(std::move(table));
  const Index each = shared->count() / graph.nodes();
  std::vector<std::shared_ptr<RowSource>> sources;
  for (Index i = 0; i < graph.nodes(); ++i) {
    sources.push_back(std::make_shared<MemorySource>(shared, i * each, each));
  }
  return {std::make_unique<InProcessNetwork>(graph), make_problem(row_objectives(sources, loss), std::move(set), mu)};
}

/// Logistic regression on `toy_rows` in the l1 ball of radius 2, over the named graph.
inline Toy make_toy(const std::string& kind, Index nodes, double mu) {
  GraphSpec spec;
  spec.kind = kind;
  spec.nodes = nodes;
  return make_toy(make_graph(spec), toy_rows(), std::make_shared<Logistic>(), std::make_shared<L1Ball>(5, 2.0), mu);
}

}  // namespace slidemesh::testing
