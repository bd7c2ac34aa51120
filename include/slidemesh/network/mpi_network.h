#pragma once

#include <memory>

#include "slidemesh/linalg/types.h"
#include "slidemesh/network/mpi_session.h"
#include "slidemesh/network/network.h"

namespace slidemesh {

/// first .. first + count - 1.
struct NodeRange {
  Index first = 0;
  Index count = 0;
};
/// The nodes of a rank: contiguous, and as even as can be, the first ranks having one more.
[[nodiscard]] NodeRange nodes_of_rank(Index nodes, int ranks, int rank);
[[nodiscard]] int rank_of_node(Index nodes, int ranks, Index node);

struct MpiNetworkOptions {
  double timeout_seconds = 60.0;  ///< an answer that takes longer is a PeerLostError
};

/// The nodes spread over the ranks of an MPI job. Every rank must call it with the same graph; UsageError on
/// every rank if they did not, or if there are more ranks than nodes. The session must outlive it.
[[nodiscard]] std::unique_ptr<Network> make_mpi_network(MpiSession& session, const Graph& graph,
                                                        const MpiNetworkOptions& options = {});

}  // namespace slidemesh
