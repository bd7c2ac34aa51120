#pragma once

#include "config.h"
#include "slidemesh/control/control.h"
#include "slidemesh/network/mpi_session.h"
#include "slidemesh/network/network.h"

namespace slidemesh::app {

/// The MPI job that this process is a rank of; nullptr where it runs alone.
[[nodiscard]] MpiSession* mpi_job();
void set_mpi_job(MpiSession* session);

/// Whether this process speaks for the run. True where it runs alone.
[[nodiscard]] bool is_first_process();

/// The network that the config asks for: over the job's ranks, which must all have the same config, or in this process.
[[nodiscard]] std::unique_ptr<Network> make_network(const Config& config, const Graph& graph);

/// What the config's trace looks at.
[[nodiscard]] Control control_of(const Config& config, Network& network);

/// How many threads a process uses: `threads` of the config; a rank has one unless that or OMP_NUM_THREADS says more,
/// since ranks often share a machine.
[[nodiscard]] int threads_of_process(const Config& config);

}  // namespace slidemesh::app
