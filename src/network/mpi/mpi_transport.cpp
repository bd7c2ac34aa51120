#include "mpi_transport.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "slidemesh/base/fail.h"
#include "slidemesh/transport/sparse_message.h"

namespace slidemesh {

std::unique_ptr<Network> make_mpi_network(MpiSession& session, const Graph& graph, const MpiNetworkOptions& options) {
  return std::make_unique<Network>(std::make_unique<mpi::MpiTransport>(session, graph, options));
}

namespace mpi {

namespace {

constexpr Index kExchangeTag = 1;
/// A tree message is named by the node that sends it. A node has one parent, and its children hear it in ascending
/// order, which is the order in which a rank that has several of them listens.
constexpr Index kFirstTreeTag = 2;

std::string serialize(const Graph& graph) {
  std::string text = std::to_string(graph.nodes());
  for (const auto& [i, j] : graph.edge_list()) {
    text += ' ' + std::to_string(i) + '-' + std::to_string(j);
  }
  return text;
}

NodeRange checked_range(const Graph& graph, const Peers& peers) {
  require<UsageError>(peers.size() <= graph.nodes(), "network.nodes", "at least as many nodes as MPI ranks",
                      fmt::format("{} nodes for {} ranks", graph.nodes(), peers.size()));
  return nodes_of_rank(graph.nodes(), peers.size(), peers.rank());
}

/// How long a sparse message is only its sender knows, and MPI takes a shorter one than a receive has room for. One
/// that would have to be sent in pieces has a number of them that only its sender knows.
void require_one_piece(std::size_t bytes) {
  if (bytes > kLargestMessage) {
    fail<UsageError>("network.wire", "columns that fit into one message of 1 GiB between two ranks where it is sparse",
                     fmt::format("up to {} bytes", bytes));
  }
}

}  // namespace

MpiTransport::MpiTransport(MpiSession& session, const Graph& graph, const MpiNetworkOptions& options)
    : MpiTransport(session, graph, options, checked_range(graph, *session.parts().peers)) {}

MpiTransport::MpiTransport(MpiSession& session, const Graph& graph, const MpiNetworkOptions& options, NodeRange own)
    : Transport(graph, own.first, own.count),
      peers_(*session.parts().peers),
      collectives_(*session.parts().collectives) {
  peers_.set_timeout(options.timeout_seconds);
  session.require_same("graph", serialize(graph));
  peers_.set_nodes(nodes());
  plan_exchange();
  collectives_.barrier();  // all are alive just before the call that cannot be given up
  create_communicator();
  collective_messages_before_ = collectives_.messages();
  collective_bytes_before_ = collectives_.bytes();
}

MpiTransport::~MpiTransport() { peers_.release(neighbours_); }

/// The nodes of `from` that have a neighbour at `to`, consecutive ones together.
std::vector<MpiTransport::ColumnRun> MpiTransport::runs_between(int from, int to) const {
  const NodeRange target = range(to);
  const NodeRange source = range(from);
  std::vector<ColumnRun> runs;
  for (Index node = source.first; node < source.first + source.count; ++node) {
    const auto neighbours = graph().neighbours(node);
    const auto first = std::lower_bound(neighbours.begin(), neighbours.end(), target.first);
    if (first == neighbours.end() || *first >= target.first + target.count) {
      continue;
    }
    if (!runs.empty() && runs.back().node + runs.back().count == node) {
      ++runs.back().count;
    } else {
      runs.push_back({from == peers_.rank() ? to : from, node, 1, node - source.first});
    }
  }
  if (!runs.empty()) {
    runs.back().takes_riders = true;
  }
  return runs;
}

void MpiTransport::plan_exchange() {
  place_.assign(static_cast<std::size_t>(nodes()), -1);
  for (int rank = 0; rank < size(); ++rank) {
    if (rank == peers_.rank()) {
      continue;
    }
    const auto out = runs_between(peers_.rank(), rank);
    outgoing_.insert(outgoing_.end(), out.begin(), out.end());
    for (ColumnRun run : runs_between(rank, peers_.rank())) {
      run.place = arriving_;
      for (Index c = 0; c < run.count; ++c) {
        place_[static_cast<std::size_t>(run.node + c)] = arriving_++;
      }
      incoming_.push_back(run);
    }
  }
}

void MpiTransport::create_communicator() {
  std::vector<int> ranks;
  for (const ColumnRun& run : outgoing_) {
    if (ranks.empty() || ranks.back() != run.rank) {
      ranks.push_back(run.rank);
    }
  }
  const BlockingCallGuard guard(peers_.timeout_seconds());
  const auto degree = static_cast<int>(ranks.size());
  // Edges go both ways, so whom this rank hears is whom it tells. Ranks keep their numbers: nodes belong to them.
  MPI_Dist_graph_create_adjacent(collectives_.communicator(), degree, ranks.data(), MPI_UNWEIGHTED, degree,
                                 ranks.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &neighbours_);
  name_communicator(neighbours_, "slidemesh.neighbours");
}

Address MpiTransport::address(int rank, Index tag, Traffic traffic) const {
  return {rank, static_cast<int>(tag), traffic == Traffic::kMethod ? neighbours_ : collectives_.communicator()};
}

void MpiTransport::post_send(std::span<const std::byte> bytes, const Address& to, Traffic traffic, Pending& pending) {
  if (!bytes.empty()) {
    const bool is_method = traffic == Traffic::kMethod;
    (is_method ? wire_.messages : wire_.control_messages) += peers_.send(bytes, to, pending);
    (is_method ? wire_.bytes : wire_.control_bytes) += static_cast<Count>(bytes.size());
  }
}

void MpiTransport::post_receive(std::span<std::byte> bytes, const Address& from, Pending& pending) {
  if (!bytes.empty()) {
    peers_.receive(bytes, from, pending);
  }
}

std::span<double> MpiTransport::arrived(const ColumnRun& run) {
  return {arrived_.data() + run.place * dimension_, static_cast<std::size_t>(run.count * dimension_)};
}

std::size_t MpiTransport::rider_bytes(const ColumnRun& run, std::span<const Rider> riders, bool sent) const {
  std::size_t bytes = 0;
  for (const Rider& rider : run.takes_riders ? riders : std::span<const Rider>{}) {
    bytes += owner(sent ? rider.to : rider.from) == run.rank ? rider.values.size_bytes() : 0;
  }
  return bytes;
}

/// A message is the run's columns, each as sparse_message.h has it where the wire is sparse, then its riders' values.
void MpiTransport::pack(const ColumnRun& run, std::span<const Rider> riders, std::vector<std::byte>& message) const {
  message.clear();
  const auto append = [&](std::span<const std::byte> bytes) {
    message.insert(message.end(), bytes.begin(), bytes.end());
  };
  const double* columns = columns_ + run.place * dimension_;
  if (!is_sparse_) {
    append(bytes_of(columns, static_cast<std::size_t>(run.count * dimension_)));
  }
  for (Index c = 0; is_sparse_ && c < run.count; ++c) {
    append_sparse(columns + c * dimension_, dimension_, message);
  }
  for (const Rider& rider : run.takes_riders ? riders : std::span<const Rider>{}) {
    if (owner(rider.to) == run.rank) {
      append(std::as_bytes(rider.values));
    }
  }
}

void MpiTransport::unpack(const ColumnRun& run, std::span<const std::byte> message) {
  const auto take = [&](std::span<std::byte> into) {
    std::memcpy(into.data(), message.data(), into.size());
    message = message.subspan(into.size());
  };
  const std::span<double> columns = arrived(run);
  if (!is_sparse_) {
    take(std::as_writable_bytes(columns));
  }
  for (Index c = 0; is_sparse_ && c < run.count; ++c) {
    const auto d = static_cast<std::size_t>(dimension_);
    const auto size = read_sparse(message, columns.subspan(static_cast<std::size_t>(c) * d, d));
    if (!size) {
      fail<InternalError>(fmt::format("rank {}", run.rank), "a sparse column", "bytes that make none");
    }
    message = message.subspan(*size);
  }
  for (const Rider& rider : run.takes_riders ? expected_ : std::span<const Rider>{}) {
    if (owner(rider.from) == run.rank) {
      take(std::as_writable_bytes(rider.values));
    }
  }
}

void MpiTransport::start_exchange(const Stacked& x, Traffic traffic, const Riders& riders) {
  columns_ = x.data();
  expected_ = riders.received;
  if (dimension_ != x.rows()) {
    dimension_ = x.rows();
    arrived_.resize(static_cast<std::size_t>(dimension_ * arriving_));
  }
  pending_.clear();
  is_sparse_ = wire_of(traffic) == Wire::kSparse;
  const std::size_t column =
      is_sparse_ ? largest_sparse_size(dimension_) : static_cast<std::size_t>(dimension_) * sizeof(double);
  received_.resize(incoming_.size());
  for (std::size_t r = 0; r < incoming_.size(); ++r) {
    const ColumnRun& run = incoming_[r];
    auto bytes = std::as_writable_bytes(arrived(run));
    if (is_packed(run, riders.received, false)) {
      received_[r].resize(static_cast<std::size_t>(run.count) * column + rider_bytes(run, riders.received, false));
      bytes = received_[r];
      require_one_piece(is_sparse_ ? bytes.size() : 0);
    }
    post_receive(bytes, address(run.rank, kExchangeTag, traffic), pending_);
  }
  sent_.resize(outgoing_.size());
  for (std::size_t r = 0; r < outgoing_.size(); ++r) {
    const ColumnRun& run = outgoing_[r];
    auto bytes = bytes_of(columns_ + run.place * dimension_, static_cast<std::size_t>(run.count * dimension_));
    if (is_packed(run, riders.sent, true)) {
      pack(run, riders.sent, sent_[r]);
      bytes = sent_[r];
      require_one_piece(is_sparse_ ? bytes.size() : 0);
    }
    post_send(bytes, address(run.rank, kExchangeTag, traffic), traffic, pending_);
  }
}

void MpiTransport::finish_exchange() {
  peers_.wait(pending_);
  for (std::size_t r = 0; r < incoming_.size(); ++r) {
    if (is_packed(incoming_[r], expected_, false)) {
      unpack(incoming_[r], received_[r]);
    }
  }
}

const double* MpiTransport::column(Index node) const {
  if (owns(node)) {
    return columns_ + (node - first_node()) * dimension_;
  }
  return arrived_.data() + place_[static_cast<std::size_t>(node)] * dimension_;
}

void MpiTransport::send(Index from, Index to, std::span<const std::byte> bytes, Traffic traffic) {
  post_send(bytes, address(owner(to), kFirstTreeTag + from, traffic), traffic, sends_);
}

void MpiTransport::receive(Index from, Index /*to*/, std::span<std::byte> bytes, Traffic traffic) {
  pending_.clear();
  post_receive(bytes, address(owner(from), kFirstTreeTag + from, traffic), pending_);
  peers_.wait(pending_);
}

void MpiTransport::gather(std::span<const std::byte> mine, std::span<std::byte> all) {
  const std::size_t each = mine.size() / static_cast<std::size_t>(local_nodes());
  std::vector<std::span<std::byte>> parts;
  for (int rank = 0; is_root() && rank < size(); ++rank) {
    const NodeRange there = range(rank);
    parts.push_back(
        all.subspan(each * static_cast<std::size_t>(there.first), each * static_cast<std::size_t>(there.count)));
  }
  collectives_.gather(mine, parts);
}

WireMeters MpiTransport::wire() const {
  WireMeters sum = wire_;
  sum.control_messages += collectives_.messages() - collective_messages_before_;
  sum.control_bytes += collectives_.bytes() - collective_bytes_before_;
  return sum;
}

}  // namespace mpi

}  // namespace slidemesh
