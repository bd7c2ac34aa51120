// Times of the linear oracles and projections that have a usual alternative. Prints `name milliseconds`, one per line;
// benchmarks/oracles_reference.py runs this program, times the alternatives on the same numbers and prints the ratios.
//
//   slidemesh_oracles DIRECTORY      reads the inputs that the script wrote there

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "slidemesh/sets/norm_balls.h"
#include "slidemesh/sets/simplices.h"
#include "slidemesh/sets/spectral.h"
#include "slidemesh/sets/transport.h"

namespace {

using namespace slidemesh;

Vector read_numbers(const std::filesystem::path& path) {
  Vector numbers(static_cast<Index>(std::filesystem::file_size(path) / sizeof(double)));
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(numbers.data()), numbers.size() * static_cast<std::streamsize>(sizeof(double)));
  return numbers;
}

/// The least of `runs` times, each of a fresh copy so that nothing is warm, and the value <g, v> to compare.
void report(const std::string& name, int runs, const FeasibleSet& set, const Vector& g,
            const std::function<void(FeasibleSet&, const Vector&, Vector&)>& ask) {
  double least = 1e300;
  Vector v(g.size());
  for (int run = 0; run < runs; ++run) {
    const auto fresh = set.clone();
    const auto begin = std::chrono::steady_clock::now();
    ask(*fresh, g, v);
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - begin;
    least = std::min(least, elapsed.count());
  }
  std::printf("%s %.6f %.17g\n", name.c_str(), least, g.dot(v));
  std::fflush(stdout);
}

void minimize(FeasibleSet& set, const Vector& g, Vector& v) { set.linear_minimizer(g, v); }
void project(FeasibleSet& set, const Vector& x, Vector& p) { set.project(x, p); }

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: slidemesh_oracles DIRECTORY\n");
    return 2;
  }
  const std::filesystem::path inputs = argv[1];
  const Vector million = read_numbers(inputs / "million.bin");
  report("l1-projection", 20, L1Ball(million.size(), 100.0), million, &project);
  report("simplex-projection", 20, Simplex(million.size(), 1.0), million, &project);
  const Vector nuclear = read_numbers(inputs / "nuclear.bin");
  report("nuclear-943x1682", 5, NuclearBall(943, 1682, 1.0), nuclear, &minimize);
  const Vector low_rank = read_numbers(inputs / "nuclear_low_rank.bin");
  report("nuclear-low-rank", 5, NuclearBall(943, 1682, 1.0), low_rank, &minimize);
  const Vector birkhoff = read_numbers(inputs / "birkhoff.bin");
  report("birkhoff-500", 10, Birkhoff(500), birkhoff, &minimize);
  const Vector birkhoff_real = read_numbers(inputs / "birkhoff_distances.bin");
  report("birkhoff-distances", 10, Birkhoff(500), birkhoff_real, &minimize);
  const Vector costs = read_numbers(inputs / "transport.bin");
  const Vector supply = read_numbers(inputs / "supply.bin");
  const Vector demand = read_numbers(inputs / "demand.bin");
  report("transport-300x300", 5, Transportation(supply, demand), costs, &minimize);
  return 0;
}
