#pragma once

#include <memory>
#include <vector>

#include "slidemesh/core/graph.h"
#include "slidemesh/core/meters.h"
#include "slidemesh/core/wire.h"
#include "slidemesh/linalg/compact_stacked.h"
#include "slidemesh/linalg/types.h"

namespace slidemesh {

class RidingSums;
class Transport;
struct Rider;
enum class Traffic;
enum class Reduction;

/// Symmetric doubly stochastic weights on a graph: W = diagonal + the edges' weights.
struct MixingWeights {
  Vector diagonal;                        ///< one for each node
  std::vector<std::vector<double>> edge;  ///< edge[i][e]: weight of node i's e-th neighbour
};

/// The nodes' means to talk to their neighbours. An algorithm is written over a local block of columns and this class,
/// and cannot tell how messages travel: that is the transport's (in this process, over MPI, ...). What a method may not
/// use is not here: measuring, stopping and files go through Control, which algorithms cannot see.
///
/// The arithmetic on what arrived is here, in one fixed order, so that every transport gives the same bits. Rounds,
/// hops, messages and bytes are charged to `meters()` as they happen.
class Network {
 public:
  explicit Network(std::unique_ptr<Transport> transport);
  virtual ~Network();
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  [[nodiscard]] const Graph& graph() const { return graph_; }
  [[nodiscard]] Index nodes() const { return graph_.nodes(); }
  /// The nodes of this process are first_node() .. first_node() + local_nodes() - 1.
  [[nodiscard]] Index first_node() const { return first_node_; }
  [[nodiscard]] Index local_nodes() const { return local_nodes_; }
  [[nodiscard]] Index global(Index local) const { return first_node_ + local; }
  [[nodiscard]] bool owns(Index node) const { return node >= first_node_ && node < first_node_ + local_nodes_; }

  [[nodiscard]] Meters& meters() { return meters_; }
  [[nodiscard]] const Meters& meters() const { return meters_; }

  /// How the numbers of the rounds below travel; all processes must say the same. With kFloat32 a node takes its own
  /// numbers as its neighbours get them: y = r(x) Lap still sums to zero over the nodes, and y = x + r(x) (W − I) to
  /// what x sums to. With kSparse the bits are those of kFloat64. Agreed numbers, and those of measuring, always travel
  /// as they are.
  void set_wire(Wire wire);
  [[nodiscard]] Wire wire() const { return wire_; }

  /// y = x Lap, that is y_i = deg_i x_i - sum of x_j over i's neighbours. One round.
  void laplacian(const Stacked& x, Stacked& y);
  /// y = x W. One round.
  void mix(const MixingWeights& w, const Stacked& x, Stacked& y);
  /// x becomes x W. One round.
  void mix(const MixingWeights& w, Stacked& x);

  /// Whether a round's numbers stay in this process as they are. What it makes of rows that nobody has looked at yet
  /// may then be worked out later, and by whoever holds them.
  [[nodiscard]] bool can_mix_late() const;
  /// x becomes x W, for the rows that are wanted at once out of `rows` in all. A round, charged as one of all rows;
  /// only where `can_mix_late()`.
  void mix_part(const MixingWeights& w, Stacked& x, Index rows);

  /// Whether variables of which some rows alone are kept can be mixed as they are: where all nodes are in this process,
  /// and numbers are not rounded on their way.
  [[nodiscard]] bool can_mix_compact() const;
  /// x becomes x W, to the bits of `mix` on all rows. A round, charged as one of all rows; only where
  /// `can_mix_compact()`.
  void mix_compact(const MixingWeights& w, CompactStacked& x);

  /// Agreement on a few numbers: up a spanning tree and down again, from neighbour to neighbour.
  /// `values` is k x local_nodes(); every node ends with the same k sums (largest values), summed in
  /// the order of the tree whatever the transport. 2 (nodes - 1) messages of 8 k bytes, and 2 hops for each level of
  /// the tree.
  Vector agree_sum(const Matrix& values);
  Vector agree_max(const Matrix& values);
  // Sums that need no waiting: RidingSums (riding_sums.h).

  // ---- with a centre: for the baselines that have one ----

  /// The mean of all columns, summed in the order of the nodes, at every node. Messages and bytes are charged to
  /// nobody: rounds between neighbours are not what a centre would use. Hops are those of an agreement.
  void mean_at_centre(const Stacked& x, Vector& mean);

 private:
  friend class Control;
  friend class RidingSums;

  /// y = x Lap as anyone's, not charged.
  void laplacian(const Stacked& x, Traffic traffic, Stacked& y);
  /// combine(i) for every local node i, each as soon as its neighbours' columns are at hand: nodes
  /// whose neighbours are all local are worked on while the others' messages travel.
  template <class Combine>
  void for_each_exchanged(const Stacked& x, Traffic traffic, Combine&& combine);
  void begin_round(const Stacked& x, Traffic traffic);
  void end_round(Traffic traffic);
  /// Elementary operations of a node.
  [[nodiscard]] double round_work(Index rows) const;
  void charge_round(const Stacked& x);
  template <class Bytes>
  void charge_messages(Bytes&& bytes_of_node);
  void exchange_and_mix(const MixingWeights& w, const Stacked& x, Stacked& y);
  /// A round where all nodes are in this process.
  void mix_in_place(const MixingWeights& w, Stacked& x);
  /// What node `local` sends a neighbour.
  [[nodiscard]] Count message_bytes(const Stacked& x, Index local) const;
  [[nodiscard]] bool rounds_numbers(Traffic traffic) const;
  /// x as floats, two in the place of each double.
  const Stacked& packed(const Stacked& x);
  Vector agree(const Matrix& values, Reduction reduction);

  std::unique_ptr<Transport> transport_;
  const Graph& graph_;
  Index first_node_;
  Index local_nodes_;
  std::vector<Index> interior_;  ///< local nodes whose neighbours are all local
  std::vector<Index> boundary_;  ///< the other local nodes
  std::vector<RidingSums*> riding_;
  std::vector<Rider> sent_riders_;  ///< of the round under way
  std::vector<Rider> received_riders_;
  Wire wire_ = Wire::kFloat64;
  Stacked packed_;  ///< of the round under way, where numbers are rounded
  Stacked mixed_;   ///< where a round's result goes that cannot take the place of what it is made from
  Vector largest_;  ///< magnitude in each of its columns
  Meters meters_;
};

}  // namespace slidemesh
