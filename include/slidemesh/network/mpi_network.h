#pragma once

#include <memory>

#include "slidemesh/network/mpi_session.h"
#include "slidemesh/network/network.h"
#include "slidemesh/network/node_range.h"

namespace slidemesh {

struct MpiNetworkOptions {
  double timeout_seconds = 60.0;  ///< an answer that takes longer is a PeerLostError
};

/// The nodes spread over the ranks of an MPI job. Every rank must call it with the same graph; UsageError on
/// every rank if they did not, or if there are more ranks than nodes. The session must outlive it.
[[nodiscard]] std::unique_ptr<Network> make_mpi_network(MpiSession& session, const Graph& graph,
                                                        const MpiNetworkOptions& options = {});

}  // namespace slidemesh
