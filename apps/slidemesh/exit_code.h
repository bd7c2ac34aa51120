#pragma once

#include <vector>

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

/// What help and docs/config.md say of a code.
struct ExitCodeDoc {
  ExitCode code;
  const char* in_short;
  const char* meaning;
  const char* what_to_do;
};

/// Every code once, the smallest first.
[[nodiscard]] const std::vector<ExitCodeDoc>& exit_codes();

[[nodiscard]] ExitCode exit_code(ErrorKind kind);

/// The exit code of a session that came to an end.
[[nodiscard]] ExitCode exit_code(const SessionResult& result);

}  // namespace slidemesh::app
