#pragma once

#include <poll.h>

#include <optional>
#include <string>
#include <vector>

#include "late_mpi.h"

namespace slidemesh::mpi {

/// Which ranks run on this machine, and whether their processes still do. Linux tells of a process's end through a
/// descriptor, whoever's child it is; ranks of other machines can only be waited for.
class Liveness {
 public:
  explicit Liveness(MPI_Comm world);
  ~Liveness();
  Liveness(const Liveness&) = delete;
  Liveness& operator=(const Liveness&) = delete;

  /// The lowest rank of this machine whose process has ended, if any has.
  [[nodiscard]] std::optional<int> ended();
  [[nodiscard]] bool has_ended(int rank) const;
  [[nodiscard]] const std::string& host(int rank) const { return hosts_[static_cast<std::size_t>(rank)]; }

 private:
  std::vector<std::string> hosts_;
  std::vector<pollfd> watched_;  ///< descriptor -1, which poll skips, for those that cannot be watched
};

}  // namespace slidemesh::mpi
