#include "slidemesh/session/solve.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "slidemesh/algorithms/registry.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/base/text.h"
#include "slidemesh/core/data_oracle.h"
#include "slidemesh/network/in_process.h"
#include "slidemesh/session/measures.h"
#include "slidemesh/session/run.h"

namespace slidemesh {

namespace {

const MethodKind& kind_of(const std::string& name) {
  if (name.empty()) {
    return method_kinds().front();
  }
  if (const MethodKind* kind = find_method(name)) {
    return *kind;
  }
  const std::vector<std::string> names = names_of(method_kinds());
  const std::string near = nearest_word(name, names);
  fail<UsageError>("method", alternatives(names) + (near.empty() ? "" : fmt::format(" (did you mean {}?)", near)),
                   fmt::format("\"{}\"", name));
}

void require_fit(const Problem& problem, const Network& network, const SolveOptions& options) {
  require<UsageError>(!options.stop.target_gap || options.reference_optimum, "stop.target_gap",
                      "a reference_optimum to go with it", "none");
  require<UsageError>(static_cast<Index>(problem.objectives.size()) == network.local_nodes(), "problem",
                      fmt::format("an objective for each of {} nodes", network.local_nodes()),
                      std::to_string(problem.objectives.size()));
}

double largest_smoothness(const Problem& problem) {
  double largest = 0.0;
  for (const auto& objective : problem.objectives) {
    largest = std::max(largest, objective->smoothness());
  }
  return largest;
}

void start_with_dual(Method& method, const Problem& problem, const Network& network, const Stacked& dual) {
  if (dual.size() == 0) {
    return;
  }
  require<UsageError>(dual.rows() == problem.dimension() && dual.cols() == network.local_nodes(), "dual",
                      fmt::format("{} x {} numbers", problem.dimension(), network.local_nodes()),
                      fmt::format("{} x {}", dual.rows(), dual.cols()));
  method.start_with_dual(dual);
}

}  // namespace

std::vector<std::shared_ptr<LocalObjective>> row_objectives(const std::vector<std::shared_ptr<RowSource>>& sources,
                                                            const std::shared_ptr<const Loss>& loss) {
  std::vector<std::shared_ptr<LocalObjective>> objectives;
  objectives.reserve(sources.size());
  for (const auto& source : sources) {
    objectives.push_back(std::make_shared<RowObjective>(source, loss));
  }
  return objectives;
}

std::vector<std::shared_ptr<LocalObjective>> row_objectives(std::vector<Rows> tables,
                                                            const std::shared_ptr<const Loss>& loss) {
  std::vector<std::shared_ptr<RowSource>> sources;
  sources.reserve(tables.size());
  for (Rows& table : tables) {
    sources.push_back(std::make_shared<MemorySource>(std::move(table)));
  }
  return row_objectives(sources, loss);
}

Problem make_problem(std::vector<std::shared_ptr<LocalObjective>> objectives, std::shared_ptr<const FeasibleSet> set,
                     double mu) {
  const std::size_t nodes = objectives.size();
  Problem problem = make_problem(std::move(objectives), same_set(std::move(set), nodes), mu);
  problem.smoothness = largest_smoothness(problem);
  return problem;
}

Problem make_problem(std::vector<std::shared_ptr<LocalObjective>> objectives,
                     std::vector<std::shared_ptr<const FeasibleSet>> sets, double mu) {
  require<UsageError>(!objectives.empty(), "problem", "an objective for each node", "none");
  require<UsageError>(sets.size() == objectives.size(), "problem",
                      fmt::format("a set for each of {} nodes", objectives.size()), std::to_string(sets.size()));
  Problem problem;
  problem.start = start_of(*sets.front());
  problem.sets = std::move(sets);
  problem.objectives = std::move(objectives);
  problem.mu = mu;
  for (const auto& set : problem.sets) {
    problem.sets_differ = problem.sets_differ || set != problem.sets.front();
    require<UsageError>(set->dimension() == problem.dimension(), "problem", "sets of one dimension",
                        fmt::format("one of {} and one of {}", problem.dimension(), set->dimension()));
  }
  for (const auto& objective : problem.objectives) {
    require<UsageError>(objective->dimension() == problem.dimension(), "problem",
                        fmt::format("objectives of the set's dimension {}", problem.dimension()),
                        fmt::format("one of {}", objective->dimension()));
  }
  return problem;
}

Problem make_problem(std::vector<std::shared_ptr<LocalObjective>> objectives, std::shared_ptr<const FeasibleSet> set,
                     double mu, Network& network) {
  Problem problem = make_problem(std::move(objectives), std::move(set), mu);
  problem.smoothness = network.agree_max(Matrix::Constant(1, network.local_nodes(), problem.smoothness))(0);
  return problem;
}

Solution solve(const Problem& given, Network& network, const SolveOptions& options) {
  require_fit(given, network, options);
  Problem problem = given;
  const MethodKind& kind = kind_of(options.method);
  ConfigTable keys(options.keys, 0, "method", kind.name);
  const MethodFactory make = kind.parse(keys, options.outer_steps, options.stop);
  keys.finish();
  if (problem.smoothness == 0.0 && make.uses_smoothness(problem, network)) {
    problem.smoothness = network.agree_max(Matrix::Constant(1, network.local_nodes(), largest_smoothness(problem)))(0);
  }
  const auto method = make({problem, network, options.lambda_max.value_or(network.graph().degree_bound()), options.seed,
                            std::nullopt, options.lambda_2});
  if (method->uses_smoothness()) {
    charge_smoothness(problem, network.meters());
  }
  start_with_dual(*method, problem, network, options.dual);
  RunOptions run_options;
  run_options.every = options.every;
  run_options.look = options.reference_optimum || options.measure ? Look::kEverything : Look::kNothing;
  run_options.stop = options.stop;
  run_options.reference_optimum = options.reference_optimum;
  run_options.on_record = options.on_record;
  run_options.interrupted = options.interrupted;
  run_options.ends_at = options.ends_at;
  const Control control(network);
  const double start_value =
      total_objective(problem, control, options.origin.size() > 0 ? options.origin : problem.start);
  run_options.start_value = start_value;
  const RunResult result = run(*method, problem, control, run_options);
  Solution solution;
  solution.start_value = start_value;
  solution.columns = method->output();
  control.mean_over_tree(solution.columns, solution.x);  // as a session does: the same bits
  solution.status = result.status;
  solution.last = result.last;
  if (const Dual* dual = method->dual()) {
    solution.dual = dual->s;
  }
  return solution;
}

Solution solve(const Problem& problem, const Graph& graph, const SolveOptions& options) {
  InProcessNetwork network(graph);
  return solve(problem, network, options);
}

}  // namespace slidemesh
