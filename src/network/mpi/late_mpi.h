#pragma once

#include <mpi.h>

// Open MPI is opened when a process finds itself in a job (SLIDEMESH_MPI_FILE is its name for the loader): most runs
// are in one process, and would take longer to load it than to start. Below, each of its functions and handles that is
// used is looked up at its first use, in the process before the library is opened: whoever has linked MPI, or preloaded
// a tool that watches its calls, is heard. Another MPI has handles of other kinds, and is linked.

#ifdef SLIDEMESH_MPI_FILE

#include "slidemesh/base/late_library.h"

namespace slidemesh::mpi {

inline constexpr LateLibrary kOpenMpi{SLIDEMESH_MPI_FILE, "MPI", "Open MPI's library (Debian: libopenmpi3)", true};

}  // namespace slidemesh::mpi

#undef OMPI_PREDEFINED_GLOBAL
#define OMPI_PREDEFINED_GLOBAL(type, global)                                                                           \
  ([] {                                                                                                                \
    static const auto found = static_cast<type>(slidemesh::late_symbol(slidemesh::mpi::kOpenMpi, #global)); /*NOLINT*/ \
    return found;                                                                                                      \
  }())
#define SLIDEMESH_LATE_CALL(name) SLIDEMESH_LATE(slidemesh::mpi::kOpenMpi, name)

#define MPI_Allgather SLIDEMESH_LATE_CALL(MPI_Allgather)
#define MPI_Comm_dup SLIDEMESH_LATE_CALL(MPI_Comm_dup)
#define MPI_Comm_free SLIDEMESH_LATE_CALL(MPI_Comm_free)
#define MPI_Comm_rank SLIDEMESH_LATE_CALL(MPI_Comm_rank)
#define MPI_Comm_set_errhandler SLIDEMESH_LATE_CALL(MPI_Comm_set_errhandler)
#define MPI_Comm_set_name SLIDEMESH_LATE_CALL(MPI_Comm_set_name)
#define MPI_Comm_size SLIDEMESH_LATE_CALL(MPI_Comm_size)
#define MPI_Dist_graph_create_adjacent SLIDEMESH_LATE_CALL(MPI_Dist_graph_create_adjacent)
#define MPI_Error_string SLIDEMESH_LATE_CALL(MPI_Error_string)
#define MPI_Finalize SLIDEMESH_LATE_CALL(MPI_Finalize)
#define MPI_Finalized SLIDEMESH_LATE_CALL(MPI_Finalized)
#define MPI_Get_processor_name SLIDEMESH_LATE_CALL(MPI_Get_processor_name)
#define MPI_Init_thread SLIDEMESH_LATE_CALL(MPI_Init_thread)
#define MPI_Initialized SLIDEMESH_LATE_CALL(MPI_Initialized)
#define MPI_Iprobe SLIDEMESH_LATE_CALL(MPI_Iprobe)
#define MPI_Irecv SLIDEMESH_LATE_CALL(MPI_Irecv)
#define MPI_Isend SLIDEMESH_LATE_CALL(MPI_Isend)
#define MPI_Recv SLIDEMESH_LATE_CALL(MPI_Recv)
#define MPI_Request_get_status SLIDEMESH_LATE_CALL(MPI_Request_get_status)
#define MPI_Test SLIDEMESH_LATE_CALL(MPI_Test)
#define MPI_Testall SLIDEMESH_LATE_CALL(MPI_Testall)

#endif
