#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "slidemesh/core/meters.h"
#include "slidemesh/linalg/types.h"
#include "slidemesh/network/network.h"

namespace slidemesh {

/// Whom measuring looks at.
enum class ControlScope {
  /// All nodes of all processes: through the root, by messages between any two processes.
  kAllNodes,
  /// `trace = "local"`: this process's nodes, and each process has a trace of its own. No process hears of another but
  /// its neighbours: what must be decided together travels over the graph's spanning tree.
  kThisProcess,
};

/// Measuring, stopping and files: what is done about a run and not by its method. Nothing is charged to the method's
/// meters. Algorithms cannot see this class: they do not link its module.
///
/// Copied freely: it is a network and a scope. All processes call the same functions in the same order.
class Control {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): over all nodes a network says everything
  Control(Network& network, ControlScope scope = ControlScope::kAllNodes) : network_(&network), scope_(scope) {}

  [[nodiscard]] Network& network() const { return *network_; }
  [[nodiscard]] ControlScope scope() const { return scope_; }
  /// True on the one process that writes files and reports for the run.
  [[nodiscard]] bool is_root() const;

  // ---- over the scope: all nodes, or this process's ----

  /// How many nodes the scope has.
  [[nodiscard]] Index nodes() const;
  /// Sums one number per node, in the order of the nodes.
  [[nodiscard]] double sum(ConstVectorRef per_local_node) const;
  [[nodiscard]] double max(ConstVectorRef per_local_node) const;
  /// The mean of the columns; over all nodes it is that of `mean_over_tree`.
  void mean(const Stacked& x, Vector& mean) const;
  /// All columns, in the order of the nodes.
  void gather(const Stacked& x, Stacked& all) const;
  /// Totals of the meters.
  [[nodiscard]] MeterTotals totals() const;
  /// The nodes' meters, in the order of the nodes.
  [[nodiscard]] std::vector<NodeMeters> node_meters() const;
  /// What the processes sent to one another.
  [[nodiscard]] WireMeters wire() const;

  // ---- this process's own ----

  [[nodiscard]] WireMeters local_wire() const;
  /// y = x Lap: the same numbers as the network's, not charged.
  void laplacian(const Stacked& x, Stacked& y) const;

  // ---- always over all nodes ----
  //
  // With a scope of this process they go over the spanning tree: a process hears the sums over the nodes behind each of
  // its neighbours, and no node's own numbers but theirs.

  /// Sums one number per node.
  [[nodiscard]] double total(ConstVectorRef per_local_node) const;
  /// Sums k numbers per node, k x local nodes, by one agreement.
  [[nodiscard]] Vector totals_of(const Matrix& per_local_node) const;
  /// x̄, summed in the order of the tree whatever the scope: what is measured, certified and written has the same bits,
  /// where there is a centre and where there is none.
  void mean_over_tree(const Stacked& x, Vector& mean) const;
  /// The largest that any process has of each number, by one agreement. Stopping, signals and time limits go through
  /// this, so that all processes stop at the same step.
  [[nodiscard]] Vector maxima_of(const Vector& here) const;
  /// True if it is true on any process.
  [[nodiscard]] bool any(bool here) const;
  /// A number from the root, so that clocks do not part the processes.
  [[nodiscard]] double from_root(double here) const;
  [[nodiscard]] std::string from_root(const std::string& here) const;

 private:
  [[nodiscard]] bool is_local() const { return scope_ == ControlScope::kThisProcess; }
  /// One item per node, in the order of the nodes, at every process.
  template <class T>
  [[nodiscard]] std::vector<T> all_of(const std::vector<T>& mine) const;
  void broadcast(std::span<std::byte> bytes) const;
  [[nodiscard]] Vector reduce_over_tree(Matrix values, Reduction reduction) const;
  /// Over all nodes: through the root, or over the tree.
  [[nodiscard]] Vector over_all(const Matrix& per_local_node, Reduction reduction) const;

  Network* network_;
  ControlScope scope_;
};

}  // namespace slidemesh
