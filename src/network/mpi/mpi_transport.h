#pragma once

#include <vector>

#include "collectives.h"
#include "slidemesh/network/mpi_network.h"
#include "slidemesh/transport/transport.h"

namespace slidemesh::mpi {

/// The nodes spread over the ranks of an MPI job: a distributed graph communicator of the ranks that share an edge, for
/// the method; the session's Collectives for control.
class MpiTransport final : public Transport {
 public:
  MpiTransport(MpiSession& session, const Graph& graph, const MpiNetworkOptions& options);
  MpiTransport(const MpiTransport&) = delete;
  MpiTransport& operator=(const MpiTransport&) = delete;
  ~MpiTransport() override;

  void start_exchange(const Stacked& x, Traffic traffic, const Riders& riders) override;
  void finish_exchange() override;
  [[nodiscard]] const double* column(Index node) const override;
  void send(Index from, Index to, std::span<const std::byte> bytes, Traffic traffic) override;
  void receive(Index from, Index to, std::span<std::byte> bytes, Traffic traffic) override;
  void finish_sends() override { peers_.wait(sends_); }
  [[nodiscard]] WireMeters wire() const override;
  void gather(std::span<const std::byte> mine, std::span<std::byte> all) override;
  void broadcast(std::span<std::byte> bytes) override { collectives_.broadcast(bytes); }

 private:
  /// Neighbouring columns that travel between this rank and another in one message.
  struct ColumnRun {
    int rank = 0;
    Index node = 0;  ///< the first one
    Index count = 0;
    Index place = 0;            ///< its column in the sender's block, or in `arrived_`
    bool takes_riders = false;  ///< the last run between two ranks does
  };

  MpiTransport(MpiSession& session, const Graph& graph, const MpiNetworkOptions& options, NodeRange own);

  [[nodiscard]] int size() const { return peers_.size(); }
  [[nodiscard]] NodeRange range(int rank) const { return nodes_of_rank(nodes(), size(), rank); }
  [[nodiscard]] int owner(Index node) const { return rank_of_node(nodes(), size(), node); }
  [[nodiscard]] Address address(int rank, Index tag, Traffic traffic) const;
  void plan_exchange();
  void create_communicator();
  [[nodiscard]] std::vector<ColumnRun> runs_between(int from, int to) const;
  void post_send(std::span<const std::byte> bytes, const Address& to, Traffic traffic, Pending& pending);
  void post_receive(std::span<std::byte> bytes, const Address& from, Pending& pending);
  /// Where a run's columns arrive.
  [[nodiscard]] std::span<double> arrived(const ColumnRun& run);
  void pack(const ColumnRun& run, std::span<const Rider> riders, std::vector<std::byte>& message) const;
  void unpack(const ColumnRun& run, std::span<const std::byte> message);
  [[nodiscard]] std::size_t rider_bytes(const ColumnRun& run, std::span<const Rider> riders, bool sent) const;
  /// Whether a run's message is another than its columns as they lie.
  [[nodiscard]] bool is_packed(const ColumnRun& run, std::span<const Rider> riders, bool sent) const {
    return is_sparse_ || rider_bytes(run, riders, sent) > 0;
  }

  Peers& peers_;
  Collectives& collectives_;
  MPI_Comm neighbours_ = MPI_COMM_NULL;
  std::vector<ColumnRun> outgoing_;
  std::vector<ColumnRun> incoming_;
  std::vector<Index> place_;  ///< of a node's column in arrived_; -1 if it never arrives
  Index arriving_ = 0;        ///< how many columns arrive
  std::vector<double> arrived_;
  std::vector<std::vector<std::byte>> sent_;      ///< the packed messages, one for each outgoing run
  std::vector<std::vector<std::byte>> received_;  ///< and incoming one
  std::span<const Rider> expected_;               ///< riders of the exchange under way
  const double* columns_ = nullptr;               ///< this rank's own, as of the last exchange
  Index dimension_ = 0;
  bool is_sparse_ = false;  ///< the exchange under way
  Pending pending_;         ///< of the exchange, or of a message that is waited for
  Pending sends_;
  WireMeters wire_;
  Count collective_messages_before_ = 0;
  Count collective_bytes_before_ = 0;
};

}  // namespace slidemesh::mpi
