#pragma once

#include <algorithm>
#include <cmath>
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
  bool last = false;  ///< of methods that output averages: the last iterate instead
};

template <class Options>
Keys<Options> weighted_keys() {
  return Keys<Options>().template choice<Weights Options::*, Weights>(
      "weights", &Options::weights,
      {{"metropolis", Weights::kMetropolis}, {"min-degree", Weights::kMinDegree}, {"laplacian", Weights::kLaplacian}},
      "how much of its neighbours' iterates a node takes in");
}

/// The penalty of an edge in consensus ADMM and what is made from it, where none is set. The best is a multiple of the
/// geometric mean of the least and the largest curvature (W. Shi et al. 2014, theorem 1 and what follows it). The least
/// is mu, or a hundredth of the largest where that is more: of the data's own curvature no node knows it.
inline double edge_penalty(double largest_curvature, double mu, const Graph& graph) {
  constexpr double kLeastShare = 0.01;
  return std::sqrt(largest_curvature * std::max(mu, kLeastShare * largest_curvature)) / graph.degree_bound();
}

inline constexpr const char* kEdgePenalty =
    "the penalty of an edge; auto: sqrt(L m) / max (deg_i + deg_j), L = L~ + mu, m the larger of mu and L/100";

/// Adds `step`.
template <class Options>
Keys<Options> step_keys(Keys<Options> keys, const char* meaning = "the step size; auto: 1 / (L~ + mu)") {
  keys.number_or("step", &Options::step, "auto", meaning);
  return keys;
}

/// Adds `output`, of methods whose theorems are about averages.
template <class Options>
Keys<Options> output_keys(Keys<Options> keys) {
  keys.template choice<bool Options::*, bool>("output", &Options::last, {{"average", false}, {"last", true}},
                                              "the mean of all steps, which the theorem is about, or the last of them");
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
