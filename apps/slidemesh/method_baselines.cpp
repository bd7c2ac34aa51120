// The [[method]] tables of the baselines: DeFW, DPG, PG-EXTRA, NIDS and the centralized ones.

#include "methods.h"
#include "slidemesh/algorithms/centralized.h"
#include "slidemesh/algorithms/defw.h"
#include "slidemesh/algorithms/dpg.h"
#include "slidemesh/algorithms/nids.h"
#include "slidemesh/algorithms/pg_extra.h"

namespace slidemesh::app {

namespace {

Weights parse_weights(ConfigTable& table) {
  return weights_of_name(table.choice("weights", {"metropolis", "min-degree", "laplacian"}).value_or("metropolis"));
}

/// A whole number of rounds, or "log" for none given.
std::optional<int> parse_mixing_rounds(ConfigTable& table) {
  constexpr double kMostRounds = 1e6;
  const auto rounds = number_or_word(table, "mixing_rounds", {"log"});
  if (!rounds) {
    return 1;
  }
  if (!rounds->number) {
    return std::nullopt;
  }
  const int whole = static_cast<int>(std::min(*rounds->number, kMostRounds));
  if (static_cast<double>(whole) != *rounds->number) {
    table.fail("mixing_rounds", "a whole number from 1 to 1000000 or \"log\"", describe(*table.node("mixing_rounds")));
  }
  return whole;
}

ProjectedOptions parse_projected(ConfigTable& table, int outer_steps) {
  ProjectedOptions options;
  options.outer_steps = outer_steps;
  options.weights = parse_weights(table);
  if (const auto step = number_or_word(table, "step", {"auto"})) {
    options.step = step->number;
  }
  return options;
}

template <class Projected>
MethodFactory factory(const ProjectedOptions& options) {
  return [options](const MethodContext& context) -> std::unique_ptr<Method> {
    ProjectedOptions o = options;
    o.laplacian_lambda_max = context.lambda_max;
    return std::make_unique<Projected>(context.problem, context.network, o);
  };
}

template <class Central>
MethodFactory central_factory(int outer_steps) {
  return [outer_steps](const MethodContext& context) -> std::unique_ptr<Method> {
    return std::make_unique<Central>(context.problem, context.network, outer_steps);
  };
}

}  // namespace

MethodFactory parse_defw(ConfigTable& table, int outer_steps) {
  constexpr Count kMostRows = 1'000'000'000;
  DefwOptions options;
  options.outer_steps = outer_steps;
  options.weights = parse_weights(table);
  options.mixing_rounds = parse_mixing_rounds(table);
  options.tracking = table.boolean("tracking").value_or(true);
  const bool sampled = table.choice("gradients", {"exact", "sampled"}).value_or("exact") == "sampled";
  options.batch = table.integer("batch", 1, kMostRows);
  options.cap_batches = table.boolean("cap_batches").value_or(true);
  if (!sampled && options.batch) {
    table.fail("batch", "gradients = \"sampled\" beside it", "exact gradients");
  }
  if (sampled && !options.batch) {
    table.fail("batch", "a number of rows, since gradients are sampled", "none");
  }
  return [options](const MethodContext& context) -> std::unique_ptr<Method> {
    DefwOptions o = options;
    o.laplacian_lambda_max = context.lambda_max;
    o.seed = context.seed;
    return std::make_unique<Defw>(context.problem, context.network, o);
  };
}

MethodFactory parse_dpg(ConfigTable& table, int outer_steps) {
  ProjectedOptions options = parse_projected(table, outer_steps);
  options.decaying = table.choice("step_rule", {"sqrt", "constant"}).value_or("sqrt") == "sqrt";
  return factory<Dpg>(options);
}

MethodFactory parse_pg_extra(ConfigTable& table, int outer_steps) {
  return factory<PgExtra>(parse_projected(table, outer_steps));
}

MethodFactory parse_nids(ConfigTable& table, int outer_steps) {
  return factory<Nids>(parse_projected(table, outer_steps));
}

MethodFactory parse_centralized_fw(ConfigTable& /*table*/, int outer_steps) {
  return central_factory<CentralizedFrankWolfe>(outer_steps);
}

MethodFactory parse_centralized_cgs(ConfigTable& /*table*/, int outer_steps) {
  return central_factory<CentralizedCgs>(outer_steps);
}

MethodFactory parse_centralized_fista(ConfigTable& /*table*/, int outer_steps) {
  return central_factory<CentralizedFista>(outer_steps);
}

}  // namespace slidemesh::app
