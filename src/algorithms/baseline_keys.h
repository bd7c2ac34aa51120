#pragma once

#include <memory>
#include <utility>

#include "slidemesh/algorithms/dpg.h"
#include "slidemesh/algorithms/registry.h"

/// What the option tables of the baselines share. A baseline is one file: its class, with `Options`, and the function
/// that returns its MethodKind.

namespace slidemesh {

inline constexpr std::int64_t kMostRows = 1'000'000'000;
inline constexpr std::int64_t kMostSteps = 1'000'000;

/// Of every baseline that has a file to itself.
struct BaselineOptions : ProjectedOptions {
  double laplacian_lambda_2 = 0.0;  ///< 0: not known
  std::uint64_t seed = 1;
};

template <class Options>
Keys<Options> weighted_keys() {
  return Keys<Options>().template choice<Weights Options::*, Weights>(
      "weights", &Options::weights,
      {{"metropolis", Weights::kMetropolis}, {"min-degree", Weights::kMinDegree}, {"laplacian", Weights::kLaplacian}},
      "how much of its neighbours' iterates a node takes in");
}

/// Adds `step`.
template <class Options>
Keys<Options> step_keys(Keys<Options> keys, const char* meaning = "the step size; auto: 1 / (L~ + mu)") {
  keys.number_or("step", &Options::step, "auto", meaning);
  return keys;
}

template <class Baseline>
std::unique_ptr<Method> make_baseline(const typename Baseline::Options& keys, const MethodContext& context) {
  typename Baseline::Options o = keys;
  o.laplacian_lambda_max = context.lambda_max;
  o.laplacian_lambda_2 = context.lambda_2;
  o.seed = context.seed;
  return std::make_unique<Baseline>(context.problem, context.network, o);
}

template <class Baseline>
MethodKind baseline_kind(const char* name, const char* description, Keys<typename Baseline::Options> keys) {
  return method_kind<typename Baseline::Options>(name, description, std::move(keys), nullptr, make_baseline<Baseline>);
}

}  // namespace slidemesh
