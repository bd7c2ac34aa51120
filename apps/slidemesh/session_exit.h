#pragma once

#include "slidemesh/base/errors.h"
#include "slidemesh/session/session.h"

namespace slidemesh::app {

/// How a session that came to an end is told to scripts.
[[nodiscard]] ExitCode exit_code(const SessionResult& result);

}  // namespace slidemesh::app
