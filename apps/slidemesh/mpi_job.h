#pragma once

#include <string>
#include <vector>

#include "slidemesh/network/mpi_session.h"

namespace slidemesh::app {

/// The MPI job that this process is a rank of; nullptr where it runs alone.
[[nodiscard]] MpiSession* mpi_job();
void set_mpi_job(MpiSession* session);

/// How long the ranks of a job may take to find one another: the time-out of the config that these arguments name, as
/// far as it can be read while there is nobody to tell an error; else the default.
[[nodiscard]] double start_seconds(const std::vector<std::string>& arguments);

/// UsageError on all ranks unless all run this version with these arguments; names the first rank that does not.
void require_same_start(const std::vector<std::string>& arguments);

/// Whether this process reports for the run. True where it runs alone.
[[nodiscard]] bool is_first_process();

}  // namespace slidemesh::app
