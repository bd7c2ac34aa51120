#include <algorithm>
#include <cstdlib>

#include "slidemesh/network/mpi_network.h"

namespace slidemesh {

bool MpiSession::launched() {
  // Open MPI's mpirun; PMIx and PMI servers such as srun's. SLURM_PROCID does not tell: a batch script has it too.
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"}) {
    if (std::getenv(name) != nullptr) {
      return true;
    }
  }
  return false;
}

NodeRange nodes_of_rank(Index nodes, int ranks, int rank) {
  const Index each = nodes / ranks;
  const Index more = nodes % ranks;
  return {rank * each + std::min<Index>(rank, more), each + (rank < more ? 1 : 0)};
}

int rank_of_node(Index nodes, int ranks, Index node) {
  const Index each = nodes / ranks;
  const Index more = nodes % ranks;
  const Index in_larger = more * (each + 1);
  return static_cast<int>(node < in_larger ? node / (each + 1) : more + (node - in_larger) / each);
}

}  // namespace slidemesh
