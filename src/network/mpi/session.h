#pragma once

#include <memory>
#include <string_view>

#include "blocking_call_guard.h"
#include "collectives.h"
#include "peers.h"

namespace slidemesh::mpi {

/// Behind MpiSession.
class Session {
 public:
  /// Ranks have `start_seconds` to be started and to find one another.
  explicit Session(double start_seconds);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] Peers& peers() { return *peers_; }
  [[nodiscard]] Collectives& collectives() { return *collectives_; }

  void require_same(std::string_view what, std::string_view content);
  void barrier();
  void finish();

 private:
  [[nodiscard]] std::pair<std::string, std::string> excerpts(std::string_view content, int other);

  bool ours_ = false;  ///< whether MPI was initialized here
  std::unique_ptr<Peers> peers_;
  std::unique_ptr<Collectives> collectives_;
};

}  // namespace slidemesh::mpi
