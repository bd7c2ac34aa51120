#pragma once

#include "slidemesh/network/mpi_network.h"

namespace slidemesh::test {

/// The session of this test process.
[[nodiscard]] MpiSession& session();

}  // namespace slidemesh::test
