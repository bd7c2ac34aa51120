#include "job.h"

#include <cstdlib>

#include "slidemesh/network/in_process.h"
#include "slidemesh/network/mpi_network.h"

namespace slidemesh::app {

namespace {
MpiSession* the_job = nullptr;
}

MpiSession* mpi_job() { return the_job; }

void set_mpi_job(MpiSession* session) { the_job = session; }

bool is_first_process() { return the_job == nullptr || the_job->is_root(); }

std::unique_ptr<Network> make_network(const Config& config, const Graph& graph) {
  if (the_job == nullptr) {
    return std::make_unique<InProcessNetwork>(graph);
  }
  the_job->set_timeout(config.timeout_seconds);
  the_job->require_same("config", config.text);
  MpiNetworkOptions options;
  options.timeout_seconds = config.timeout_seconds;
  return make_mpi_network(*the_job, graph, options);
}

Control control_of(const Config& config, Network& network) {
  return {network,
          mpi_job() != nullptr && config.output.local_trace ? ControlScope::kThisProcess : ControlScope::kAllNodes};
}

int threads_of_process(const Config& config) {
  const bool left_open = config.threads == 0 && std::getenv("OMP_NUM_THREADS") == nullptr;
  return the_job != nullptr && left_open ? 1 : config.threads;
}

}  // namespace slidemesh::app
