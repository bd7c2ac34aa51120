// What a checkpoint takes along: a run that writes checkpoints, and one that goes on from any of them, give the bits of
// a run that does neither. Over every set, wrapper and inner solver that remembers something from one call to the next.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "slidemesh/algorithms/ipds.h"
#include "slidemesh/algorithms/ipds_restarted.h"
#include "slidemesh/algorithms/ipds_vr.h"
#include "slidemesh/control/control.h"
#include "slidemesh/graphs/spectrum.h"
#include "slidemesh/linalg/parallel.h"
#include "slidemesh/session/checkpoint.h"
#include "slidemesh/sets/combinators.h"
#include "slidemesh/sets/polytope.h"
#include "slidemesh/sets/spectral.h"
#include "slidemesh/sets/wrappers.h"
#include "support/field.h"

namespace slidemesh::testing {
namespace {

constexpr Index kNodes = 4;
constexpr Index kSide = 26;  // large enough that the spectral sets search with warm starts
constexpr int kSteps = 24;
constexpr double kTolerance = 0.05;  // of inner problems: tight ones take minutes on matrices, and remember no more

/// { x : |x_j| <= 1, sum x = 0, x_j + x_{j+1} <= 1 }: degenerate vertices, and ties wherever the gradient has some.
std::unique_ptr<FeasibleSet> polytope(Index d) {
  PolytopeRows rows;
  rows.dimension = d;
  rows.variable_lower = Vector::Constant(d, -1.0);
  rows.variable_upper = Vector::Constant(d, 1.0);
  const auto add = [&rows](double lower, double upper, const std::vector<Index>& columns) {
    rows.lower.push_back(lower);
    rows.upper.push_back(upper);
    for (const Index j : columns) {
      rows.columns.push_back(j);
      rows.values.push_back(1.0);
    }
    rows.offsets.push_back(rows.columns.size());
  };
  std::vector<Index> all;
  for (Index j = 0; j < d; ++j) {
    all.push_back(j);
  }
  add(0.0, 0.0, all);
  for (Index j = 0; j + 1 < d; ++j) {
    add(-3.0, 1.0, {j, j + 1});
  }
  return std::make_unique<Polytope>(std::move(rows));
}

std::unique_ptr<FeasibleSet> make_set(const std::string& name) {
  const auto nuclear = [] { return std::make_unique<NuclearBall>(kSide, kSide, 2.0); };
  if (name == "polytope") {
    return polytope(12);
  }
  if (name == "nuclear") {
    return nuclear();
  }
  if (name == "spectraplex") {
    return std::make_unique<Spectraplex>(kSide, 2.0);
  }
  if (name == "spectrahedron") {
    return std::make_unique<Spectrahedron>(kSide, 2.0);
  }
  if (name == "fantope") {
    return std::make_unique<Fantope>(kSide, 3);
  }
  if (name == "caching") {
    return std::make_unique<CachingSet>(nuclear(), 5);
  }
  if (name == "lazy") {
    return std::make_unique<LazySet>(polytope(12), 5);
  }
  std::vector<std::unique_ptr<FeasibleSet>> parts;
  parts.push_back(polytope(8));
  parts.push_back(std::make_unique<CachingSet>(polytope(6), 3));
  parts.push_back(nuclear());
  return std::make_unique<ProductSet>(std::move(parts));
}

struct Case {
  std::string method;
  std::string inner;
  std::string set;
};
std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.method << ' ' << c.inner << ' ' << c.set; }

std::unique_ptr<Method> make_method(const Case& c, Toy& toy) {
  const double lambda_max = laplacian_spectrum(toy.network->graph()).lambda_max;
  toy.network->meters() = Meters(kNodes);
  const auto with_inner = [&](auto options) {
    options.outer_steps = kSteps;
    options.laplacian_lambda_max = lambda_max;
    options.inner = c.inner;
    options.tolerance = kTolerance;
    return options;
  };
  if (c.method == "ipds") {
    return std::make_unique<Ipds>(toy.problem, *toy.network, with_inner(IpdsOptions{}));
  }
  if (c.method == "ipds-sampled") {
    IpdsOptions options = with_inner(IpdsOptions{});
    options.c = 0.1;
    return std::make_unique<Ipds>(toy.problem, *toy.network, options);
  }
  if (c.method == "ipds-restarted") {
    return std::make_unique<IpdsRestarted>(toy.problem, *toy.network, with_inner(IpdsRestartedOptions{}));
  }
  if (c.method == "ipds-vr") {
    return std::make_unique<IpdsVr>(toy.problem, *toy.network, with_inner(IpdsVrOptions{}));
  }
  return make_named(c.method, toy, kSteps);
}

/// What a step came to: where the nodes are, what the certificate says, and what was asked of the oracles.
struct Seen {
  Stacked x;
  double bound = 0.0;
  MeterTotals meters;

