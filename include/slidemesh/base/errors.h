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

/// An error of one kind, to be caught apart.
template <ErrorKind kKind>
class ErrorOf : public Error {
 public:
  explicit ErrorOf(const std::string& message) : Error(kKind, message) {}
};

using UsageError = ErrorOf<ErrorKind::kUsage>;        ///< a command line, a config or an argument that cannot be meant
using DataError = ErrorOf<ErrorKind::kData>;          ///< data that cannot be read, or cannot be right
using StoppedError = ErrorOf<ErrorKind::kStopped>;    ///< a limit or a signal that ends a run before its time
using PeerLostError = ErrorOf<ErrorKind::kPeerLost>;  ///< a neighbour that no longer answers
using InternalError = ErrorOf<ErrorKind::kInternal>;  ///< a broken invariant of our own

}  // namespace slidemesh
