#pragma once

// Small problems with known answers.

#include <memory>
#include <vector>

#include "slidemesh/core/objective.h"
#include "slidemesh/core/problem.h"
#include "slidemesh/core/rows.h"
#include "slidemesh/data/partition.h"
#include "slidemesh/losses/registry.h"
#include "slidemesh/network/network.h"
#include "support/toy_rows.h"

namespace slidemesh::testing {

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
