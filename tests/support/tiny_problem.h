#pragma once

// Small problems with known answers, and the toy of the NumPy reference.

#include <cstdint>
#include <memory>
#include <vector>

#include "slidemesh/core/objective.h"
#include "slidemesh/core/problem.h"
#include "slidemesh/core/rows.h"
#include "slidemesh/data/partition.h"
#include "slidemesh/losses/registry.h"
#include "slidemesh/network/network.h"

namespace slidemesh::testing {

/// The 60-row, 5-feature data set that any language can rebuild: a 31-bit linear congruential
/// generator, seed 12345; labels from a fixed model with noise.
inline Rows toy_rows(Index n = 60, Index d = 5) {
  const std::vector<double> truth{1.5, -2.0, 0.0, 0.5, 0.0};
  Rows rows;
  rows.features = d;
  std::uint64_t state = 12345;
  const auto next = [&state] {
    state = (1103515245ULL * state + 12345ULL) % (1ULL << 31U);
    return static_cast<double>(state) / 2147483648.0;
  };
  for (Index r = 0; r < n; ++r) {
    double score = 0.0;
    for (Index c = 0; c < d; ++c) {
      rows.values.push_back(2.0 * next() - 1.0);
      score += rows.values.back() * truth[static_cast<std::size_t>(c)];
    }
    rows.labels.push_back(score + 2.0 * (next() - 0.5) > 0.0 ? 1.0 : -1.0);
  }
  return rows;
}

/// Rows dealt contiguously to the network's nodes, with a loss and a set.
inline Problem make_problem(Rows rows, Network& network, std::unique_ptr<FeasibleSet> set, const LossSpec& loss = {},
                            double mu = 0.0) {
  Problem problem;
  problem.mu = mu;
  const auto model_loss = make_loss(loss);
  const Partition partition = split_rows(rows.labels, network.nodes());
  const auto table = std::make_shared<const Rows>(std::move(rows));
  for (auto& source : node_sources(table, partition, network.first_node(), network.local_nodes())) {
    problem.objectives.push_back(std::make_shared<RowObjective>(std::move(source), model_loss));
    problem.smoothness = std::max(problem.smoothness, problem.objectives.back()->smoothness());
  }
  problem.start = start_of(*set);
  problem.sets = same_set(std::move(set), problem.objectives.size());
  return problem;
}

}  // namespace slidemesh::testing
