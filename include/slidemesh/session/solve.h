#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "slidemesh/base/value.h"
#include "slidemesh/core/graph.h"
#include "slidemesh/core/loss.h"
#include "slidemesh/core/problem.h"
#include "slidemesh/core/record.h"
#include "slidemesh/core/rows.h"
#include "slidemesh/core/termination.h"
#include "slidemesh/network/network.h"

/// A problem in a line or two, and one call that solves it:
///
///     const Problem problem = make_problem(row_objectives(tables, loss), set);
///     const Solution solution = solve(problem, graph, {.method = "ipds-vr"});

namespace slidemesh {

/// One objective per table of rows: the mean of the loss over them.
[[nodiscard]] std::vector<std::shared_ptr<LocalObjective>> row_objectives(std::vector<Rows> tables,
                                                                          const std::shared_ptr<const Loss>& loss);
/// The same over sources of rows.
[[nodiscard]] std::vector<std::shared_ptr<LocalObjective>> row_objectives(
    const std::vector<std::shared_ptr<RowSource>>& sources, const std::shared_ptr<const Loss>& loss);

/// The problem with all that follows from its parts: the largest smoothness constant, and the set's own point to start
/// from. All nodes are in this process.
[[nodiscard]] Problem make_problem(std::vector<std::shared_ptr<LocalObjective>> objectives,
                                   std::shared_ptr<const FeasibleSet> set, double mu = 0.0);
/// The same where each node has a set of its own; the start is that of the first. The smoothness constant is left at 0:
/// `solve` finds it where the method goes by it.
[[nodiscard]] Problem make_problem(std::vector<std::shared_ptr<LocalObjective>> objectives,
                                   std::vector<std::shared_ptr<const FeasibleSet>> sets, double mu = 0.0);
/// The same where nodes may be spread over processes, which agree on the smoothness constant.
[[nodiscard]] Problem make_problem(std::vector<std::shared_ptr<LocalObjective>> objectives,
                                   std::shared_ptr<const FeasibleSet> set, double mu, Network& network);

struct SolveOptions {
  std::string method{};                       ///< one of `slidemesh list methods`; empty: the default one
  Value::Table keys{};                        ///< of the method, as a config has them: {{"inner", Value{"cgs"}}}
  std::optional<int> outer_steps{};           ///< none: until a target is reached, or the method's own length
  StopRule stop{};                            ///< a target against F* needs `reference_optimum`
  std::optional<double> reference_optimum{};  ///< F*, where it is known
  std::optional<double> lambda_max{};  ///< of the graph's Laplacian; none: the bound that nodes can find by themselves
  double lambda_2 = 0.0;               ///< of the same; 0: not known
  std::uint64_t seed = 1;
  Vector origin{};       ///< relative gaps are relative to F there; empty: where the run starts
  bool measure = false;  ///< whether every record has F(x̄), for which all rows are looked at; the last always has
  int every = 0;         ///< steps from record to record; 0: every one at first, then fewer and fewer
  Stacked dual{};        ///< multipliers to begin with, those of an earlier Solution; empty: none
  std::function<void(const Record&)> on_record{};
  std::function<bool()> interrupted{};
  std::function<bool(const Record&)> ends_at{};  ///< before `on_record` has it: true ends the run at this record
};

struct Solution {
  Vector x;         ///< x̄, the mean of the nodes' answers
  Stacked columns;  ///< each node's own
  Status status = Status::kFinished;
  double start_value = 0.0;  ///< F at the origin
  Record last;               ///< what was reached, and what it took
  Stacked dual;  ///< the multipliers of consensus, for methods that have them: with `x` as the start, a run goes on
};

/// Solves the problem over a graph whose nodes are all in this process. UsageError for a method or key that is not
/// known, or that does not fit the problem.
[[nodiscard]] Solution solve(const Problem& problem, const Graph& graph, const SolveOptions& options = {});
/// The same over a network.
[[nodiscard]] Solution solve(const Problem& problem, Network& network, const SolveOptions& options = {});

}  // namespace slidemesh
