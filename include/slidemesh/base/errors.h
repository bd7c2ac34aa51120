#pragma once

#include <stdexcept>
#include <string>

namespace slidemesh {

/// How a process ends. Part of the interface: scripts rely on these numbers.
enum class ExitCode : int {
  kOk = 0,         ///< reached what was asked, or ran its length
  kUsage = 2,      ///< bad command line or config
  kData = 3,       ///< bad data
  kStopped = 4,    ///< stopped by a limit or a signal before the target; state saved
  kPeerLost = 5,   ///< another process of the run was lost
  kInternal = 70,  ///< a bug
};

/// Bad input throws where it enters. `what()` is one line that names the place, what was expected
/// and what was found; `main` prints it behind "slidemesh: error: " and exits with `exit_code()`.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] ExitCode exit_code() const noexcept { return code_; }

 private:
  ExitCode code_;
};

/// A command line or a config that cannot be meant.
class UsageError : public Error {
 public:
  explicit UsageError(const std::string& message) : Error(ExitCode::kUsage, message) {}
};

/// Data that cannot be read, or cannot be right.
class DataError : public Error {
 public:
  explicit DataError(const std::string& message) : Error(ExitCode::kData, message) {}
};

/// A neighbour that no longer answers.
class PeerLostError : public Error {
 public:
  explicit PeerLostError(const std::string& message) : Error(ExitCode::kPeerLost, message) {}
};

/// A broken invariant of our own.
class InternalError : public Error {
 public:
  explicit InternalError(const std::string& message) : Error(ExitCode::kInternal, message) {}
};

}  // namespace slidemesh
