#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace slidemesh::mpi {

/// What the process ends with when MPI is silent: of the program's exit codes, that of a lost peer.
inline constexpr int kExitCodeOfSilence = 5;

/// Ends the process with a line and that code if a blocking MPI call (initialize, communicator creation, finalize) is
/// still under way after so many seconds: there is no other way out of one whose peer has gone.
///
/// While MPI starts no rank can ask another anything, so who is missing is looked up in /proc: a rank of this machine
/// whose process is stopped, has ended or runs another program is named, by the lowest rank that is in order.
class BlockingCallGuard {
 public:
  explicit BlockingCallGuard(double seconds);
  ~BlockingCallGuard();
  BlockingCallGuard(const BlockingCallGuard&) = delete;
  BlockingCallGuard& operator=(const BlockingCallGuard&) = delete;

 private:
  /// Whether the call came back before this process had waited so long.
  bool done_within(std::chrono::duration<double> limit);

  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::thread watch_;
};

}  // namespace slidemesh::mpi
