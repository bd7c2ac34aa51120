#pragma once

// Methods by the names that a config gives them, and how far they come on a toy.

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "slidemesh/algorithms/registry.h"
#include "slidemesh/base/config_table.h"
#include "slidemesh/base/errors.h"
#include "slidemesh/graphs/spectrum.h"
#include "slidemesh/session/measures.h"
#include "slidemesh/session/reference_optimum.h"
#include "support/toy_problem.h"

namespace slidemesh::testing {

/// The toy in an l1 ball that is larger than the iterates care for.
inline Toy roomy_toy(const char* graph, Index nodes, double mu) {
  return make_toy(make_graph({.kind = graph, .nodes = nodes}), toy_rows(), std::make_shared<Logistic>(),
                  std::make_shared<L1Ball>(5, 50.0), mu);
}

inline std::unique_ptr<Method> make_named(const std::string& name, const Toy& toy, int steps,
                                          const Value::Table& keys = {}, std::uint64_t seed = 1) {
  const MethodKind* kind = find_method(name);
  if (kind == nullptr) {
    throw UsageError("no method " + name);
  }
  ConfigTable table(keys, 0, "method", "test");
  const MethodFactory factory = kind->parse(table, steps);
  table.finish();
  const Spectrum spectrum = laplacian_spectrum(toy.network->graph());
  // As `solve` has it where nothing is known: a graph without an edge has a bound, and no spectrum.
  const double lambda_max = spectrum.lambda_max > 0.0 ? spectrum.lambda_max : toy.network->graph().degree_bound();
  return factory({toy.problem, *toy.network, lambda_max, seed, std::nullopt, spectrum.lambda_2});
}

inline void run_to_its_end(Method& method) {
  while (!method.finished()) {
    method.step();
  }
}

inline Measures measure_output(const Toy& toy, Method& method) {
  return measure(toy.problem, *toy.network, method.output());
}

/// F*, and what relative gaps are relative to: F(x_0) - F*.
struct Reference {
  double optimum, scale;
};

inline Reference reference_of(const Toy& toy) {
  const ReferenceOptimum reference = reference_optimum(toy.problem, *toy.network);
  EXPECT_TRUE(reference.reached);
  return {reference.value, objective(toy.problem, *toy.network, toy.problem.start) - reference.value};
}

/// (F(x̄) - F*) / (F(x_0) - F*).
inline double relative_gap(const Toy& toy, const Reference& reference, Method& method) {
  return (*measure_output(toy, method).objective_at_average - reference.optimum) / reference.scale;
}

}  // namespace slidemesh::testing
