#include "mpi_job.h"

namespace slidemesh::app {

namespace {
MpiSession* the_job = nullptr;
}

MpiSession* mpi_job() { return the_job; }

void set_mpi_job(MpiSession* session) { the_job = session; }

bool is_first_process() { return the_job == nullptr || the_job->is_root(); }

}  // namespace slidemesh::app
