// The keys of I-PDS and its two variants.

#include "registry_kinds.h"
#include "slidemesh/algorithms/inner/inner_solver.h"
#include "slidemesh/algorithms/ipds.h"
#include "slidemesh/algorithms/ipds_restarted.h"
#include "slidemesh/algorithms/ipds_vr.h"
#include "slidemesh/base/fail.h"

namespace slidemesh {

namespace {

constexpr std::int64_t kLongestEpoch = 1'000'000;
constexpr std::int64_t kLargestBatch = 1'000'000'000;
constexpr const char* kInner = "how inner problems are solved: the projection where the set has a cheap one, else bpcg";
constexpr const char* kSmoothness = "L~, the largest smoothness constant of a node; computed from the data";

struct IpdsKeys : IpdsOptions {
  IpdsKeys() { inner = "auto"; }
  bool sampled = false;
  bool tolerance_from_target = false;
};

/// The theorem asks for inner errors that sum to at most half the accuracy over all nodes.
double tolerance_from_target(const MethodContext& context) {
  if (!context.accuracy) {
    fail<UsageError>("method.tolerance", "a [stop] target_gap or certified_gap to go with \"target\"", "none");
  }
  return *context.accuracy / (2.0 * static_cast<double>(context.network.nodes()));
}

void read_tolerance(ConfigTable& table, const Value& value, IpdsKeys& options) {
  const bool is_word = value.is<std::string>();
  if (is_word && value.text() == "target") {
    options.tolerance_from_target = true;
  } else if (is_word && value.text() == "adaptive") {
    options.adaptive.emplace();
  } else if (value.is_number() && value.number() > 0.0 && std::isfinite(value.number())) {
    options.tolerance = value.number();
  } else {
    table.fail("tolerance", "a positive number or \"target\" or \"adaptive\"");
  }
}

Keys<IpdsKeys> ipds_keys() {
  return Keys<IpdsKeys>()
      .number_or("R", &IpdsKeys::R, "auto", "weighs consensus against progress; auto: R |A| / L~ = 1")
      .choice("gossip", &IpdsKeys::gossip,
              {{"laplacian", Gossip::kLaplacian}, {"sqrt-laplacian", Gossip::kSqrtLaplacian}},
              "the operator A; \"sqrt-laplacian\": one round per inner step instead of two, and better conditioned")
      .choice("profile", &IpdsKeys::profile, {{"paper", Profile::kPaper}, {"deterministic", Profile::kDeterministic}},
              "the step sizes; \"deterministic\": half the steps, for exact gradients")
      .choice("output", &IpdsKeys::output, {{"average", Output::kAverage}, {"last", Output::kLast}},
              "\"last\": the mean over the last outer step alone, better in practice")
      .word("inner", &IpdsKeys::inner, inner_solver_names(), kInner)
      .other("tolerance", "a positive number, \"target\" or \"adaptive\"", "1e-3",
             "Wolfe gap of an inner solve at a node; \"target\": half of what `[stop]` asks for, shared out over the "
             "nodes; \"adaptive\": from how far the node moved last",
             read_tolerance)
      .choice("gradients", &IpdsKeys::sampled, {{"exact", false}, {"sampled", true}},
              "\"sampled\" draws rows with replacement and needs `c`")
      .number("c", &IpdsKeys::c, kPositive, "how large batches are: c_k grows with it (docs/notation.md)")
      .boolean("cap_batches", &IpdsKeys::cap_batches, "a batch that reaches a node's row count becomes a full pass")
      .number_or("lipschitz", &IpdsKeys::smoothness, "auto", kSmoothness);
}

void check_ipds(const ConfigTable& table, const IpdsKeys& options) {
  table.require(!options.sampled || options.outer_steps != kOpenEnd, "outer_steps",
                "a number of steps, since sampled gradients take batches by it", "none");
  table.require(options.sampled || !options.c, "c", "gradients = \"sampled\" beside it", "exact gradients");
  table.require(!options.sampled || options.c, "c", "a positive number, since gradients are sampled", "none");
  table.require(!options.c || options.profile != Profile::kDeterministic, "profile",
                "\"paper\", since gradients are sampled", "\"deterministic\"");
}

std::unique_ptr<Method> make_ipds(const IpdsKeys& keys, const MethodContext& context) {
  auto o = in_context<IpdsOptions>(keys, context);
  if (o.outer_steps == kOpenEnd) {
    constexpr Count kMostInnerSteps = 1'000'000;
    o.outer_steps = longest_schedule(schedule_parameters(context.problem, o), kOpenEnd, kMostInnerSteps);
  }
  if (keys.tolerance_from_target) {
    o.tolerance = tolerance_from_target(context);
  }
  return std::make_unique<Ipds>(context.problem, context.network, o);
}

/// The keys that the two variants share; none needs to be set.
template <class Options>
Keys<Options> variant_keys() {
  return Keys<Options>()
      .number_or("R", &Options::R, "auto", "weighs consensus against progress; auto: balanced at every restart")
      .number_or("lipschitz", &Options::smoothness, "auto", kSmoothness)
      .number_or("tolerance", &Options::tolerance, "adaptive",
                 "Wolfe gap of an inner solve at a node; \"adaptive\": in proportion to what is left")
      .word("inner", &Options::inner, inner_solver_names(), kInner)
      .by_default("\"auto\"")
      .integer("epoch", &Options::epoch, 1, kLongestEpoch, "steps from restart to restart")
      .by_default("by a measure of optimality");
}

/// Solvers that fit the set, which the library's own options leave to the caller.
template <class Options>
struct WithAutoInner : Options {
  WithAutoInner() { this->inner = "auto"; }
};
using RestartedKeys = WithAutoInner<IpdsRestartedOptions>;
using VrKeys = WithAutoInner<IpdsVrOptions>;

}  // namespace

MethodKind ipds_kind() {
  return certifying(method_kind<IpdsKeys>(
      "ipds", "inexact primal-dual sliding, the paper's Algorithm 1: one touch of the data per outer step", ipds_keys(),
      check_ipds, make_ipds));
}

MethodKind ipds_restarted_kind() {
  return certifying(
      method_kind<RestartedKeys>("ipds-restarted",
                                 "sliding with exact gradients and restarts; smoothness and R are found as it goes",
                                 variant_keys<RestartedKeys>(), nullptr, make_method<IpdsRestarted>),
      400);
}

MethodKind ipds_vr_kind() {
  Keys<VrKeys> keys = variant_keys<VrKeys>();
  keys.integer("batch", &VrKeys::batch, 1, kLargestBatch, "rows that a node draws per step")
      .by_default("from the variance that the draws show");
  return certifying(
      method_kind<VrKeys>("ipds-vr", "variance-reduced sliding: a few rows per step, all of them only now and then",
                          std::move(keys), nullptr, make_method<IpdsVr>),
      2'000);
}

}  // namespace slidemesh
