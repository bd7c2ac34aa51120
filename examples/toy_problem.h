#pragma once

// What the two examples share: a little data, a ring of four nodes, and a run of every method.

#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "slidemesh/algorithms/inner/inner_solver.h"
#include "slidemesh/algorithms/registry.h"
#include "slidemesh/base/random.h"
#include "slidemesh/slidemesh.h"

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

/// I-PDS as it does best.
inline Value::Table last_iterate(const std::string& inner) {
  return {{"inner", Value{inner}}, {"gossip", Value{"sqrt-laplacian"}}, {"output", Value{"last"}}};
}

/// Every method that `slidemesh list methods` has, and I-PDS with every inner solver: F and the first node's answer.
inline void solve_with_every_method(std::shared_ptr<const FeasibleSet> set, const std::shared_ptr<const Loss>& loss) {
  const Graph graph = make_graph({.kind = "ring", .nodes = 4, .path = {}});
  const Problem problem = make_problem(row_objectives({rows(0), rows(1), rows(2), rows(3)}, loss), std::move(set));
  const auto run_one = [&](const std::string& label, const SolveOptions& options) {
    const Solution solution = solve(problem, graph, options);
    std::printf("%-18s F = %.6f, x =", label.c_str(), *solution.last.measures.objective_at_average);
    for (const double value : solution.columns.col(0)) {
      std::printf(" %.4f", value);
    }
    std::printf("\n");
  };
  for (const MethodKind& kind : method_kinds()) {
    const bool sliding = kind.name == "ipds";
    try {
      run_one(kind.name,
              {.method = kind.name, .keys = sliding ? last_iterate("auto") : Value::Table{}, .outer_steps = 400});
    } catch (const UsageError& error) {
      std::printf("%-18s refuses: %s\n", kind.name.c_str(), error.what());
    }
  }
  for (const std::string& inner : inner_solver_names()) {
    run_one("ipds, " + inner, {.method = "ipds", .keys = last_iterate(inner), .outer_steps = 100});
  }
}

}  // namespace toy
