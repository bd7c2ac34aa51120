// The keys of Newton sliding.

#include <algorithm>

#include "registry_kinds.h"
#include "slidemesh/algorithms/ipds_vr.h"
#include "slidemesh/algorithms/newton_sliding.h"

namespace slidemesh {

namespace {

/// What a user may want to spare. θ and the share of rows that a stage touches again follow from it.
enum class Favour { kData, kBalanced, kRounds };

struct NewtonKeys {
  int outer_steps = 0;
  Favour favour = Favour::kBalanced;
  std::optional<double> theta;
  std::optional<double> refresh;
  std::int64_t curvature_memory = 1'000'000'000;
};

constexpr NumberRange kShare{[](double value) { return value > 0.0 && value <= 1.0; }, "a number above 0, at most 1"};

Keys<NewtonKeys> newton_keys() {
  return Keys<NewtonKeys>()
      .choice<Favour NewtonKeys::*, Favour>(
          "favour", &NewtonKeys::favour,
          {{"data", Favour::kData}, {"balanced", Favour::kBalanced}, {"rounds", Favour::kRounds}},
          "what to spare: passes over the data, or communication rounds")
      .number("theta", &NewtonKeys::theta, kShare, "a stage ends when its model is solved to this share of its begin")
      .by_default("by `favour`: 0.01, 0.05 or 0.2")
      .number("refresh", &NewtonKeys::refresh, kShare,
              "share of its rows that a node touches again per stage, once all have been touched")
      .by_default("by `favour`: 1/4, 1/4 or 1/2")
      .integer("curvature_memory", &NewtonKeys::curvature_memory, 0, std::numeric_limits<std::int64_t>::max(),
               "bytes for the models of a process's nodes; where they do not fit, `ipds-vr` runs instead");
}

NewtonSlidingOptions options_of(const NewtonKeys& keys) {
  NewtonSlidingOptions o;
  o.outer_steps = keys.outer_steps;
  o.theta = keys.favour == Favour::kData ? 0.01 : keys.favour == Favour::kRounds ? 0.2 : 0.05;
  o.refresh = keys.favour == Favour::kRounds ? 0.5 : 0.25;
  o.theta = keys.theta.value_or(o.theta);
  o.refresh = keys.refresh.value_or(o.refresh);
  return o;
}

std::unique_ptr<Method> make_newton(const NewtonKeys& keys, const MethodContext& context) {
  NewtonSlidingOptions o = options_of(keys);
  o.laplacian_lambda_max = context.lambda_max;
  o.seed = context.seed;
  if (newton_model_bytes(context.problem) <= static_cast<double>(keys.curvature_memory)) {
    return std::make_unique<NewtonSliding>(context.problem, context.network, o);
  }
  IpdsVrOptions other;
  other.outer_steps = keys.outer_steps;
  other.laplacian_lambda_max = context.lambda_max;
  other.seed = context.seed;
  other.inner = "auto";
  return std::make_unique<IpdsVr>(context.problem, context.network, other);
}

}  // namespace

MethodKind newton_sliding_kind() {
  MethodKind kind = method_kind<NewtonKeys>("newton-sliding",
                                            "every node keeps a quadratic model of its rows: the data seen about once",
                                            newton_keys(), nullptr, make_newton);
  kind.outer_steps = 2'000;
  kind.certifies = true;
  return kind;
}

}  // namespace slidemesh
