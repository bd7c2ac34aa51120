#include "mpi_network.h"

#include <algorithm>
#include <string>

#include "slidemesh/base/errors.h"

namespace slidemesh {

std::unique_ptr<Network> make_mpi_network(MpiSession& session, const Graph& graph, const MpiNetworkOptions& options) {
  return std::make_unique<mpi::MpiNetwork>(session.implementation(), graph, options);
}

namespace mpi {

namespace {

constexpr int kExchangeTag = 1;
/// MPI counts in int; a longer message goes in pieces.
constexpr Index kLargestCount = Index{1} << 28;

std::string serialize(const Graph& graph) {
  std::string text = std::to_string(graph.nodes());
  for (const auto& [i, j] : graph.edge_list()) {
    text += ' ' + std::to_string(i) + '-' + std::to_string(j);
  }
  return text;
}

NodeRange checked_range(const Graph& graph, const Peers& peers) {
  if (peers.size() > graph.nodes()) {
    throw UsageError("network.nodes: expected at least as many nodes as MPI ranks, got " +
                     std::to_string(graph.nodes()) + " nodes for " + std::to_string(peers.size()) + " ranks");
  }
  return nodes_of_rank(graph.nodes(), peers.size(), peers.rank());
}

}  // namespace

MpiNetwork::MpiNetwork(Session& session, const Graph& graph, const MpiNetworkOptions& options)
    : MpiNetwork(session, graph, options, checked_range(graph, session.peers())) {}

MpiNetwork::MpiNetwork(Session& session, const Graph& graph, const MpiNetworkOptions& options, NodeRange own)
    : Network(graph, own.first, own.count), options_(options), peers_(session.peers()), control_(session.control()) {
  peers_.set_timeout(options.timeout_seconds);
  session.require_same("graph", serialize(graph));
  peers_.set_nodes(nodes());
  plan_exchange();
  session.barrier();  // all are alive just before the call that cannot be given up
  create_communicator();
  control_messages_before_ = control_.messages();
  control_bytes_before_ = control_.bytes();
}

MpiNetwork::~MpiNetwork() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized == 0 && !peers_.failed()) {
    MPI_Comm_free(&neighbours_);
  }
}

/// The nodes of `from` that have a neighbour at `to`, consecutive ones together.
std::vector<MpiNetwork::ColumnRun> MpiNetwork::runs_between(int from, int to) const {
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
  return runs;
}

void MpiNetwork::plan_exchange() {
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

void MpiNetwork::create_communicator() {
  std::vector<int> ranks;
  for (const ColumnRun& run : outgoing_) {
    if (ranks.empty() || ranks.back() != run.rank) {
      ranks.push_back(run.rank);
    }
  }
  const BlockingCallGuard guard(peers_.timeout_seconds());
  const auto degree = static_cast<int>(ranks.size());
  // Edges go both ways, so whom this rank hears is whom it tells. Ranks keep their numbers: nodes belong to them.
  MPI_Dist_graph_create_adjacent(control_.communicator(), degree, ranks.data(), MPI_UNWEIGHTED, degree, ranks.data(),
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &neighbours_);
  MPI_Comm_set_name(neighbours_, "slidemesh.neighbours");
  MPI_Comm_set_errhandler(neighbours_, MPI_ERRORS_RETURN);
}

MPI_Comm MpiNetwork::communicator(Traffic traffic) const {
  return traffic == Traffic::kMethod ? neighbours_ : control_.communicator();
}

void MpiNetwork::send(const double* data, Index count, const Envelope& to, Pending& pending) {
  for (Index sent = 0; sent < count; sent += kLargestCount) {
    const Index piece = std::min(count - sent, kLargestCount);
    peers_.require(MPI_Isend(data + sent, static_cast<int>(piece), MPI_DOUBLE, to.rank, to.tag,
                             communicator(to.traffic), pending.add(to.rank)),
                   to.rank);
    (to.traffic == Traffic::kMethod ? wire_.messages : wire_.control_messages) += 1;
    (to.traffic == Traffic::kMethod ? wire_.bytes : wire_.control_bytes) += piece * static_cast<Count>(sizeof(double));
  }
}

void MpiNetwork::receive(double* data, Index count, const Envelope& from, Pending& pending) {
  for (Index received = 0; received < count; received += kLargestCount) {
    const Index piece = std::min(count - received, kLargestCount);
    peers_.require(MPI_Irecv(data + received, static_cast<int>(piece), MPI_DOUBLE, from.rank, from.tag,
                             communicator(from.traffic), pending.add(from.rank)),
                   from.rank);
  }
}

void MpiNetwork::start_exchange(const Stacked& x, Traffic traffic) {
  columns_ = x.data();
  if (dimension_ != x.rows()) {
    dimension_ = x.rows();
    arrived_.resize(static_cast<std::size_t>(dimension_ * arriving_));
  }
  pending_.clear();
  for (const ColumnRun& run : incoming_) {
    receive(arrived_.data() + run.place * dimension_, run.count * dimension_, {run.rank, kExchangeTag, traffic},
            pending_);
  }
  for (const ColumnRun& run : outgoing_) {
    send(columns_ + run.place * dimension_, run.count * dimension_, {run.rank, kExchangeTag, traffic}, pending_);
  }
}

void MpiNetwork::finish_exchange() { peers_.wait(pending_); }

const double* MpiNetwork::column(Index node) const {
  if (owns(node)) {
    return columns_ + (node - first_node()) * dimension_;
  }
  return arrived_.data() + place_[static_cast<std::size_t>(node)] * dimension_;
}

}  // namespace mpi

}  // namespace slidemesh
