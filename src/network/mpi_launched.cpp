#include <cstdlib>

#include "slidemesh/network/mpi_session.h"

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

}  // namespace slidemesh
