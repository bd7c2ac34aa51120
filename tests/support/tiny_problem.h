#pragma once

// Small problems with known answers.

#include <memory>
#include <vector>

#include "slidemesh/data/partition.h"
#include "slidemesh/losses/registry.h"
#include "slidemesh/network/network.h"
#include "slidemesh/session/solve.h"
#include "support/toy_rows.h"

namespace slidemesh::testing {

/// Rows dealt contiguously to the network's nodes, with a loss and a set.
inline Problem make_problem(Rows rows, Network& network, std::unique_ptr<FeasibleSet> set, const LossSpec& loss = {},
                            double mu = 0.0) {
  const Partition partition = split_rows(rows.labels, network.nodes());
  const auto table = std::make_shared<const Rows>(std::move(rows));
  const auto sources = node_sources(table, partition, network.first_node(), network.local_nodes());
  return slidemesh::make_problem(row_objectives(sources, make_loss(loss)), std::move(set), mu);
}

}  // namespace slidemesh::testing
