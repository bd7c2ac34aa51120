// Table 2 of the paper: gradient samples after 100 outer steps on 20,000 rows over 10 nodes.
//
// The paper counts in two ways. Its 2 x 10^7 is 100 steps x 20,000 rows x 10 nodes, as if every node
// held every row; each row of a split data set is evaluated once per step, which makes 2 x 10^6. Its
// 21,200 and 78,740 are what one node draws. Both countings are shown.

#include <fmt/format.h>

#include <algorithm>

#include "slidemesh/algorithms/defw.h"
#include "slidemesh/algorithms/ipds.h"
#include "workbench.h"

namespace slidemesh::app {

namespace {

constexpr double kStronglyConvex = 0.5;
// The L~ for which mu = 0.5 gives the paper's strongly convex figure.
constexpr double kPaperSmoothness = 20.5736;

Count calls_of(Workbench& bench, const std::string& label, Case& c, Method& method) {
  return follow(bench, label, c, method, kPaperSteps).back().meters.data_oracle_calls;
}

Count defw_calls(Workbench& bench, double mu) {
  Case c = bench.make_case({.mu = mu});
  DefwOptions options;
  options.outer_steps = kPaperSteps;
  Defw method(c.problem, *c.network, options);
  return calls_of(bench, fmt::format("table 2: DeFW, mu = {}", mu), c, method);
}

/// With the paper's L~ where mu > 0: 100 steps with the smaller one of these data would ask for 1e14 inner steps at the
/// last, for digits that no double has. A larger L~ than need be is safe, only slower.
IpdsOptions ipds_options(const Case& c) {
  IpdsOptions options;
  options.outer_steps = kPaperSteps;
  options.laplacian_lambda_max = c.spectrum.lambda_max;
  options.smoothness = c.problem.mu > 0.0 ? std::max(kPaperSmoothness, c.problem.smoothness) : c.problem.smoothness;
  return options;
}

Count exact_calls(Workbench& bench, double mu) {
  Case c = bench.make_case({.mu = mu});
  Ipds method(c.problem, *c.network, ipds_options(c));
  return calls_of(bench, fmt::format("table 2: I-PDS, mu = {}", mu), c, method);
}

Count sampled_calls(Workbench& bench, double mu) {
  Case c = bench.make_case({.mu = mu});
  IpdsOptions options = ipds_options(c);
  options.c = kPaperBatchScale * *options.smoothness * *options.smoothness;
  options.cap_batches = false;
  Ipds method(c.problem, *c.network, options);
  return calls_of(bench, fmt::format("table 2: sampled I-PDS, mu = {}", mu), c, method);
}

std::vector<Cell> row(const std::string& method, const std::string& problem, Count paper, Count calls) {
  const Count nodes = Setting{}.nodes;
  return {method, problem, paper, calls, calls / nodes, calls * nodes};
}

}  // namespace

Part reproduce_table2(Workbench& bench) {
  const Count convex = sampled_calls(bench, 0.0);
  const Count strongly = sampled_calls(bench, kStronglyConvex);
  constexpr Count kPaperExact = 20'000'000;

  ReportTable table;
  table.title = "Rows evaluated in 100 outer steps";
  table.caption =
      "Measured by the meters. \"All nodes\" is this program's data_oracle_calls: one row, one evaluation, one call.";
  table.columns = {"method", "problem", "paper", "all nodes", "one node", "all nodes x nodes"};
  table.rows = {
      row("DeFW", "mu = 0", kPaperExact, defw_calls(bench, 0.0)),
      row("DeFW", "mu = 0.5", kPaperExact, defw_calls(bench, kStronglyConvex)),
      row("I-PDS, exact gradients", "mu = 0", kPaperExact, exact_calls(bench, 0.0)),
      row("I-PDS, exact gradients, L~ = 20.5736", "mu = 0.5", kPaperExact, exact_calls(bench, kStronglyConvex)),
      row("I-PDS, sampled, c = L~^2/400", "mu = 0", 21'200, convex),
      row("I-PDS, sampled, c = L~^2/400, L~ = 20.5736", "mu = 0.5", 78'740, strongly),
  };
  Part part;
  part.section.title = "Table 2: gradient samples after 100 outer steps";
  part.section.paragraphs = {
      "The paper counts in two ways. Its 2 x 10^7 is 100 steps x 20,000 rows x 10 nodes, which is the last column: "
      "every row, "
      "counted once for every node. Its 21,200 and 78,740 are the draws of one node. By one counting for all, a row "
      "evaluated "
      "anywhere is one call, and the columns \"all nodes\" compare.",
      "The batches are c_k of the theorem with c = L~^2/400. For mu = 0 their sum is 21,200 whatever L~ is. For mu > 0 "
      "it depends "
      "on L~/mu, and the paper's 78,740 is what L~ = 20.5736 gives; these runs take that L~.",
  };
  part.section.tables.push_back(std::move(table));
  part.findings.push_back(
      fmt::format("Table 2: one node of sampled I-PDS evaluates {} rows (mu = 0) and {} (mu = 0.5) in 100 steps; the "
                  "paper says 21200 and 78740.",
                  convex / Setting{}.nodes, strongly / Setting{}.nodes));
  return part;
}

}  // namespace slidemesh::app
