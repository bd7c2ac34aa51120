// How many linear-oracle calls each inner solver needs inside I-PDS, for the same problem and schedule.
//
//   slidemesh_inner_solvers DATA [ROWS [STEPS [R [SOLVER:TOLERANCE]...]]]      TOLERANCE: a number or adaptive:SHARE
//
// Prints one line a solver: oracle calls, gap at the average, consensus error, seconds.

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "slidemesh/algorithms/ipds.h"
#include "slidemesh/data/feature_map.h"
#include "slidemesh/data/formats/libsvm.h"
#include "slidemesh/data/partition.h"
#include "slidemesh/graphs/generators.h"
#include "slidemesh/graphs/spectrum.h"
#include "slidemesh/losses/logistic.h"
#include "slidemesh/network/in_process.h"
#include "slidemesh/session/reference_optimum.h"
#include "slidemesh/session/run.h"
#include "slidemesh/session/solve.h"
#include "slidemesh/sets/norm_balls.h"

namespace {

using namespace slidemesh;

constexpr Index kNodes = 10;
constexpr double kRadius = 10.0;

Problem make_problem(const std::filesystem::path& path, Index rows) {
  Rows table = read_libsvm(path, {.max_rows = rows});
  Index classes = 0;
  prepare_labels(table, LabelKind::kBinary, classes, path.string());
  choose_storage(table);
  const auto shared = std::make_shared<const Rows>(std::move(table));
  const auto sources = node_sources(shared, split_rows(shared->labels, kNodes), 0, kNodes);
  return make_problem(row_objectives(sources, std::make_shared<Logistic>()),
                      std::make_shared<L1Ball>(shared->features, kRadius));
}

void report(const std::string& label, const Problem& problem, const Graph& graph, double optimum,
            const IpdsOptions& options) {
  InProcessNetwork network(graph);
  Ipds method(problem, network, options);
  RunOptions run_options;
  run_options.every = options.outer_steps;
  run_options.reference_optimum = optimum;
  const RunResult result = run(method, problem, network, run_options);
  std::printf("%-24s %15lld %13.4e %13.4e %10.3f\n", label.c_str(),
              static_cast<long long>(result.last.meters.linear_oracle_calls), *result.last.gap_at_average,
              result.last.measures.consensus_error, result.last.seconds);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: slidemesh_inner_solvers DATA [ROWS [STEPS [R [SOLVER:TOLERANCE]...]]]\n");
    return 2;
  }
  const Index rows = argc > 2 ? std::atoi(argv[2]) : 20000;
  const Problem problem = make_problem(argv[1], rows);
  const Graph graph = make_graph({.kind = "erdos-renyi", .nodes = kNodes, .p = 0.4, .path = {}});
  InProcessNetwork network(graph);
  const double optimum = reference_optimum(problem, network).value;

  IpdsOptions options;
  options.outer_steps = argc > 3 ? std::atoi(argv[3]) : 100;
  options.R = argc > 4 ? std::atof(argv[4]) : 0.1;
  options.laplacian_lambda_max = laplacian_spectrum(graph).lambda_max;
  std::vector<std::string> solvers(argv + std::min(argc, 5), argv + argc);
  if (solvers.empty()) {
    solvers = {"projection:1e-3", "bpcg:1e-3", "bpcg:1e-6", "lazy:1e-3", "cgs:1e-3"};
  }
  std::printf("%-24s %15s %13s %13s %10s\n", "inner:tolerance", "oracle calls", "gap", "consensus", "seconds");
  for (const std::string& solver : solvers) {
    const std::size_t colon = solver.find(':');
    options.inner = solver.substr(0, colon);
    const std::string tolerance = colon == std::string::npos ? "1e-3" : solver.substr(colon + 1);
    options.adaptive.reset();
    if (tolerance.starts_with("adaptive")) {
      options.adaptive.emplace();
      options.adaptive->share = tolerance.size() > 9 ? std::atof(tolerance.c_str() + 9) : options.adaptive->share;
    }
    options.tolerance = std::atof(tolerance.c_str());
    report(solver, problem, graph, optimum, options);
  }
  return 0;
}
