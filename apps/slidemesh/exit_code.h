#pragma once

#include "slidemesh/base/errors.h"
#include "slidemesh/session/session.h"

namespace slidemesh::app {

/// How the program ends. Part of its interface: scripts rely on these numbers.
enum class ExitCode : int {
  kOk = 0,         ///< reached what was asked, or ran its length
  kUsage = 2,      ///< bad command line or config
  kData = 3,       ///< bad data
  kStopped = 4,    ///< stopped by a limit or a signal before the target; state saved
  kPeerLost = 5,   ///< another process of the run was lost
  kInternal = 70,  ///< a bug
};

[[nodiscard]] ExitCode exit_code(ErrorKind kind);

/// The exit code of a session that came to an end.
[[nodiscard]] ExitCode exit_code(const SessionResult& result);

}  // namespace slidemesh::app
