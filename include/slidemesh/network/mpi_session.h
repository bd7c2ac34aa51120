#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "slidemesh/base/errors.h"

namespace slidemesh {

namespace mpi {
struct Session;
}

/// This process's part in an MPI job: start, agreement on what is run, and an orderly end. No MPI header
/// is needed to use it. Where slidemesh was built without MPI, constructing one is a UsageError that says
/// how to get it.
///
///     std::optional<MpiSession> mpi;
///     if (MpiSession::launched()) mpi.emplace();
///     try {
///       ...
///       mpi->finish();
///     } catch (const Error& error) {
///       if (mpi->is_error_reporter(error)) print(error);   // one process does, not all of them
///       mpi->abandon(EXIT_FAILURE);
///     }
class MpiSession {
 public:
  /// Whether mpirun or srun started this process; looks at the environment only.
  [[nodiscard]] static bool launched();

  static constexpr double kDefaultTimeout = 60.0;

  /// Initializes MPI, unless the surrounding program has. All ranks must be there within `start_seconds`: otherwise the
  /// process ends with a line that names the rank, where it is on this machine, and code 5.
  explicit MpiSession(double start_seconds = kDefaultTimeout);
  /// Calls `finish` if nobody has and nothing failed; a peer that is lost here is lost silently.
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  [[nodiscard]] int rank() const;
  [[nodiscard]] int size() const;
  /// Rank 0 writes the files and prints.
  [[nodiscard]] bool is_root() const { return rank() == 0; }

  /// How long another rank may leave this one waiting before it is taken for lost. `start_seconds` at first.
  void set_timeout(double seconds);

  /// Every rank must call it with the same `what`. Unless all have the same content, throws on every rank
  /// a UsageError that names the first rank that differs from rank 0, and says what the two have if that is short.
  void require_same(std::string_view what, std::string_view content);

  /// Who prints. A lost peer is then reported the moment it is found, before results are saved: mpirun
  /// leaves the other ranks about a second.
  void set_reporter(std::function<void(const Error&)> reporter);
  /// Tells all ranks that this one failed with `error`, waits a moment for what the others have to say, and
  /// returns whether this is the rank to print it and no reporter has: an error that several ranks have in
  /// common, such as a bad config or a lost peer, is printed by the lowest of them alone.
  [[nodiscard]] bool is_error_reporter(const Error& error);
  /// Ends this process at once, without a word to MPI, which after a failure may not come back.
  [[noreturn]] void abandon(int exit_code);

  /// The orderly end: waits for all ranks, then MPI_Finalize.
  void finish();

  [[nodiscard]] const mpi::Session& parts() const { return *parts_; }

 private:
  std::unique_ptr<mpi::Session> parts_;
};

}  // namespace slidemesh
