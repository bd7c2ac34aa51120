#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "slidemesh/control/control.h"
#include "slidemesh/network/mpi_session.h"
#include "slidemesh/network/network.h"
#include "slidemesh/session/config.h"

namespace slidemesh {

/// A process that is one party of a mesh (docs/peers-admin.md): one node of a graph that the parties found out.
struct Party {
  Graph graph;
  Index node = 0;
  std::function<std::unique_ptr<Network>()> make_network;
  std::optional<Count> budget;     ///< rows that a method may touch here, whatever the others do
  std::vector<std::string> names;  ///< of all parties, in the order of the nodes
  /// Where this one was when it trained with others; all start from the mean where all have it. Empty: nowhere.
  Vector reached;
};

/// The process that a session runs in.
struct Job {
  MpiSession* mpi = nullptr;          ///< null where it runs alone
  std::function<bool()> interrupted;  ///< whether a stop was asked for; may be empty
  const Party* party = nullptr;       ///< null where it is none

  [[nodiscard]] int rank() const {
    return party != nullptr ? static_cast<int>(party->node) : mpi == nullptr ? 0 : mpi->rank();
  }
  [[nodiscard]] int size() const {
    return party != nullptr ? static_cast<int>(party->graph.nodes()) : mpi == nullptr ? 1 : mpi->size();
  }
  /// Whether this process reports for the run. True where it runs alone; every party reports for itself.
  [[nodiscard]] bool is_first() const { return party != nullptr || rank() == 0; }
  /// Whether other processes carry nodes too.
  [[nodiscard]] bool is_shared() const { return party != nullptr || mpi != nullptr; }
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
