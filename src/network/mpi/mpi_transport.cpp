#include "mpi_transport.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "slidemesh/base/fail.h"
#include "slidemesh/transport/sparse_message.h"

namespace slidemesh {

std::unique_ptr<Network> make_mpi_network(MpiSession& session, const Graph& graph, const MpiNetworkOptions& options) {
  return std::make_unique<Network>(std::make_unique<mpi::MpiTransport>(session.implementation(), graph, options));
}

namespace mpi {

namespace {

constexpr int kExchangeTag = 1;
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
  if (peers.size() > graph.nodes()) {
    fail<UsageError>("network.nodes", "at least as many nodes as MPI ranks",
                     fmt::format("{} nodes for {} ranks", graph.nodes(), peers.size()));
  }
  return nodes_of_rank(graph.nodes(), peers.size(), peers.rank());
}

}  // namespace

MpiTransport::MpiTransport(Session& session, const Graph& graph, const MpiNetworkOptions& options)
    : MpiTransport(session, graph, options, checked_range(graph, session.peers())) {}

MpiTransport::MpiTransport(Session& session, const Graph& graph, const MpiNetworkOptions& options, NodeRange own)
    : Transport(graph, own.first, own.count), peers_(session.peers()), collectives_(session.collectives()) {
  peers_.set_timeout(options.timeout_seconds);
  session.require_same("graph", serialize(graph));
  peers_.set_nodes(nodes());
  plan_exchange();
  session.barrier();  // all are alive just before the call that cannot be given up
  create_communicator();
  collective_messages_before_ = collectives_.messages();
  collective_bytes_before_ = collectives_.bytes();
}

MpiTransport::~MpiTransport() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized == 0 && !peers_.failed()) {
    MPI_Comm_free(&neighbours_);
  }
}

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
  MPI_Comm_set_name(neighbours_, "slidemesh.neighbours");
  MPI_Comm_set_errhandler(neighbours_, MPI_ERRORS_RETURN);
}

MPI_Comm MpiTransport::communicator(Traffic traffic) const {
  return traffic == Traffic::kMethod ? neighbours_ : collectives_.communicator();
}

void MpiTransport::post_send(std::span<const std::byte> bytes, const Envelope& to, Pending& pending) {
  for (auto rest = bytes; !rest.empty();) {
    const std::size_t piece = std::min(rest.size(), kLargestMessage);
    peers_.require(MPI_Isend(rest.data(), static_cast<int>(piece), MPI_BYTE, to.rank, to.tag, communicator(to.traffic),
                             pending.add(to.rank)),
                   to.rank);
    (to.traffic == Traffic::kMethod ? wire_.messages : wire_.control_messages) += 1;
    (to.traffic == Traffic::kMethod ? wire_.bytes : wire_.control_bytes) += static_cast<Count>(piece);
    rest = rest.subspan(piece);
  }
}

void MpiTransport::post_receive(std::span<std::byte> bytes, const Envelope& from, Pending& pending) {
  for (auto rest = bytes; !rest.empty();) {
    const std::size_t piece = std::min(rest.size(), kLargestMessage);
    peers_.require(MPI_Irecv(rest.data(), static_cast<int>(piece), MPI_BYTE, from.rank, from.tag,
                             communicator(from.traffic), pending.add(from.rank)),
                   from.rank);
    rest = rest.subspan(piece);
  }
}

MpiTransport::Parcel* MpiTransport::parcel_for(const ColumnRun& run, std::span<const Rider> riders, bool sent) {
  std::size_t numbers = 0;
  for (const Rider& rider : run.takes_riders ? riders : std::span<const Rider>{}) {
    numbers += owner(sent ? rider.to : rider.from) == run.rank ? rider.values.size() : 0;
  }
  if (numbers == 0) {
    return nullptr;
  }
  auto& parcels = sent ? sent_parcels_ : received_parcels_;
  auto parcel = std::find_if(parcels.begin(), parcels.end(), [&](const Parcel& p) { return p.run == &run; });
  if (parcel == parcels.end()) {
    parcel = parcels.insert(parcels.end(), Parcel{&run, {}});
  }
  parcel->numbers.resize(static_cast<std::size_t>(run.count * dimension_) + numbers);
  return &*parcel;
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
  if (is_sparse_) {
    start_sparse_exchange(riders);
    return;
  }
  received_parcels_.reserve(incoming_.size());  // parcels stay where they are
  sent_parcels_.reserve(outgoing_.size());
  for (const ColumnRun& run : incoming_) {
    std::span<double> into(arrived_.data() + run.place * dimension_, static_cast<std::size_t>(run.count * dimension_));
    if (Parcel* parcel = parcel_for(run, riders.received, false)) {
      into = parcel->numbers;
    }
    post_receive(std::as_writable_bytes(into), {run.rank, kExchangeTag, traffic}, pending_);
  }
  for (const ColumnRun& run : outgoing_) {
    std::span<const double> from(columns_ + run.place * dimension_, static_cast<std::size_t>(run.count * dimension_));
    if (Parcel* parcel = parcel_for(run, riders.sent, true)) {
      auto end = std::copy(from.begin(), from.end(), parcel->numbers.begin());
      for (const Rider& rider : riders.sent) {
        end = owner(rider.to) == run.rank ? std::copy(rider.values.begin(), rider.values.end(), end) : end;
      }
      from = parcel->numbers;
    }
    post_send(std::as_bytes(from), {run.rank, kExchangeTag, traffic}, pending_);
  }
}

