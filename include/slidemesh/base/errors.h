#pragma once

#include <stdexcept>
#include <string>

namespace slidemesh {

/// What went wrong, as far as whoever catches it has to know.
enum class ErrorKind {
  kUsage,     ///< bad command line, config or argument
  kData,      ///< bad data
  kStopped,   ///< a limit or a signal came before the end
  kPeerLost,  ///< another process of the run was lost
  kInternal,  ///< a bug
};

/// Bad input throws where it enters. `what()` is one line that names the place, what was expected and what was found.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }

 private:
  ErrorKind kind_;
};

/// A command line, a config or an argument that cannot be meant.
class UsageError : public Error {
 public:
  explicit UsageError(const std::string& message) : Error(ErrorKind::kUsage, message) {}
};

/// Data that cannot be read, or cannot be right.
class DataError : public Error {
 public:
  explicit DataError(const std::string& message) : Error(ErrorKind::kData, message) {}
};

/// A limit or a signal that ends a run before its time.
class StoppedError : public Error {
 public:
  explicit StoppedError(const std::string& message) : Error(ErrorKind::kStopped, message) {}
};

/// A neighbour that no longer answers.
class PeerLostError : public Error {
 public:
  explicit PeerLostError(const std::string& message) : Error(ErrorKind::kPeerLost, message) {}
};

/// A broken invariant of our own.
class InternalError : public Error {
 public:
  explicit InternalError(const std::string& message) : Error(ErrorKind::kInternal, message) {}
};

}  // namespace slidemesh