  friend bool operator==(const Seen&, const Seen&) = default;
};

Seen step(Method& method, Toy& toy) {
  method.step();
  Seen seen{method.output(), 0.0, {}};
  if (const auto certificate = method.certificate()) {
    seen.bound = Control(*toy.network).sum(certificate->lower_bound);
  }
  seen.meters = Control(*toy.network).totals();
  return seen;
}

std::string saved(Method& method) {
  CheckpointWriter writer({"label", "method", method.steps_done(), kNodes, 0, kNodes, {}});
  method.visit_state(writer);
  return writer.finish();
}

void restore(Method& method, const std::string& bytes) {
  CheckpointReader reader({std::make_shared<const CheckpointPart>(bytes, "checkpoint")}, 0, kNodes);
  method.visit_state(reader);
  reader.finish();
}

class CheckpointState : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    set_threads(1);
    const std::shared_ptr<const FeasibleSet> set = make_set(GetParam().set);
    toy_ = make_toy(make_graph({.kind = "ring", .nodes = kNodes}), toy_rows(48, set->dimension()),
                    std::make_shared<Logistic>(), set, 0.1);
  }
  void TearDown() override { set_threads(0); }

  Toy toy_;
};

TEST_P(CheckpointState, WritingAndGoingOnLeaveNoTrace) {
  std::vector<Seen> undisturbed;
  {
    const auto method = make_method(GetParam(), toy_);
    for (int k = 0; k < kSteps; ++k) {
      undisturbed.push_back(step(*method, toy_));
    }
  }
  struct Checkpoint {
    std::string state;
    Meters meters;
  };
  std::vector<Checkpoint> checkpoints;
  {
    const auto method = make_method(GetParam(), toy_);
    for (std::size_t k = 0; k < kSteps; ++k) {
      ASSERT_EQ(step(*method, toy_), undisturbed[k]) << "step " << k + 1 << " of a run that writes checkpoints";
      checkpoints.push_back({saved(*method), toy_.network->meters()});
    }
  }
  for (const std::size_t from : {1, 6, 13, 20}) {
    const auto method = make_method(GetParam(), toy_);
    toy_.network->meters() = checkpoints[from - 1].meters;
    restore(*method, checkpoints[from - 1].state);
    for (std::size_t k = from; k < kSteps; ++k) {
      ASSERT_EQ(step(*method, toy_), undisturbed[k])
          << "step " << k + 1 << " of a run that goes on after step " << from;
    }
    EXPECT_EQ(saved(*method), checkpoints.back().state);
  }
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const char* set : {"polytope", "nuclear", "spectraplex", "product"}) {
    for (const char* inner : {"bpcg", "lazy"}) {
      cases.push_back({"ipds", inner, set});
    }
    cases.push_back({"defw", "", set});
  }
  for (const char* set : {"spectrahedron", "fantope", "caching", "lazy"}) {
    cases.push_back({"ipds", "bpcg", set});
    cases.push_back({"defw", "", set});
  }
  cases.push_back({"ipds", "projection", "polytope"});
  cases.push_back({"dpg", "", "polytope"});
  cases.push_back({"ipds", "cgs", "polytope"});  // cgs remembers nothing; on matrices it takes minutes
  for (const char* method : {"ipds-sampled", "ipds-restarted", "ipds-vr"}) {
    cases.push_back({method, "bpcg", "polytope"});
    if (method != std::string("ipds-sampled")) {  // whose inner problems are minutes of work there
      cases.push_back({method, "lazy", "nuclear"});
    }
  }
  cases.push_back({"centralized-cgs", "", "nuclear"});
  cases.push_back({"centralized-fw", "", "polytope"});
  for (const MethodKind& kind : method_kinds()) {
    const bool is_there = std::any_of(cases.begin(), cases.end(), [&](const Case& c) { return c.method == kind.name; });
    if (!is_there && kind.name != "opapc") {  // which knows no set: field_test.cpp
      cases.push_back({kind.name, "", "polytope"});
    }
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(All, CheckpointState, ::testing::ValuesIn(all_cases()), [](const auto& parameter) {
  const Case& c = parameter.param;
  std::string name = c.method + (c.inner.empty() ? "" : "_" + c.inner) + "_" + c.set;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace slidemesh::testing
