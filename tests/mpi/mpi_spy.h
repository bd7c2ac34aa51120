#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

/// Stands between a program and MPI (through MPI's own profiling interface, PMPI) and writes down what is sent where.
/// Linked into a test, or preloaded under a program: then each rank leaves $SLIDEMESH_MPI_SPY/rank-N.json at
/// MPI_Finalize.
namespace slidemesh::spy {

struct Sent {
  std::int64_t messages = 0;
  std::int64_t bytes = 0;
};

struct Log {
  /// By communicator name and receiver's rank in MPI_COMM_WORLD.
  std::map<std::string, std::map<int, Sent>> sent;
  /// Calls that are not plain sends to one rank: collectives, one-sided ones, persistent ones.
  std::vector<std::string> others;

  [[nodiscard]] Sent total(const std::string& communicator) const;
};

/// Since the start or the last `clear`.
[[nodiscard]] Log& log();
void clear();

}  // namespace slidemesh::spy
