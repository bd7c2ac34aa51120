#include "slidemesh/session/job.h"

#include <cstdlib>

#include "slidemesh/network/in_process.h"
#include "slidemesh/network/mpi_network.h"

namespace slidemesh {

namespace {

std::unique_ptr<Network> network_over(const Config& config, const Graph& graph, const Job& job) {
  if (job.party != nullptr) {
    return job.party->make_network();
  }
  if (job.mpi == nullptr) {
    return std::make_unique<InProcessNetwork>(graph);
  }
  job.mpi->set_timeout(config.timeout_seconds);
  job.mpi->require_same("config", to_toml_document(config.tree));
  MpiNetworkOptions options;
  options.timeout_seconds = config.timeout_seconds;
  return make_mpi_network(*job.mpi, graph, options);
}

}  // namespace

std::unique_ptr<Network> make_network(const Config& config, const Graph& graph, const Job& job) {
  auto network = network_over(config, graph, job);
  network->set_wire(config.wire);
  return network;
}

Control control_of(const Config& config, Network& network, const Job& job) {
  return {network,
          job.is_shared() && config.output.local_trace() ? ControlScope::kThisProcess : ControlScope::kAllNodes};
}

int threads_of_process(const Config& config, const Job& job) {
  const bool left_open = config.threads == 0 && std::getenv("OMP_NUM_THREADS") == nullptr;
  return job.mpi != nullptr && left_open ? 1 : config.threads;
}

}  // namespace slidemesh
