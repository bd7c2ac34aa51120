#pragma once

// What the two examples share: a little data, a ring of four nodes, and a run of every method.

#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "slidemesh/algorithms/centralized.h"
#include "slidemesh/algorithms/defw.h"
#include "slidemesh/algorithms/dpg.h"
#include "slidemesh/algorithms/ipds.h"
#include "slidemesh/algorithms/ipds_restarted.h"
#include "slidemesh/algorithms/ipds_vr.h"
#include "slidemesh/algorithms/nids.h"
#include "slidemesh/algorithms/pg_extra.h"
#include "slidemesh/base/random.h"
#include "slidemesh/graphs/generators.h"
#include "slidemesh/graphs/spectrum.h"
#include "slidemesh/network/in_process.h"
#include "slidemesh/session/run.h"

namespace toy {

using namespace slidemesh;

inline Rows rows(std::uint32_t node) {
  RandomStream random(1, Purpose::kSynthetic, node);
  Rows table;
  table.features = 5;
  for (int row = 0; row < 50; ++row) {
    double prediction = 0.0;
    for (int j = 0; j < 5; ++j) {
      table.values.push_back(random.normal());
      prediction += table.values.back() * (j < 2 ? 1.0 : 0.1);
    }
    table.labels.push_back(prediction + 0.1 * random.normal());
  }
  return table;
}

inline Problem problem(std::shared_ptr<const FeasibleSet> set, const std::shared_ptr<const Loss>& loss) {
  Problem made;
  made.start = start_of(*set);
  made.sets = same_set(std::move(set), 4);
  for (std::uint32_t node = 0; node < 4; ++node) {
    made.objectives.push_back(std::make_shared<RowObjective>(std::make_shared<MemorySource>(rows(node)), loss));
    made.smoothness = std::max(made.smoothness, made.objectives.back()->smoothness());
  }
  return made;
}

/// Runs a method and prints F and the first node's answer.
inline void solve(const char* label, Method& method, const Problem& of, Network& network) {
  RunOptions options;
  options.every = 0;
  const RunResult result = run(method, of, network, options);
  std::printf("%-18s F = %.6f, x =", label, result.last.measures.objective_at_average);
  for (const double value : method.output().col(0)) {
    std::printf(" %.4f", value);
  }
  std::printf("\n");
}

/// Every method that `slidemesh list methods` has, and I-PDS with every inner solver.
inline void solve_with_every_method(std::shared_ptr<const FeasibleSet> set, const std::shared_ptr<const Loss>& loss) {
  constexpr int kSteps = 400;
  const Graph graph = make_graph({.kind = "ring", .nodes = 4, .path = {}});
  const double lambda_max = laplacian_spectrum(graph).lambda_max;
  const Problem p = problem(std::move(set), loss);
  const auto run_one = [&](const char* label, auto&& make) {
    InProcessNetwork network(graph);
    const std::unique_ptr<Method> method = make(network);
    solve(label, *method, p, network);
  };
  const auto with_auto = [&](auto options) {
    options.outer_steps = kSteps;
    options.laplacian_lambda_max = lambda_max;
    options.inner = "auto";
    return options;
  };
  run_one("ipds-vr", [&](Network& n) { return std::make_unique<IpdsVr>(p, n, with_auto(IpdsVrOptions{})); });
  run_one("ipds-restarted",
          [&](Network& n) { return std::make_unique<IpdsRestarted>(p, n, with_auto(IpdsRestartedOptions{})); });
  for (const std::string& inner : inner_solver_names()) {
    run_one(inner == "auto" ? "ipds" : ("ipds, " + inner).c_str(), [&](Network& network) {
      IpdsOptions options;
      options.inner = inner;
      options.gossip = Gossip::kSqrtLaplacian;
      options.output = Output::kLast;
      options.laplacian_lambda_max = lambda_max;
      return std::make_unique<Ipds>(p, network, options);
    });
  }
  DefwOptions defw;
  defw.outer_steps = kSteps;
  ProjectedOptions projected;
  projected.outer_steps = kSteps;
  run_one("defw", [&](Network& n) { return std::make_unique<Defw>(p, n, defw); });
  run_one("dpg", [&](Network& n) { return std::make_unique<Dpg>(p, n, projected); });
  run_one("pg-extra", [&](Network& n) { return std::make_unique<PgExtra>(p, n, projected); });
  run_one("nids", [&](Network& n) { return std::make_unique<Nids>(p, n, projected); });
  run_one("centralized-fw", [&](Network& n) { return std::make_unique<CentralizedFrankWolfe>(p, n, kSteps); });
  run_one("centralized-cgs", [&](Network& n) { return std::make_unique<CentralizedCgs>(p, n, kSteps); });
  run_one("centralized-fista", [&](Network& n) { return std::make_unique<CentralizedFista>(p, n, kSteps); });
}

}  // namespace toy
