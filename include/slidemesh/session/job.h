#pragma once

#include <functional>
#include <memory>

#include "slidemesh/control/control.h"
#include "slidemesh/network/mpi_session.h"
#include "slidemesh/network/network.h"
#include "slidemesh/session/config.h"

namespace slidemesh {

/// The process that a session runs in.
struct Job {
  MpiSession* mpi = nullptr;          ///< null where it runs alone
  std::function<bool()> interrupted;  ///< whether a stop was asked for; may be empty

  [[nodiscard]] int rank() const { return mpi == nullptr ? 0 : mpi->rank(); }
  [[nodiscard]] int size() const { return mpi == nullptr ? 1 : mpi->size(); }
  /// Whether this process speaks for the run. True where it runs alone.
  [[nodiscard]] bool is_first() const { return rank() == 0; }
  [[nodiscard]] bool is_interrupted() const { return interrupted && interrupted(); }
};

/// The network that the config asks for: over the job's ranks, which must all have the same config, or in this process.
[[nodiscard]] std::unique_ptr<Network> make_network(const Config& config, const Graph& graph, const Job& job);

/// What the config's trace looks at.
[[nodiscard]] Control control_of(const Config& config, Network& network, const Job& job);

/// How many threads a process uses: `threads` of the config; a rank has one unless that or OMP_NUM_THREADS says more,
/// since ranks often share a machine.
[[nodiscard]] int threads_of_process(const Config& config, const Job& job);

}  // namespace slidemesh
