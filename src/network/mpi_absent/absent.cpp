// What stands in for the MPI network where slidemesh was built without MPI.

#include <cstdlib>

#include "slidemesh/network/mpi_network.h"

namespace slidemesh {

namespace {

[[noreturn]] void refuse() {
  throw UsageError(
      "MPI: expected a slidemesh that was built with it, got one without; install libopenmpi-dev and openmpi-bin "
      "(Debian), configure with -DSLIDEMESH_MPI=ON and build again");
}

}  // namespace

namespace mpi {
struct Session {};
}  // namespace mpi

MpiSession::MpiSession(double /*start_seconds*/) { refuse(); }

MpiSession::~MpiSession() = default;

int MpiSession::rank() const { return 0; }

int MpiSession::size() const { return 1; }

void MpiSession::set_timeout(double /*seconds*/) {}

void MpiSession::require_same(std::string_view /*what*/, std::string_view /*content*/) {}

void MpiSession::set_reporter(std::function<void(const Error&)> /*reporter*/) {}

bool MpiSession::is_error_reporter(const Error& /*error*/) { return true; }

void MpiSession::abandon(int exit_code) { std::exit(exit_code); }

void MpiSession::finish() {}

std::unique_ptr<Network> make_mpi_network(MpiSession& /*session*/, const Graph& /*graph*/,
                                          const MpiNetworkOptions& /*options*/) {
  refuse();
}

}  // namespace slidemesh
