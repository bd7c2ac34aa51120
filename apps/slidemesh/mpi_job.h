#pragma once

#include "slidemesh/network/mpi_session.h"

namespace slidemesh::app {

/// The MPI job that this process is a rank of; nullptr where it runs alone.
[[nodiscard]] MpiSession* mpi_job();
void set_mpi_job(MpiSession* session);

/// Whether this process speaks for the run. True where it runs alone.
[[nodiscard]] bool is_first_process();

}  // namespace slidemesh::app
