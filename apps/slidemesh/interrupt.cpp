#include "interrupt.h"

#include <unistd.h>

#include <atomic>
#include <csignal>

#include "exit_code.h"

namespace slidemesh::app {

namespace {

// Whichever thread the system picks runs the handler.
std::atomic<bool> asked = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may not wait for a lock");

void on_signal(int signal) {
  if (asked.exchange(true) && signal == SIGINT) {
    _exit(static_cast<int>(ExitCode::kStopped));
  }
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
  struct sigaction hangup = {};
  if (sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler != SIG_IGN) {  // nohup ignores it
    sigaction(SIGHUP, &action, nullptr);
  }
  std::signal(SIGPIPE, SIG_IGN);  // who reads no further loses lines, not the run
}

bool interrupted() { return asked; }

}  // namespace slidemesh::app
