#pragma once

namespace slidemesh::app {

/// From here on SIGINT, SIGTERM, SIGUSR1 and, unless it is ignored, SIGHUP ask for a stop after the current step; a
/// second SIGINT ends at once. What is printed for a reader who is gone is lost, and the run goes on.
void catch_interrupts();

/// Whether a stop was asked for.
[[nodiscard]] bool interrupted();

}  // namespace slidemesh::app