void MpiTransport::finish_exchange() {
  peers_.wait(pending_);
  if (is_sparse_) {
    finish_sparse_exchange();
  } else if (!expected_.empty()) {
    std::for_each(received_parcels_.begin(), received_parcels_.end(), [&](const Parcel& p) { unpack(p); });
  }
}

std::size_t MpiTransport::rider_bytes(const ColumnRun& run, std::span<const Rider> riders, bool sent) const {
  std::size_t bytes = 0;
  for (const Rider& rider : run.takes_riders ? riders : std::span<const Rider>{}) {
    bytes += owner(sent ? rider.to : rider.from) == run.rank ? rider.values.size_bytes() : 0;
  }
  return bytes;
}

/// How long a message is only its sender knows, and MPI takes a shorter one than a receive has room for. One that would
/// have to be sent in pieces has a number of them that only its sender knows.
void MpiTransport::start_sparse_exchange(const Riders& riders) {
  const std::size_t column = largest_sparse_size(dimension_);
  const auto require_one_piece = [](std::size_t bytes) {
    if (bytes > kLargestMessage) {
      fail<UsageError>("network.wire",
                       "columns that fit into one message of 1 GiB between two ranks where it is sparse",
                       fmt::format("up to {} bytes", bytes));
    }
  };
  sparse_received_.resize(incoming_.size());
  for (std::size_t r = 0; r < incoming_.size(); ++r) {
    const ColumnRun& run = incoming_[r];
    auto& message = sparse_received_[r];
    message.resize(static_cast<std::size_t>(run.count) * column + rider_bytes(run, riders.received, false));
    require_one_piece(message.size());
    post_receive(message, {run.rank, kExchangeTag, Traffic::kMethod}, pending_);
  }
  sparse_sent_.resize(outgoing_.size());
  for (std::size_t r = 0; r < outgoing_.size(); ++r) {
    const ColumnRun& run = outgoing_[r];
    auto& message = sparse_sent_[r];
    message.clear();
    for (Index c = 0; c < run.count; ++c) {
      append_sparse(columns_ + (run.place + c) * dimension_, dimension_, message);
    }
    for (const Rider& rider : run.takes_riders ? riders.sent : std::span<const Rider>{}) {
      if (owner(rider.to) == run.rank) {
        const auto values = std::as_bytes(rider.values);
        message.insert(message.end(), values.begin(), values.end());
      }
    }
    require_one_piece(message.size());
    post_send(message, {run.rank, kExchangeTag, Traffic::kMethod}, pending_);
  }
}

void MpiTransport::finish_sparse_exchange() {
  for (std::size_t r = 0; r < incoming_.size(); ++r) {
    const ColumnRun& run = incoming_[r];
    std::span<const std::byte> message = sparse_received_[r];
    for (Index c = 0; c < run.count; ++c) {
      const std::span<double> column(arrived_.data() + (run.place + c) * dimension_,
                                     static_cast<std::size_t>(dimension_));
      const auto size = read_sparse(message, column);
      if (!size) {
        fail<InternalError>(fmt::format("rank {}", run.rank), "a sparse column", "bytes that make none");
      }
      message = message.subspan(*size);
    }
    for (const Rider& rider : run.takes_riders ? expected_ : std::span<const Rider>{}) {
      if (owner(rider.from) == run.rank) {
        std::memcpy(rider.values.data(), message.data(), rider.values.size_bytes());
        message = message.subspan(rider.values.size_bytes());
      }
    }
  }
}

void MpiTransport::unpack(const Parcel& parcel) {
  const ColumnRun& run = *parcel.run;
  auto from = parcel.numbers.begin();
  const auto columns_end = from + run.count * dimension_;
  std::size_t numbers = 0;
  for (const Rider& rider : expected_) {
    numbers += owner(rider.from) == run.rank ? rider.values.size() : 0;
  }
  if (numbers == 0) {
    return;  // of an earlier exchange
  }
  std::copy(from, columns_end, arrived_.begin() + run.place * dimension_);
  from = columns_end;
  for (const Rider& rider : expected_) {
    if (owner(rider.from) == run.rank) {
      const auto end = from + static_cast<std::ptrdiff_t>(rider.values.size());
      std::copy(from, end, rider.values.begin());
      from = end;
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
  post_send(bytes, {owner(to), static_cast<int>(kFirstTreeTag + from), traffic}, sends_);
}

void MpiTransport::receive(Index from, Index /*to*/, std::span<std::byte> bytes, Traffic traffic) {
  pending_.clear();
  post_receive(bytes, {owner(from), static_cast<int>(kFirstTreeTag + from), traffic}, pending_);
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
