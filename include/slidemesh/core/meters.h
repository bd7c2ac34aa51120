#pragma once

#include <vector>

#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// What one node has spent. Only the method's own work is charged; measuring for a trace is not.
struct NodeMeters {
  Count data_oracle_calls = 0;     ///< rows whose gradient was evaluated
  Count data_oracle_accesses = 0;  ///< times it asked its data source
  Count linear_oracle_calls = 0;
  Count messages = 0;  ///< sent to neighbours, vectors and scalars alike
  Count bytes_sent = 0;
};

/// Totals over all nodes.
struct MeterTotals {
  Count data_oracle_calls = 0;
  Count data_oracle_accesses = 0;
  Count communication_rounds = 0;  ///< times every node sent one d-vector to each neighbour
  /// Message latencies one after the other: a round is one, an agreement over a tree of depth h is 2h, and a sum that
  /// rides on rounds none.
  Count hops = 0;
  Count messages = 0;
  Count bytes_sent = 0;
  Count scalar_messages = 0;  ///< of `messages`, those that carried only agreed scalars
  Count linear_oracle_calls = 0;
  Count largest_node_linear_oracle_calls = 0;

  friend bool operator==(const MeterTotals&, const MeterTotals&) = default;
};

/// What crossed from process to process. Nodes that share a process need no message, and a column goes
/// once to a process however many neighbours it has there, so this is at most what the meters say; with
/// one node per process, `messages` and `bytes` are the meters' own.
struct WireMeters {
  Count messages = 0;  ///< of the method
  Count bytes = 0;
  Count control_messages = 0;  ///< of measuring and stopping
  Count control_bytes = 0;

  friend bool operator==(const WireMeters&, const WireMeters&) = default;
};

/// The meters of the nodes of this process.
struct Meters {
  explicit Meters(Index local_nodes = 0) : node(static_cast<std::size_t>(local_nodes)) {}

  std::vector<NodeMeters> node;
  Count communication_rounds = 0;  ///< the same on every process
  Count hops = 0;                  ///< the same on every process
  Count scalar_messages = 0;       ///< sent by the nodes of this process

  NodeMeters& at(Index local) { return node[static_cast<std::size_t>(local)]; }
  /// Over the nodes of this process.
  [[nodiscard]] MeterTotals totals() const;
};

}  // namespace slidemesh
