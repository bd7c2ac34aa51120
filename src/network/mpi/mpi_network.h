#pragma once

#include <vector>

#include "session.h"
#include "slidemesh/network/mpi_network.h"

namespace slidemesh::mpi {

/// The network over MPI: a distributed graph communicator of the ranks that share an edge, for the method; the
/// session's Control for measuring.
class MpiNetwork final : public Network {
 public:
  MpiNetwork(Session& session, const Graph& graph, const MpiNetworkOptions& options);
  MpiNetwork(const MpiNetwork&) = delete;
  MpiNetwork& operator=(const MpiNetwork&) = delete;
  ~MpiNetwork() override;

  [[nodiscard]] bool is_root() const override { return peers_.rank() == 0; }
  [[nodiscard]] WireMeters wire() const override;

  [[nodiscard]] double control_sum(ConstVectorRef per_local_node) override;
  [[nodiscard]] double control_max(ConstVectorRef per_local_node) override;
  void control_mean(const Stacked& x, Vector& mean) override;
  [[nodiscard]] MeterTotals control_totals() override;
  [[nodiscard]] WireMeters control_wire() override;
  [[nodiscard]] std::vector<NodeMeters> control_node_meters() override;
  void control_gather(const Stacked& x, Stacked& all) override;
  [[nodiscard]] bool control_any(bool here) override;
  [[nodiscard]] double control_from_root(double here) override;

  static constexpr Traffic kMethodTraffic = Traffic::kMethod;
  void start_exchange(const Stacked& x, Traffic traffic) override;
  void finish_exchange() override;

 protected:
  [[nodiscard]] const double* column(Index node) const override;
  Vector reduce_over_tree(const Matrix& values, Reduction reduction) override;

 private:
  /// Neighbouring columns that travel between this rank and another in one message.
  struct ColumnRun {
    int rank = 0;
    Index node = 0;  ///< the first one
    Index count = 0;
    Index place = 0;  ///< its column in the sender's block, or in `arrived_`
  };

  struct Envelope {
    int rank = 0;
    int tag = 0;
    Traffic traffic = Traffic::kMethod;
  };

  MpiNetwork(Session& session, const Graph& graph, const MpiNetworkOptions& options, NodeRange own);

  [[nodiscard]] int size() const { return peers_.size(); }
  [[nodiscard]] NodeRange range(int rank) const { return nodes_of_rank(nodes(), size(), rank); }
  [[nodiscard]] int owner(Index node) const { return rank_of_node(nodes(), size(), node); }
  [[nodiscard]] bool local_scope() const { return options_.control == ControlScope::kLocal; }
  [[nodiscard]] MPI_Comm communicator(Traffic traffic) const;
  void plan_exchange();
  void create_communicator();
  [[nodiscard]] std::vector<ColumnRun> runs_between(int from, int to) const;
  void send(const double* data, Index count, const Envelope& to, Pending& pending);
  void receive(double* data, Index count, const Envelope& from, Pending& pending);
  Vector reduce_over_tree(const Matrix& values, Reduction reduction, Traffic traffic);
  void gather_up_the_tree(Matrix& partial, Reduction reduction, Traffic traffic);
  void pass_down_the_tree(Matrix& partial, Traffic traffic);
  [[nodiscard]] int up_tag(Index child) const;
  [[nodiscard]] int down_tag(Index child) const;
  /// All nodes' items in the order of the nodes, at rank 0; `each` items a node.
  template <class T>
  void gather_nodes(const T* mine, T* all, Index each);

  MpiNetworkOptions options_;
  Peers& peers_;
  Control& control_;
  MPI_Comm neighbours_ = MPI_COMM_NULL;
  std::vector<ColumnRun> outgoing_;
  std::vector<ColumnRun> incoming_;
  std::vector<Index> place_;  ///< of a node's column in arrived_; -1 if it never arrives
  Index arriving_ = 0;        ///< how many columns arrive
  std::vector<double> arrived_;
  const double* columns_ = nullptr;  ///< this rank's own, as of the last exchange
  Index dimension_ = 0;
  Pending pending_;
  WireMeters wire_;
  Count control_messages_before_ = 0;
  Count control_bytes_before_ = 0;
};

}  // namespace slidemesh::mpi
