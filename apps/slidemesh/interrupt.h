#pragma once

namespace slidemesh::app {

/// From here on SIGINT, SIGTERM and SIGUSR1 ask for a stop after the current step; a second SIGINT ends at once.
void catch_interrupts();

/// Whether a stop was asked for.
[[nodiscard]] bool interrupted();

}  // namespace slidemesh::app
