#pragma once

#include <span>
#include <vector>

#include "slidemesh/core/graph.h"
#include "slidemesh/core/meters.h"
#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// Symmetric doubly stochastic weights on a graph: W = diagonal + the edges' weights.
struct MixingWeights {
  Vector diagonal;                        ///< one for each node
  std::vector<std::vector<double>> edge;  ///< edge[i][e]: weight of node i's e-th neighbour
};

/// The nodes' means to talk to their neighbours. An algorithm is written over a local block of
/// columns and this interface, and cannot tell which network it has.
///
/// A network supplies `exchange` and the tree sums; the arithmetic on what arrived is here, in one
/// fixed order, so that every network gives the same bits. Rounds, messages and bytes are charged to
/// `meters()` as they happen.
class Network {
 public:
  explicit Network(Graph graph, Index first_node, Index local_nodes);
  virtual ~Network() = default;
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  [[nodiscard]] const Graph& graph() const { return graph_; }
  [[nodiscard]] Index nodes() const { return graph_.nodes(); }
  /// The nodes of this process are first_node() .. first_node() + local_nodes() - 1.
  [[nodiscard]] Index first_node() const { return first_node_; }
  [[nodiscard]] Index local_nodes() const { return local_nodes_; }
  [[nodiscard]] Index global(Index local) const { return first_node_ + local; }
  [[nodiscard]] bool owns(Index node) const { return node >= first_node_ && node < first_node_ + local_nodes_; }
  /// True on the one process that writes files and speaks for the run.
  [[nodiscard]] virtual bool is_root() const { return true; }

  [[nodiscard]] Meters& meters() { return meters_; }
  [[nodiscard]] const Meters& meters() const { return meters_; }
  /// What this process sent to other processes.
  [[nodiscard]] virtual WireMeters wire() const { return {}; }

  // ---- the method's own communication: neighbours only, charged ----

  /// y = x Lap, that is y_i = deg_i x_i - sum of x_j over i's neighbours. One round.
  void laplacian(const Stacked& x, Stacked& y);
  /// y = x W. One round.
  void mix(const MixingWeights& w, const Stacked& x, Stacked& y);

  /// Agreement on a few numbers: up a spanning tree and down again, from neighbour to neighbour.
  /// `values` is k x local_nodes(); every node ends with the same k sums (largest values), summed in
  /// the order of the tree whatever the network. 2 (nodes - 1) messages of 8 k bytes.
  Vector agree_sum(const Matrix& values);
  Vector agree_max(const Matrix& values);

  // ---- measuring and control: not the method's, not charged to it ----
  //
  // A network may be told to measure without a centre (ControlScope::kLocal in runtime/mpi_network.h).
  // "All nodes" then are the nodes of this process, and each process has its own trace.

  /// Sums one number a node over all nodes, in the order of the nodes.
  [[nodiscard]] virtual double control_sum(ConstVectorRef per_local_node) = 0;
  [[nodiscard]] virtual double control_max(ConstVectorRef per_local_node) = 0;
  /// The mean of all columns, in the order of the nodes.
  virtual void control_mean(const Stacked& x, Vector& mean) = 0;
  /// Totals of the meters over all nodes.
  [[nodiscard]] virtual MeterTotals control_totals() = 0;
  /// What all processes sent to one another.
  [[nodiscard]] virtual WireMeters control_wire() { return {}; }
  /// All nodes' meters, in the order of the nodes.
  [[nodiscard]] virtual std::vector<NodeMeters> control_node_meters() = 0;
  /// All columns, in the order of the nodes: for measures that look across edges.
  virtual void control_gather(const Stacked& x, Stacked& all) = 0;
  /// y = x Lap for the trace: the same numbers as `laplacian`, not charged.
  void control_laplacian(const Stacked& x, Stacked& y);
  /// True if it is true on any process. Stopping, signals and time limits go through this, so that
  /// all processes stop at the same step.
  [[nodiscard]] virtual bool control_any(bool here) = 0;
  /// A number from the root, so that clocks do not part the processes.
  [[nodiscard]] virtual double control_from_root(double here) = 0;

 protected:
  /// Whose message it is: the method's own, or measuring and stopping.
  enum class Traffic { kMethod, kControl };

  /// Begins to send every local column to its node's neighbours. From here on `column(j)` is ready for
  /// local j; x must stay as it is until `finish_exchange`.
  virtual void start_exchange(const Stacked& x, Traffic traffic) = 0;
  /// Returns when `column(j)` is ready for every j that is a local node or a neighbour of one. Valid
  /// until the next exchange or until x changes.
  virtual void finish_exchange() = 0;
  [[nodiscard]] virtual const double* column(Index node) const = 0;

  enum class Reduction { kSum, kMax };
  /// The tree's work on k x local_nodes() values; the result at every node. Not charged here.
  virtual Vector reduce_over_tree(const Matrix& values, Reduction reduction) = 0;
  [[nodiscard]] const SpanningTree& tree() const { return tree_; }

 private:
  /// combine(i) for every local node i, each as soon as its neighbours' columns are at hand: nodes
  /// whose neighbours are all local are worked on while the others' messages travel.
  template <class Combine>
  void for_each_exchanged(const Stacked& x, Traffic traffic, Combine&& combine);
  void subtract_neighbours(const Stacked& x, Index local, Stacked& y) const;
  void charge_round(Index dimension);
  Vector agree(const Matrix& values, Reduction reduction);

  Graph graph_;
  SpanningTree tree_;
  Index first_node_;
  Index local_nodes_;
  std::vector<Index> interior_;  ///< local nodes whose neighbours are all local
  std::vector<Index> boundary_;  ///< the other local nodes
  Meters meters_;
};

}  // namespace slidemesh
