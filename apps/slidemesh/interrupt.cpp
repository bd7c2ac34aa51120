#include "interrupt.h"

#include <unistd.h>

#include <csignal>

#include "slidemesh/core/errors.h"

namespace slidemesh::app {

namespace {

volatile std::sig_atomic_t asked = 0;

void on_signal(int signal) {
  if (asked != 0 && signal == SIGINT) {
    _exit(static_cast<int>(ExitCode::kStopped));
  }
  asked = 1;
}

}  // namespace

void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGUSR1, &action, nullptr);  // what mpirun passes on to its ranks, and Slurm sends before a limit
}

bool interrupted() { return asked != 0; }

}  // namespace slidemesh::app
