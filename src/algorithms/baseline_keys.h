#pragma once

/// What the option tables of the baselines share. A baseline is one file: its class, with `Options`, and the function
/// that returns its MethodKind.

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "slidemesh/algorithms/dpg.h"
#include "slidemesh/algorithms/registry.h"

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
  return Keys<Options>().choice(
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

/// Adds `curvature_memory`, of methods with a d x d matrix per node.
template <class Options>
Keys<Options> curvature_keys(Keys<Options> keys) {
  keys.integer("curvature_memory", &Options::curvature_memory, 0, std::numeric_limits<std::int64_t>::max(),
               "bytes for the curvatures of all nodes, d x d numbers each; where they do not fit, the method does not "
               "run");
  return keys;
}

inline constexpr std::int64_t kCurvatureMemory = 1'000'000'000;

/// Adds `step`.
template <class Options>
Keys<Options> step_keys(Keys<Options> keys, const char* meaning = "the step size; auto: 1 / (L~ + mu)") {
  keys.number_or("step", &Options::step, "auto", meaning);
  return keys;
}

/// Adds `output`, of methods whose theorems are about averages.
template <class Options>
Keys<Options> output_keys(Keys<Options> keys) {
  keys.choice("output", &Options::last, {{"average", false}, {"last", true}},
              "the mean of all steps, which the theorem is about, or the last of them");
  return keys;
}

template <class Baseline>
MethodKind baseline_kind(const char* name, const char* description, Keys<typename Baseline::Options> keys) {
  return method_kind<typename Baseline::Options>(name, description, std::move(keys), nullptr, make_method<Baseline>);
}

/// What methods of gradient steps, rounds of gossip and one projection per step have in common.
class GossipGradient : public BaselineMethod {
 public:
  using Options = BaselineOptions;

  [[nodiscard]] const Stacked& output() override { return x_; }

 protected:
  GossipGradient(std::string_view name, const Problem& problem, Network& network, const Options& options,
                 Sets sets = Sets::kCommon)
      : BaselineMethod(name, problem, network, options.outer_steps, {}, sets),
        alpha_(step_size(problem, options)),
        w_(mixing_weights(network.graph(), options.weights, options.laplacian_lambda_max)),
        x_(start()) {
    require_projection();
    uses_smoothness_ = !options.step;
    mixed_ = gradient_ = zero();
  }

  double alpha_;  ///< the step size
  MixingWeights w_;
  Stacked x_;  ///< the iterates
  Stacked mixed_, gradient_;
};

}  // namespace slidemesh
