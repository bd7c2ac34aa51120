#include "methods.h"
#include "slidemesh/algorithms/inner/inner_solver.h"
#include "slidemesh/algorithms/ipds_restarted.h"
#include "slidemesh/algorithms/ipds_vr.h"

namespace slidemesh::app {

namespace {

constexpr Count kLongestEpoch = 1'000'000;
constexpr Count kLargestBatch = 1'000'000'000;

/// The keys that the two variants share; none needs to be set.
template <class Options>
void parse_shared(ConfigTable& table, Options& options) {
  if (const auto R = number_or_word(table, "R", {"auto"})) {
    options.R = R->number;
  }
  if (const auto L = number_or_word(table, "lipschitz", {"auto"})) {
    options.smoothness = L->number;
  }
  if (const auto tolerance = number_or_word(table, "tolerance", {"adaptive"})) {
    options.tolerance = tolerance->number;
  }
  options.inner = table.choice("inner", inner_solver_names()).value_or("auto");
  options.epoch = table.integer("epoch", 1, kLongestEpoch);
}

}  // namespace

MethodFactory parse_ipds_restarted(ConfigTable& table, int outer_steps) {
  IpdsRestartedOptions options;
  options.outer_steps = outer_steps;
  parse_shared(table, options);
  return [options](const MethodContext& context) -> std::unique_ptr<Method> {
    IpdsRestartedOptions o = options;
    o.laplacian_lambda_max = context.lambda_max;
    return std::make_unique<IpdsRestarted>(context.problem, context.network, o);
  };
}

MethodFactory parse_ipds_vr(ConfigTable& table, int outer_steps) {
  IpdsVrOptions options;
  options.outer_steps = outer_steps;
  parse_shared(table, options);
  options.batch = table.integer("batch", 1, kLargestBatch);
  return [options](const MethodContext& context) -> std::unique_ptr<Method> {
    IpdsVrOptions o = options;
    o.laplacian_lambda_max = context.lambda_max;
    o.seed = context.seed;
    return std::make_unique<IpdsVr>(context.problem, context.network, o);
  };
}

}  // namespace slidemesh::app
