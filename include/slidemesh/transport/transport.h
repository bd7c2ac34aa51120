#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "slidemesh/core/graph.h"
#include "slidemesh/core/meters.h"
#include "slidemesh/core/wire.h"
#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// Whose message it is: the method's own, or that of measuring and stopping. They are counted apart.
enum class Traffic { kMethod, kControl };

enum class Reduction { kSum, kMax };

/// A few numbers that travel on the message from a node to a neighbour, beside its column.
struct Rider {
  Index from = 0;
  Index to = 0;
  std::span<double> values;
  bool is_control = false;  ///< of measuring and stopping, on the method's message
};

/// The riders of one exchange between this process's nodes and others'. Both processes at the ends of an edge list the
/// same riders in the same order and with the same number of values.
struct Riders {
  std::span<const Rider> sent;
  std::span<const Rider> received;
};

template <class T>
[[nodiscard]] std::span<const std::byte> bytes_of(const T* data, std::size_t count) {
  static_assert(std::is_trivially_copyable_v<T>);
  return std::as_bytes(std::span(data, count));
}
template <class T>
[[nodiscard]] std::span<std::byte> writable_bytes_of(T* data, std::size_t count) {
  static_assert(std::is_trivially_copyable_v<T>);
  return std::as_writable_bytes(std::span(data, count));
}

/// Carries messages between the processes that the nodes are spread over. `Network` (what a method may use) and
/// `Control` (measuring and stopping) are written once over this class; no other code sees it.
///
/// A new transport implements the seven pure functions below, in a folder and a CMake target of its own, and a function
/// `make_..._network` that returns a Network over it (docs/adding-a-transport.md). It does no arithmetic: order and
/// rounding are decided here and in Network, which is what makes all transports give the same bits.
///
/// What every transport must keep:
///   - A process has the consecutive nodes first_node .. first_node + local_nodes - 1, and at least one. The process
///     that has node 0 is the root: it writes the files and reports for the run.
///   - All processes call the same functions in the same order. Calls come from one thread.
///   - Messages from one node to another arrive whole and in the order in which they were sent, those of one `Traffic`
///     not mixed up with those of the other.
///   - Only processes that share an edge of the graph talk to each other, but for `gather` and `broadcast` where a
///     transport overrides them.
///   - Nothing waits for ever: a process that is lost, or silent for longer than the time-out, is a PeerLostError that
///     names it.
class Transport {
 public:
  Transport(Graph graph, Index first_node, Index local_nodes);
  virtual ~Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  [[nodiscard]] const Graph& graph() const { return graph_; }
  [[nodiscard]] const SpanningTree& tree() const { return tree_; }
  [[nodiscard]] Index nodes() const { return graph_.nodes(); }
  [[nodiscard]] Index first_node() const { return first_node_; }
  [[nodiscard]] Index local_nodes() const { return local_nodes_; }
  [[nodiscard]] bool is_alone() const { return local_nodes_ == nodes(); }
  [[nodiscard]] bool is_root() const { return owns(0); }
  [[nodiscard]] bool owns(Index node) const { return node >= first_node_ && node < first_node_ + local_nodes_; }

  /// What the columns of the method's rounds hold: with kFloat32 floats, two in the place of each double, and a zero
  /// behind an odd one: nothing that carries doubles needs to know. With kSparse the columns are doubles, and it is the
  /// transport that sends them without their zeros (sparse_message.h) and gives them back whole.
  [[nodiscard]] Wire wire_of(Traffic traffic) const { return traffic == Traffic::kMethod ? wire_ : Wire::kFloat64; }
  void set_wire(Wire wire) { wire_ = wire; }

  // ---- a round ----

  /// Begins to send every local column to its node's neighbours, and the riders with them. From here on `column(j)` is
  /// ready for local j; x and the riders' values must stay as they are until `finish_exchange`.
  virtual void start_exchange(const Stacked& x, Traffic traffic, const Riders& riders) = 0;
  /// Returns when `column(j)` is ready for every j that is a local node or a neighbour of one, valid until the next
  /// exchange or until x changes, and the received riders have their values.
  virtual void finish_exchange() = 0;
  [[nodiscard]] virtual const double* column(Index node) const = 0;

  // ---- a message from one node to a neighbour at another process ----

  /// Does not wait for the receiver. The bytes must stay as they are until `finish_sends`.
  virtual void send(Index from, Index to, std::span<const std::byte> bytes, Traffic traffic) = 0;
  /// Waits for the next message from node `from` to the local node `to`; the caller knows its size.
  virtual void receive(Index from, Index to, std::span<std::byte> bytes, Traffic traffic) = 0;
  virtual void finish_sends() = 0;

  /// What this process has sent to others so far.
  [[nodiscard]] virtual WireMeters wire() const = 0;

  // ---- bytes through the root, always as control traffic ----
  // Over the spanning tree, unless a transport has a shorter way.

  /// The nodes' items, `mine.size() / local_nodes()` bytes each, into `all` at the root, in the order of the nodes.
  /// `all` is not looked at elsewhere.
  virtual void gather(std::span<const std::byte> mine, std::span<std::byte> all) { gather_over_tree(mine, all); }
  /// The root's bytes to all processes.
  virtual void broadcast(std::span<std::byte> bytes) { broadcast_over_tree(bytes); }

  // ---- made of the above: from neighbour to neighbour along a spanning tree, the same order on every transport ----

  /// Column i of `partial` is local node i's. Children before parents, each node combines its children's results,
  /// ascending, with its own value; the root ends with the result over all nodes.
  void reduce_up(const SpanningTree& tree, Matrix& partial, Reduction reduction, Traffic traffic);
  /// Every column becomes the root's.
  void pass_down(const SpanningTree& tree, Matrix& columns, Traffic traffic);
  void gather_over_tree(std::span<const std::byte> mine, std::span<std::byte> all);
  void broadcast_over_tree(std::span<std::byte> bytes);

 private:
  [[nodiscard]] const std::vector<std::vector<Index>>& subtrees();

  Graph graph_;
  SpanningTree tree_;
  Index first_node_;
  Index local_nodes_;
  Wire wire_ = Wire::kFloat64;
  std::vector<std::vector<Index>>
      subtrees_;  ///< of each node the nodes below it and itself, ascending; made when needed
};

/// The sum and the largest values of the columns, row by row.
[[nodiscard]] Vector sum_in_order(const Matrix& columns);
[[nodiscard]] Vector max_in_order(const Matrix& columns);
/// One of them over the columns of all nodes, in their order: taken at the root, and from there sent to every process.
[[nodiscard]] Vector combined_at_root(Transport& transport, const Matrix& columns,
                                      Vector (*combined)(const Matrix& columns));

/// All nodes in this process. Nothing is copied: a neighbour's column is read where it lies.
class InProcessTransport final : public Transport {
 public:
  explicit InProcessTransport(const Graph& graph) : Transport(graph, 0, graph.nodes()) {}

  void start_exchange(const Stacked& x, Traffic traffic, const Riders& riders) override;
  void finish_exchange() override {}
  [[nodiscard]] const double* column(Index node) const override { return columns_ + node * dimension_; }
  void send(Index from, Index to, std::span<const std::byte> bytes, Traffic traffic) override;
  void receive(Index from, Index to, std::span<std::byte> bytes, Traffic traffic) override;
  void finish_sends() override {}
  [[nodiscard]] WireMeters wire() const override { return {}; }

 private:
  const double* columns_ = nullptr;
  Index dimension_ = 0;
};

}  // namespace slidemesh
