// What an exchange with graph neighbours costs, beside a bare MPI_Neighbor_alltoallv of the same size, on a ring with
// one node per rank:
//
//   mpirun -n 10 slidemesh_mpi_exchange
//
// Both are timed in turns within one run, so that whatever else the machine does falls on both. A figure is the median
// over the turns; a turn is as long as its slowest rank.

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "mpi_transport.h"
#include "slidemesh/graphs/generators.h"

namespace {

using slidemesh::Index;
using slidemesh::Stacked;

constexpr int kTurns = 41;

struct Bare {
  MPI_Comm ring = MPI_COMM_NULL;
  std::vector<int> counts, send_places, receive_places;
  std::vector<double> received;

  explicit Bare(Index d)
      : counts(2, static_cast<int>(d)), send_places(2, 0), received(static_cast<std::size_t>(2 * d)) {
    int rank = 0;
    int size = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const std::vector<int> ends{(rank + size - 1) % size, (rank + 1) % size};
    receive_places = {0, static_cast<int>(d)};
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, ends.data(), MPI_UNWEIGHTED, 2, ends.data(), MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &ring);
  }
  void operator()(const Stacked& x) {
    MPI_Neighbor_alltoallv(x.data(), counts.data(), send_places.data(), MPI_DOUBLE, received.data(), counts.data(),
                           receive_places.data(), MPI_DOUBLE, ring);
  }
};

template <class Exchange>
double microseconds(int repeats, Exchange&& exchange) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int i = 0; i < repeats; ++i) {
    exchange();
  }
  double taken = (MPI_Wtime() - begin) / repeats * 1e6;
  MPI_Allreduce(MPI_IN_PLACE, &taken, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return taken;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

void compare(slidemesh::mpi::MpiTransport& network, Index d, int repeats) {
  Bare bare(d);
  const Stacked x = Stacked::Constant(d, 1, static_cast<double>(network.first_node()));
  std::vector<double> bare_times;
  std::vector<double> times;
  std::vector<double> ratios;
  for (int turn = 0; turn <= kTurns; ++turn) {
    const double theirs = microseconds(repeats, [&] { bare(x); });
    const double ours = microseconds(repeats, [&] {
      network.start_exchange(x, slidemesh::Traffic::kMethod, {});
      network.finish_exchange();
    });
    if (turn > 0) {  // the first warms up
      bare_times.push_back(theirs);
      times.push_back(ours);
      ratios.push_back(ours / theirs);
    }
  }
  if (network.is_root()) {
    std::printf("d = %6ld: exchange %9.2f us, MPI_Neighbor_alltoallv %9.2f us, ratio %.2f\n", static_cast<long>(d),
                median(times), median(bare_times), median(ratios));
  }
}

}  // namespace

int main() {
  slidemesh::MpiSession session;
  {
    slidemesh::GraphSpec spec;
    spec.kind = "ring";
    spec.nodes = session.size();
    slidemesh::mpi::MpiTransport network(session, slidemesh::make_graph(spec), {});
    compare(network, 22, 500);
    compare(network, 100'000, 5);
  }
  session.finish();
  return 0;
}
