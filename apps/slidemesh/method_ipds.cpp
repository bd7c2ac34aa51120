#include "methods.h"
#include "slidemesh/algorithms/inner/inner_solver.h"
#include "slidemesh/algorithms/ipds.h"

namespace slidemesh::app {

namespace {

constexpr double kDefaultTolerance = 1e-3;

enum class ToleranceRule { kConstant, kTarget };

/// The theorem asks for inner errors that sum to at most half the accuracy over all nodes.
double tolerance_from_target(const MethodContext& context, const std::string& file) {
  if (!context.accuracy) {
    throw UsageError(
        file + ": method.tolerance: expected a [stop] target_gap or certified_gap to go with \"target\", got none");
  }
  return *context.accuracy / (2.0 * static_cast<double>(context.network.nodes()));
}

void parse_sampling(ConfigTable& table, IpdsOptions& options) {
  const bool sampled = table.choice("gradients", {"exact", "sampled"}).value_or("exact") == "sampled";
  const auto c = table.number("c", "a positive number", is_positive);
  options.cap_batches = table.boolean("cap_batches").value_or(true);
  if (!sampled && c) {
    table.fail("c", "gradients = \"sampled\" beside it", "exact gradients");
  }
  if (sampled && !c) {
    table.fail("c", "a positive number, since gradients are sampled", "none");
  }
  options.c = c;
}

}  // namespace

MethodFactory parse_ipds(ConfigTable& table, int outer_steps) {
  IpdsOptions options;
  options.outer_steps = outer_steps;
  if (const auto R = number_or_word(table, "R", {"auto"})) {
    options.R = R->number;
  }
  if (const auto L = number_or_word(table, "lipschitz", {"auto"})) {
    options.smoothness = L->number;
  }
  if (table.choice("gossip", {"laplacian", "sqrt-laplacian"}).value_or("laplacian") == "sqrt-laplacian") {
    options.gossip = Gossip::kSqrtLaplacian;
  }
  if (table.choice("profile", {"paper", "deterministic"}).value_or("paper") == "deterministic") {
    options.profile = Profile::kDeterministic;
  }
  if (table.choice("output", {"average", "last"}).value_or("average") == "last") {
    options.output = Output::kLast;
  }
  options.inner = table.choice("inner", inner_solver_names()).value_or("auto");
  const auto tolerance = number_or_word(table, "tolerance", {"target", "adaptive"});
  const auto rule = tolerance && tolerance->word == "target" ? ToleranceRule::kTarget : ToleranceRule::kConstant;
  options.tolerance = tolerance && tolerance->number ? *tolerance->number : kDefaultTolerance;
  if (tolerance && tolerance->word == "adaptive") {
    options.adaptive.emplace();
  }
  parse_sampling(table, options);
  if (options.c && options.profile == Profile::kDeterministic) {
    table.fail("profile", "\"paper\", since gradients are sampled", "\"deterministic\"");
  }
  return [options, rule, file = table.file()](const MethodContext& context) -> std::unique_ptr<Method> {
    IpdsOptions o = options;
    o.laplacian_lambda_max = context.lambda_max;
    o.seed = context.seed;
    if (rule == ToleranceRule::kTarget) {
      o.tolerance = tolerance_from_target(context, file);
    }
    return std::make_unique<Ipds>(context.problem, context.network, o);
  };
}

}  // namespace slidemesh::app
