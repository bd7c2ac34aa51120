#pragma once

// What the two examples share: a little data, a ring of four nodes, and a run of a method.

#include <cstdio>
#include <memory>

#include "slidemesh/algorithms/ipds.h"
#include "slidemesh/core/random.h"
#include "slidemesh/core/run.h"
#include "slidemesh/graphs/generators.h"
#include "slidemesh/graphs/spectrum.h"
#include "slidemesh/runtime/in_process.h"

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

/// Solves with I-PDS, whose inner problems are solved by `inner`, and prints F and the first node's answer.
inline double solve(std::shared_ptr<const FeasibleSet> set, std::shared_ptr<const Loss> loss, const char* inner) {
  const Graph graph = make_graph({.kind = "ring", .nodes = 4, .path = {}});
  Problem problem;
  problem.set = std::move(set);
  problem.start = Vector(problem.set->dimension());
  problem.set->start(problem.start);
  for (std::uint32_t node = 0; node < 4; ++node) {
    problem.objectives.push_back(std::make_shared<RowObjective>(std::make_shared<MemorySource>(rows(node)), loss));
    problem.smoothness = std::max(problem.smoothness, problem.objectives.back()->smoothness());
  }
  InProcessNetwork network(graph);
  IpdsOptions options;
  options.inner = inner;
  options.gossip = Gossip::kSqrtLaplacian;
  options.laplacian_lambda_max = laplacian_spectrum(graph).lambda_max;
  Ipds method(problem, network, options);
  const RunResult result = run(method, problem, network, {});
  std::printf("%-10s F = %.6f, x =", inner, result.last.measures.objective_at_average);
  for (const double value : method.output().col(0)) {
    std::printf(" %.4f", value);
  }
  std::printf("\n");
  return result.last.measures.objective_at_average;
}

}  // namespace toy
