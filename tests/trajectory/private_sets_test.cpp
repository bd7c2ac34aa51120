// Nodes with sets of their own: together they solve over the intersection, and no node knows another's set.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <tuple>

#include "slidemesh/algorithms/defw.h"
#include "slidemesh/algorithms/ipds.h"
#include "slidemesh/algorithms/ipds_restarted.h"
#include "slidemesh/algorithms/ipds_vr.h"
#include "slidemesh/graphs/spectrum.h"
#include "slidemesh/session/measures.h"
#include "slidemesh/session/reference_optimum.h"
#include "slidemesh/session/run.h"
#include "slidemesh/sets/boxed.h"
#include "slidemesh/sets/registry.h"
#include "support/error_text.h"
#include "support/field.h"
#include "support/state_copy.h"
#include "support/toy_problem.h"

namespace slidemesh::testing {
namespace {

constexpr double kRadius = 2.0;
constexpr double kWidth = 0.6;
constexpr double kEqual = 1e-8;  // of objectives and violations

std::shared_ptr<const FeasibleSet> box(double lower, double upper) {
  return make_set({"box", {{"lower", lower}, {"upper", upper}}}, 5);
}

/// Logistic regression in an l1 ball, and in a box as well at node 2.
Toy toy_with_a_box(const std::string& graph = "ring", double lower = -kWidth, double upper = kWidth) {
  Toy toy = make_toy(graph, 4, 0.0);
  toy.problem.sets[2] = box(lower, upper);
  toy.problem.sets_differ = true;
  return toy;
}

double optimum_over_intersection() {
  Toy pooled =
      make_toy(make_graph({.kind = "ring", .nodes = 4}), toy_rows(), std::make_shared<Logistic>(),
               std::make_shared<BoxedL1Ball>(Vector::Constant(5, -kWidth), Vector::Constant(5, kWidth), kRadius), 0.0);
  const ReferenceOptimum optimum = reference_optimum(
      pooled.problem, *pooled.network, {.relative_accuracy = 1e-12, .on_progress = {}, .interrupted = {}});
  EXPECT_TRUE(optimum.reached);
  return optimum.value;
}

std::unique_ptr<Method> make_method(const std::string& name, Toy& toy, const std::string& inner) {
  const double lambda_max = laplacian_spectrum(toy.network->graph()).lambda_max;
  if (name == "ipds-vr") {
    IpdsVrOptions options;
    options.laplacian_lambda_max = lambda_max;
    options.inner = inner;
    return std::make_unique<IpdsVr>(toy.problem, *toy.network, options);
  }
  if (name == "ipds-restarted") {
    IpdsRestartedOptions options;
    options.laplacian_lambda_max = lambda_max;
    options.inner = inner;
    return std::make_unique<IpdsRestarted>(toy.problem, *toy.network, options);
  }
  IpdsOptions options;
  options.laplacian_lambda_max = lambda_max;
  options.gossip = Gossip::kSqrtLaplacian;
  options.profile = Profile::kDeterministic;
  options.output = Output::kLast;
  options.inner = inner;
  options.outer_steps = 4000;
  return std::make_unique<Ipds>(toy.problem, *toy.network, options);
}

struct Answer {
  double objective = 0.0;
  double lower_bound = -INFINITY;
  double infeasibility = 0.0;
};

Answer after_steps(Toy& toy, Method& method, int steps) {
  Answer answer;
  for (int step = 0; step < steps; ++step) {
    method.step();
    if (const auto certificate = method.certificate()) {
      answer.lower_bound = std::max(answer.lower_bound, certificate->lower_bound.sum());
    }
  }
  const Vector mean = method.output().rowwise().mean();
  answer.objective = objective(toy.problem, *toy.network, mean);
  for (const auto& set : toy.problem.sets) {
    answer.infeasibility = std::max(answer.infeasibility, set->violation(mean));
  }
  return answer;
}

class OverAnIntersection : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(OverAnIntersection, EqualsThePooledOptimumAndCertifiesIt) {
  const auto [name, inner] = GetParam();
  const double optimum = optimum_over_intersection();
  Toy toy = toy_with_a_box();
  const auto method = make_method(name, toy, inner);
  const Answer answer = after_steps(toy, *method, 600);
  EXPECT_NEAR(answer.objective, optimum, kEqual);
  EXPECT_LE(answer.infeasibility, kEqual);
  EXPECT_LE(answer.lower_bound, optimum + 1e-12);
  EXPECT_GE(answer.lower_bound, optimum - kEqual);
}

INSTANTIATE_TEST_SUITE_P(PrivateSets, OverAnIntersection,
                         ::testing::Values(std::tuple("ipds-restarted", "projection"),
                                           std::tuple("ipds-restarted", "auto"), std::tuple("ipds-restarted", "bpcg"),
                                           std::tuple("ipds-vr", "projection")),
                         [](const auto& tested) {
                           std::string name = std::string(std::get<0>(tested.param)) + "_" + std::get<1>(tested.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

/// Without the box the optimum is elsewhere: the box is what the answer above feels.
TEST(PrivateSets, TheBoxIsActive) {
  Toy ball = make_toy("ring", 4, 0.0);
  const double without = reference_optimum(ball.problem, *ball.network).value;
  EXPECT_GT(optimum_over_intersection(), without + 1e-2);
}

TEST(PrivateSets, NodesStartInTheirOwnSet) {
  Toy toy = toy_with_a_box("ring", 0.2, 0.5);
  const Stacked starts = toy.problem.starts();
  EXPECT_EQ(starts.col(0), Vector::Zero(5));
  EXPECT_EQ(starts.col(2), Vector::Constant(5, 0.2)) << "the nearest point of the box to the common start";
  const auto method = make_method("ipds-restarted", toy, "projection");
  EXPECT_EQ(method->output(), starts);
}

TEST(PrivateSets, TheLaplacianItselfWorksAsWell) {
  const double optimum = optimum_over_intersection();
  Toy toy = toy_with_a_box();
  const auto method = make_method("ipds", toy, "projection");
  const Answer answer = after_steps(toy, *method, 2000);
  EXPECT_NEAR(answer.objective, optimum, 1e-4);
  EXPECT_LE(answer.lower_bound, optimum);
}

TEST(PrivateSets, ACopiedStateGoesOnWithTheSameBits) {
  for (const char* name : {"ipds", "ipds-restarted", "ipds-vr"}) {
    Toy toy = toy_with_a_box();
    const auto one = make_method(name, toy, "bpcg");
    after_steps(toy, *one, 20);
    const auto other = make_method(name, toy, "bpcg");
    copy_state(*one, *other);
    after_steps(toy, *one, 20);
    after_steps(toy, *other, 20);
    EXPECT_EQ(one->output(), other->output()) << name;
  }
}

RunOptions certified(double gap) {
  RunOptions options;
  options.every = 0;
  options.stop.certified_gap = gap;
  options.stop.certified_gap_is_relative = false;
  return options;
}

TEST(PrivateSets, StopWhereTheGapIsCertifiedAndTheMeanIsInEverySet) {
  Toy toy = toy_with_a_box();
  const auto method = make_method("ipds-restarted", toy, "projection");
  const RunResult result = run(*method, toy.problem, *toy.network, certified(1e-7));
  EXPECT_EQ(result.status, Status::kTargetReached);
  EXPECT_LE(result.last.measures.infeasibility, 1e-6);
  EXPECT_LE(*result.last.certified_gap, 1e-7);
}

/// A gap of F(x̄) says nothing while x̄ is outside: far outside it would even be negative.
TEST(PrivateSets, DoNotStopOutside) {
  Toy toy = toy_with_a_box();
  const auto method = make_method("ipds-restarted", toy, "projection");
  RunOptions options = certified(1.0);  // of a gap that the first steps have already
  double at_first = 0.0;
  options.on_record = [&](const Record& record) {
    at_first = record.step == 5 ? record.measures.infeasibility : at_first;
  };
  const RunResult result = run(*method, toy.problem, *toy.network, options);
  EXPECT_EQ(result.status, Status::kTargetReached);
  EXPECT_GT(at_first, 1e-6);
  EXPECT_LE(result.last.measures.infeasibility, 1e-6);
}

class WithoutACommonPoint : public ::testing::TestWithParam<const char*> {};

TEST_P(WithoutACommonPoint, SaySoByAProof) {
  Toy toy = toy_with_a_box("path", 1.0, 1.5);  // five coordinates of at least 1, where the ball allows a sum of 2
  const auto method = make_method(GetParam(), toy, "projection");
  const RunResult result = run(*method, toy.problem, *toy.network, certified(1e-6));
  EXPECT_EQ(result.status, Status::kEmptyIntersection);
  EXPECT_LT(result.last.step, 200);
}

INSTANTIATE_TEST_SUITE_P(PrivateSets, WithoutACommonPoint, ::testing::Values("ipds", "ipds-restarted", "ipds-vr"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(PrivateSets, AreNotCalledEmptyWhereTheyBarelyMeet) {
  // The ball of radius 2 and the box meet in the one point (0.4, ..., 0.4).
  Toy toy = toy_with_a_box("path", 0.4, 1.0);
  const auto method = make_method("ipds-restarted", toy, "projection");
  for (int step = 0; step < 400; ++step) {
    method->step();
    EXPECT_FALSE(proves_no_common_point(toy.problem, *toy.network, method->dual()->w)) << step;
  }
}

struct OwnSets {
  const char* name;
  int steps;
  double equal;
};

// Methods with multipliers of consensus, in whose papers a node's set, or its nonsmooth part, is its own.
const OwnSets kOwnSets[] = {
    {"pg-extra", 800, kEqual}, {"nids", 800, kEqual}, {"dadmm", 800, kEqual}, {"dlm", 800, kEqual},
    {"dqm", 800, kEqual},      {"dcs", 2000, 1e-4},   {"sdcs", 2000, 2e-2},   {"dcgs", 2000, 1e-3},
};

TEST(PrivateSets, AreThoseOfEveryMethodWithMultipliers) {
  const double optimum = optimum_over_intersection();
  for (const OwnSets& method : kOwnSets) {
    Toy toy = toy_with_a_box();
    const auto made = make_named(method.name, toy, method.steps);
    const Answer answer = after_steps(toy, *made, method.steps);
    EXPECT_NEAR(answer.objective, optimum, method.equal) << method.name;
    EXPECT_LE(answer.infeasibility, std::sqrt(method.equal)) << method.name;
    for (Index i = 0; i < 4; ++i) {
      EXPECT_TRUE(toy.problem.set(i).contains(made->output().col(i))) << method.name << " at node " << i;
    }
  }
}

TEST(PrivateSets, AreWhereMethodsWithMultipliersStart) {
  const Stacked starts = toy_with_a_box("ring", 0.2, 0.5).problem.starts();
  for (const OwnSets& method : kOwnSets) {
    Toy toy = toy_with_a_box("ring", 0.2, 0.5);
    EXPECT_EQ(make_named(method.name, toy, 1)->output(), starts) << method.name;
  }
}

/// Whoever is not named above, and is no sliding method of ours, says so in one line.
TEST(PrivateSets, AreRefusedInOneLineByAllOthers) {
  for (const MethodKind& kind : method_kinds()) {
    const std::string name = kind.name;
    const bool is_ours = name.starts_with("ipds") || name == "newton-sliding";
    if (is_ours || std::any_of(std::begin(kOwnSets), std::end(kOwnSets),
                               [&](const OwnSets& method) { return method.name == name; })) {
      continue;
    }
    Toy toy = toy_with_a_box();
    toy.problem.mu = 0.1;
    EXPECT_EQ(error_text<UsageError>([&] { make_named(name, toy, 1); }),
              "method.name: expected a method for nodes with sets of their own, got \"" + name +
                  "\", which needs one set for all");
  }
}

TEST(PrivateSets, AreRefusedByMethodsThatMixIterates) {
  Toy toy = toy_with_a_box();
  EXPECT_EQ(
      error_text<UsageError>([&] { Defw(toy.problem, *toy.network, {}); }),
      "method.name: expected a method for nodes with sets of their own, got \"defw\", which needs one set for all");
}

}  // namespace
}  // namespace slidemesh::testing
