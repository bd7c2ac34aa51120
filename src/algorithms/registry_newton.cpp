// The keys of Newton sliding.

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "registry_kinds.h"
#include "slidemesh/algorithms/entry_defw.h"
#include "slidemesh/algorithms/ipds_restarted.h"
#include "slidemesh/algorithms/ipds_vr.h"
#include "slidemesh/algorithms/newton_sliding.h"

namespace slidemesh {

namespace {

/// What a user may want to spare. θ and the share of rows that a stage touches again follow from it.
enum class Favour { kData, kBalanced, kRounds };

/// What nodes send in order to minimize the sum of their models.
enum class Share { kIterates, kModels };

struct NewtonKeys {
  int outer_steps = 0;
  Favour favour = Favour::kBalanced;
  std::optional<double> theta;
  std::optional<double> refresh;
  std::int64_t curvature_memory = 1'000'000'000;
  std::int64_t fallback_memory = 4'000'000'000;
  Share share = Share::kIterates;
};

constexpr NumberRange kShare{[](double value) { return value > 0.0 && value <= 1.0; }, "a number above 0, at most 1"};

Keys<NewtonKeys> newton_keys() {
  return Keys<NewtonKeys>()
      .choice(
          "favour", &NewtonKeys::favour,
          {{"data", Favour::kData}, {"balanced", Favour::kBalanced}, {"rounds", Favour::kRounds}},
          "what to save: passes over the data, or rounds of messages. With \"data\", models of wide sparse rows are "
          "kept sparse, so that they have room where models of all pairs of columns have none")
      .choice(
          "share", &NewtonKeys::share, {{"iterates", Share::kIterates}, {"models", Share::kModels}},
          "what nodes send: iterates to neighbours, or the sums of their models over a spanning tree, with the fewest "
          "hops; a parent then learns the gradients and curvatures of the nodes behind it, added up")
      .number("theta", &NewtonKeys::theta, kShare,
              "a stage ends when its model is solved to this share of what it began with")
      .by_default("by `favour`: 0.01, 0.05 or 0.2")
      .number("refresh", &NewtonKeys::refresh, kShare,
              "share of its rows that a node touches again per stage, once all have been touched")
      .by_default("by `favour`: 1/4, 1/4 or 1/2")
      .integer("curvature_memory", &NewtonKeys::curvature_memory, 0, std::numeric_limits<std::int64_t>::max(),
               "bytes for the models of all nodes together. Where they do not fit, `ipds-vr` runs instead "
               "(`ipds-restarted` with `favour = \"rounds\"`), and a line says so")
      .integer("fallback_memory", &NewtonKeys::fallback_memory, 0, std::numeric_limits<std::int64_t>::max(),
               "bytes for the iterates of all nodes together, where another method runs instead. Where `ipds-vr` would "
               "take more, on entries of a matrix over a set whose vertices have rank one, that method is `defw`");
}

NewtonSlidingOptions options_of(const NewtonKeys& keys) {
  NewtonSlidingOptions o;
  o.outer_steps = keys.outer_steps;
  o.theta = keys.favour == Favour::kData ? 0.01 : keys.favour == Favour::kRounds ? 0.2 : 0.05;
  o.refresh = keys.favour == Favour::kRounds ? 0.5 : 0.25;
  o.allows_sparse_models = keys.favour == Favour::kData;
  o.theta = keys.theta.value_or(o.theta);
  o.refresh = keys.refresh.value_or(o.refresh);
  return o;
}

enum class Obstacle { kNone, kMemory, kSet, kNotRows };

/// Whether a local step over the set would take a decomposition, or hundreds of them.
bool has_costly_steps(const FeasibleSet& set) {
  const ProjectionKind projection = set.projection_kind();
  return set.is_curved() && (projection == ProjectionKind::kNone ||
                             (projection != ProjectionKind::kClosedForm && set.matrix_columns() > 1));
}

/// What a node adds to what all must know.
enum Need : Index { kCostlySets, kOtherFunctions, kBytes, kNeeds };

/// Of this process's nodes, a column each.
Matrix needs(const NewtonKeys& keys, const Problem& problem, Index nodes) {
  Matrix out = Matrix::Zero(kNeeds, nodes);
  for (Index i = 0; i < nodes; ++i) {
    const LocalObjective& objective = *problem.objectives[static_cast<std::size_t>(i)];
    const bool has_rows = objective.row_loss() != nullptr;
    out(kCostlySets, i) = has_costly_steps(problem.set(i)) ? 1.0 : 0.0;
    out(kOtherFunctions, i) = has_rows ? 0.0 : 1.0;
    if (has_rows) {
      out(kBytes, i) = newton_model_bytes(objective, keys.share == Share::kIterates && keys.favour == Favour::kData);
    }
  }
  return out;
}

/// What keeps the nodes from it. They need not ask each other where each knows that all have room. Whether they have
/// does not depend on how they are spread over processes: nor may the answer.
Obstacle obstacle(const NewtonKeys& keys, const Problem& problem, Network& network) {
  const auto memory = static_cast<double>(keys.curvature_memory);
  const auto d = static_cast<double>(problem.dimension());
  const Matrix here = needs(keys, problem, network.local_nodes());
  const bool fits_in_any_shape = sizeof(double) * d * d * static_cast<double>(network.nodes()) <= memory;
  const bool may_differ = !fits_in_any_shape || problem.sets_differ;
  const Vector all = may_differ ? network.agree_sum(here) : Vector(here.rowwise().sum());
  if (all(kOtherFunctions) > 0.0) {
    return Obstacle::kNotRows;
  }
  if (all(kCostlySets) > 0.0) {
    return Obstacle::kSet;
  }
  return all(kBytes) <= memory || fits_in_any_shape ? Obstacle::kNone : Obstacle::kMemory;
}

std::string reason(Obstacle what, const NewtonKeys& keys) {
  switch (what) {
    case Obstacle::kMemory:
      return "its models do not fit into method.curvature_memory = " + std::to_string(keys.curvature_memory);
    case Obstacle::kSet:
      return "the set is curved and has no cheap projection";
    case Obstacle::kNotRows:
      return "not every objective is a mean over rows";
    case Obstacle::kNone:
      break;
  }
  return "";
}

/// What ipds-vr and ipds-restarted take for all nodes together, however they are spread: some twenty vectors per node,
/// and nearly as many again in a copy of their state.
double fallback_bytes(const Problem& problem, const Network& network) {
  constexpr double kVectors = 37.0;
  return sizeof(double) * kVectors * static_cast<double>(problem.dimension()) * static_cast<double>(network.nodes());
}

/// What runs.
enum class Choice { kNewton, kDefw, kVr, kRestarted };

/// Where iterates are large and gradients are zero but at a few entries, DeFW keeps one vector per node and all else at
/// those entries. Of the other two ipds-vr spares data: the noise of a few rows makes its phases long, and late steps
/// of a phase take many rounds each. Exact gradients take a fraction of the rounds, and up to sixteen times the passes.
Choice choice_of(Obstacle what, const NewtonKeys& keys, const Problem& problem, Network& network) {
  switch (what) {
    case Obstacle::kNone:
      return Choice::kNewton;
    case Obstacle::kNotRows:
      return Choice::kRestarted;
    case Obstacle::kMemory:
    case Obstacle::kSet:
      break;
  }
  const bool is_large = fallback_bytes(problem, network) > static_cast<double>(keys.fallback_memory);
  if (is_large && !problem.sets_differ && EntryDefw::fits(problem, network, {})) {
    return Choice::kDefw;
  }
  return keys.favour == Favour::kRounds ? Choice::kRestarted : Choice::kVr;
}

std::string_view name_of(Choice choice) {
  return choice == Choice::kDefw ? "defw" : choice == Choice::kVr ? "ipds-vr" : "ipds-restarted";
}

/// Where a method takes more memory than many machines have, whoever did not ask for it should know.
std::string memory_note(Choice choice, const NewtonKeys& keys, const Problem& problem, const Network& network) {
  const double bytes = fallback_bytes(problem, network);
  if (choice == Choice::kDefw) {
    return fmt::format(
        ", and ipds-vr would take up to {:.0f} GB of memory here, more than method.fallback_memory = {}; defw takes "
        "about a tenth, and certifies nothing",
        bytes / 1e9, keys.fallback_memory);
  }
  return bytes <= static_cast<double>(keys.fallback_memory)
             ? ""
             : fmt::format("; it takes up to {:.0f} GB of memory here", bytes / 1e9);
}

bool newton_uses_smoothness(const NewtonKeys& keys, const Problem& problem, Network& network) {
  const Choice choice = choice_of(obstacle(keys, problem, network), keys, problem, network);
  return choice == Choice::kVr || choice == Choice::kRestarted;
}

/// A phase of ipds-vr ends where its measure has fallen to a tenth. Sampling that may make as much spares the most
/// rows, and phases wait for it; with a tenth of that they are about as long as with exact gradients, for more rows. On
/// wide tables a round is the more expensive: it sends all columns, and a sparse row has few.
constexpr double kQuietNoise = 0.01;

/// Another method, with as many steps.
std::unique_ptr<Method> make_instead(Choice choice, Obstacle what, const NewtonKeys& keys,
                                     const MethodContext& context) {
  if (choice == Choice::kDefw) {
    DefwOptions defw;
    defw.outer_steps = keys.outer_steps;
    return std::make_unique<EntryDefw>(context.problem, context.network, defw);
  }
  if (choice == Choice::kRestarted) {
    IpdsRestartedOptions restarted;
    restarted.outer_steps = keys.outer_steps;
    restarted.inner = "auto";
    return make_method<IpdsRestarted>(restarted, context);
  }
  IpdsVrOptions other;
  other.outer_steps = keys.outer_steps;
  other.inner = "auto";
  if (what == Obstacle::kMemory && keys.favour != Favour::kData) {
    other.noise = kQuietNoise;
  }
  return make_method<IpdsVr>(other, context);
}

std::unique_ptr<Method> make_newton(const NewtonKeys& keys, const MethodContext& context) {
  const NewtonSlidingOptions o = in_context(options_of(keys), context);
  const Obstacle what = obstacle(keys, context.problem, context.network);
  const Choice choice = choice_of(what, keys, context.problem, context.network);
  if (choice == Choice::kNewton && keys.share == Share::kModels) {
    if (context.tell && context.network.nodes() > 1) {
      context.tell(
          "with share = \"models\" a node's parent in the spanning tree learns the sum of the gradients and curvatures "
          "of the nodes behind it, and of a leaf those of the leaf alone");
    }
    return make_newton_sums(context.problem, context.network, o);
  }
  if (choice == Choice::kNewton) {
    return std::make_unique<NewtonSliding>(context.problem, context.network, o);
  }
  if (context.tell) {
    context.tell(fmt::format("{} runs instead, since {}{}", name_of(choice), reason(what, keys),
                             memory_note(choice, keys, context.problem, context.network)));
  }
  return make_instead(choice, what, keys, context);
}

}  // namespace

MethodKind newton_sliding_kind() {
  return certifying(
      method_kind<NewtonKeys>("newton-sliding",
                              "every node keeps a quadratic model of its rows: the data seen about once; the default",
                              newton_keys(), nullptr, make_newton, newton_uses_smoothness),
      2'000);
}

}  // namespace slidemesh
