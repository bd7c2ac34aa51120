// The keys of DeFW and DPG.

#include "baseline_keys.h"
#include "registry_kinds.h"
#include "slidemesh/algorithms/defw.h"
#include "slidemesh/algorithms/dpg.h"
#include "slidemesh/algorithms/entry_defw.h"

namespace slidemesh {

namespace {

struct DefwKeys : DefwOptions {
  bool sampled = false;
};

/// A whole number of rounds, or "log" for ceil(log t + 1).
void read_mixing_rounds(ConfigTable& table, const Value& value, DefwKeys& options) {
  constexpr double kMostRounds = 1e6;
  const bool whole = value.is_number() && value.number() >= 1.0 && value.number() <= kMostRounds &&
                     value.number() == std::floor(value.number());
  if (whole) {
    options.mixing_rounds = static_cast<int>(value.number());
  } else if (value.is<std::string>() && value.text() == "log") {
    options.mixing_rounds.reset();
  } else {
    table.fail("mixing_rounds", "a whole number from 1 to 1000000 or \"log\"");
  }
}

void check_defw(const ConfigTable& table, const DefwKeys& options) {
  table.require(options.sampled || !options.batch, "batch", "gradients = \"sampled\" beside it", "exact gradients");
  table.require(!options.sampled || options.batch, "batch", "a number of rows, since gradients are sampled", "none");
}

std::unique_ptr<Method> make_defw_of_keys(const DefwKeys& keys, const MethodContext& context) {
  return make_defw(context.problem, context.network, in_context<DefwOptions>(keys, context));
}

/// Its steps are 2/(t + 1), whatever L~ is: the passes that find it would be the most expensive part of a short run.
bool defw_uses_smoothness(const DefwKeys& /*keys*/, const Problem& /*problem*/, Network& /*network*/) { return false; }

}  // namespace

MethodKind defw_kind() {
  Keys<DefwKeys> keys = weighted_keys<DefwKeys>();
  keys.other("mixing_rounds", "a whole number from 1 to 1000000 or \"log\"", "1",
             "rounds of each of the two exchanges; \"log\": ceil(log t + 1) at step t", read_mixing_rounds)
      .boolean("tracking", &DefwKeys::tracking, "false: each step mixes its own gradients only")
      .choice("gradients", &DefwKeys::sampled, {{"exact", false}, {"sampled", true}},
              "\"sampled\" draws `batch` rows with replacement")
      .integer("batch", &DefwKeys::batch, 1, kMostRows, "rows that a node draws per step")
      .boolean("cap_batches", &DefwKeys::cap_batches, "a batch that reaches a node's row count becomes a full pass");
  return method_kind<DefwKeys>(
      "defw", "decentralized Frank-Wolfe: a pass over the data and one linear-oracle call per node and step",
      std::move(keys), check_defw, make_defw_of_keys, defw_uses_smoothness);
}

MethodKind dpg_kind() {
  Keys<ProjectedOptions> keys = step_keys(weighted_keys<ProjectedOptions>(),
                                          "the step size; auto: 10 / (L~ + mu), or 1 / (L~ + mu) where it is constant");
  keys.choice("step_rule", &ProjectedOptions::decaying, {{"sqrt", true}, {"constant", false}},
              "\"sqrt\": step / sqrt(t) at step t, or the same at every step");
  return method_kind<ProjectedOptions>("dpg", "decentralized projected gradient, the step decaying or constant",
                                       std::move(keys), nullptr, make_method<Dpg>);
}

}  // namespace slidemesh
