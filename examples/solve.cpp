// Least squares over four nodes on a ring, each with rows that the others never see: all of it, with one call to solve.

#include <cstdio>

#include "slidemesh/slidemesh.h"

using namespace slidemesh;

int main() {
  std::vector<Rows> tables(4);  // one table for each node: two features and a label per row
  for (int node = 0; node < 4; ++node) {
    tables[node].features = 2;
    tables[node].values = {1.0, 0.5 * node, 0.0, 1.0};
    tables[node].labels = {1.0 + node, -1.0};
  }
  const auto loss = make_loss({.kind = "least-squares"});
  const auto set = make_set({.kind = "l2-ball", .parameters = {{"radius", 2.0}}}, 2);
  const Problem problem = make_problem(row_objectives(std::move(tables), loss), set->clone());
  const Graph graph = make_graph({.kind = "ring", .nodes = 4});

  SolveOptions options{.method = "ipds-vr"};
  options.stop.certified_gap = 1e-6;
  const Solution solution = solve(problem, graph, options);
  std::printf("x = (%.6f, %.6f), certified to %.1e after %lld data-oracle calls\n", solution.x[0], solution.x[1],
              *solution.last.certified_gap, static_cast<long long>(solution.last.meters.data_oracle_calls));
}
