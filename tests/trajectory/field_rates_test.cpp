// Observed rates of the baselines against those of their theorems: slopes on a logarithmic scale, bounded from the side
// that the theorem claims. A method may be faster on a small problem; it may not be slower.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "support/field.h"

namespace slidemesh {
namespace {

using testing::make_named;
using testing::make_toy;
using testing::roomy_toy;
using testing::Toy;

constexpr double kRounding = 1e-13;  ///< relative gaps below are sums of rounding errors
constexpr Index kNodes = 6;

Value::Table averaged() { return {{"output", Value{std::string("average")}}}; }

Value whole(std::int64_t value) { return Value{value}; }

/// The relative gap after each of so many steps, the mean over as many seeds.
std::vector<double> gaps_of(const std::string& name, const Toy& toy, int steps, const Value::Table& keys = {},
                            int seeds = 1) {
  const testing::Reference reference = testing::reference_of(toy);
  std::vector<double> gaps(static_cast<std::size_t>(steps), 0.0);
  for (int seed = 1; seed <= seeds; ++seed) {
    const auto method = make_named(name, toy, steps, keys, static_cast<std::uint64_t>(seed));
    for (double& gap : gaps) {
      method->step();
      gap += testing::relative_gap(toy, reference, *method) / seeds;
    }
  }
  return gaps;
}

double last_gap(const std::string& name, const Toy& toy, int steps, const Value::Table& keys = {}) {
  return gaps_of(name, toy, steps, keys).back();
}

// ---------------------------------------------------------------- powers of t

/// The slope of log(gap) over log(t), t from `from` to `to` in powers of two, by least squares. Gaps go up and down: of
/// each octave the largest counts.
double power_of(const std::vector<double>& gaps, int from, int to) {
  std::vector<double> logs;
  for (int t = from; 2 * t <= to; t *= 2) {
    logs.push_back(std::log2(std::max(*std::max_element(gaps.begin() + t - 1, gaps.begin() + 2 * t), kRounding)));
  }
  const double middle = (static_cast<double>(logs.size()) - 1.0) / 2.0;
  double products = 0.0;
  double squares = 0.0;
  for (std::size_t i = 0; i < logs.size(); ++i) {
    const double from_middle = static_cast<double>(i) - middle;
    products += from_middle * logs[i];
    squares += from_middle * from_middle;
  }
  return products / squares;
}

struct Power {
  const char* name;
  int from, to;
  double claimed;  ///< the theorem's exponent of t
  int seeds = 1;   ///< a theorem about the mean
  Value::Table keys = {};
};

constexpr double kHidden = 0.1;  ///< what a factor log t and a few octaves may hide of the exponent

const Power kPowers[] = {
    // Frank and Wolfe's 1/t; M. Jaggi 2013. Of the decentralized ones Wai et al. 2017, theorem 1, and those after it.
    {"centralized-fw", 16, 1024, -1.0},
    {"defw", 16, 1024, -1.0},
    {"quantized-defw", 16, 1024, -1.0},
    {"block-defw", 32, 2048, -1.0, 5},
    {"dvrgtfw", 32, 2048, -1.0, 5},
    {"sag-fw", 32, 2048, -1.0, 5},
    // Lan and Zhou 2016, corollary 2.3.
    {"centralized-cgs", 8, 256, -2.0},
    // log t/sqrt(t) with steps ∝ 1/sqrt(t): Duchi et al. 2012, theorem 2, and Nedić and Ozdaglar 2009. From where steps
    // are no longer than 1/L.
    {"dpg", 128, 8192, -0.5},
    {"dual-averaging", 128, 8192, -0.5},
    // Li, Fang and Lin 2017: the accelerated 1/k² of a function whose penalty grows like k.
    {"apm", 64, 2048, -1.0},
    // Lan, Lee and Zhou 2020, theorem 2: 1/N in rounds; Li, Qu and Xu 2018 the same. The last iterate is no worse.
    {"dcs", 32, 512, -1.0, 1, averaged()},
    {"dcgs", 32, 512, -1.0, 1, averaged()},
    {"dcs", 32, 512, -1.0},
    {"dcgs", 32, 512, -1.0},
};

class FieldPower : public ::testing::TestWithParam<Power> {};

TEST_P(FieldPower, IsThatOfTheTheorem) {
  const Power& claim = GetParam();
  for (const char* graph : {"path", "ring"}) {
    const Toy toy = make_toy(graph, kNodes, 0.0);
    const double power = power_of(gaps_of(claim.name, toy, claim.to, claim.keys, claim.seeds), claim.from, claim.to);
    RecordProperty(graph, std::to_string(power));
    EXPECT_LT(power, claim.claimed + kHidden) << graph;
  }
}

INSTANTIATE_TEST_SUITE_P(Field, FieldPower, ::testing::ValuesIn(kPowers), [](const auto& parameter) {
  std::string name = parameter.param.name + std::string(parameter.param.keys.empty() ? "" : "_average");
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// Wai et al. 2017, theorem 2: 1/t² where F is strongly convex and the optimum inside X, here of norm 1.95. The octaves
// of a gap that goes up and down tell 1/t² from the 1/t of theorem 1, and no more.
TEST(FieldRates, OfDefwAreSquaredWhereTheOptimumIsInside) {
  for (const char* graph : {"path", "ring"}) {
    const Toy toy = make_toy(make_graph({.kind = graph, .nodes = kNodes}), testing::toy_rows(),
                             std::make_shared<Logistic>(), std::make_shared<L1Ball>(5, 4.0), 0.1);
    EXPECT_LT(power_of(gaps_of("defw", toy, 2048), 32, 2048), -1.5) << graph;
  }
}

// Lan, Lee and Zhou 2020, theorem 4: 1/N in rounds with gradients of one row, where T grows like N.
TEST(FieldRates, OfStochasticSlidingAreThoseInRoundsWhereItSlidesLonger) {
  const Toy toy = make_toy("path", kNodes, 0.0);
  const auto gap = [&](int rounds) { return last_gap("sdcs", toy, rounds, {{"inner_steps", whole(4 * rounds)}}); };
  EXPECT_LT(std::log2(gap(160) / gap(10)), 4.0 * (-1.0 + kHidden));
}

// What sliding is for: gradients between two exchanges cost none, and the more of them, the nearer the same rounds
// come.
TEST(FieldRates, OfSlidingInRoundsGainFromMoreGradients) {
  const Toy toy = make_toy("path", kNodes, 0.0);
  for (const char* name : {"dcs", "dcgs"}) {
    const auto gap = [&](int gradients) {
      return last_gap(name, toy, 100, {{"inner_steps", whole(gradients)}, {"output", Value{std::string("average")}}});
    };
    EXPECT_LT(gap(5), gap(1)) << name;
    EXPECT_LT(gap(25), gap(5)) << name;
  }
}

// ---------------------------------------------------------------- bounds with their constants

struct Bound {
  const char* name;
  double (*at)(double step, double curvature, double diameter, double distance);
};

// F/m after so many steps, above its minimum: with L the curvature of F/m at the most, D the diameter of X, and the
// distance from the start to the optimum.
const Bound kBounds[] = {
    {"centralized-fw", [](double t, double L, double D, double) { return 2.0 * L * D * D / (t + 2.0); }},
    {"centralized-cgs", [](double t, double L, double D, double) { return 7.5 * L * D * D / ((t + 1.0) * (t + 2.0)); }},
    {"centralized-fista",
     [](double t, double L, double, double R) { return 2.0 * L * R * R / ((t + 1.0) * (t + 1.0)); }},
    {"tree-fista", [](double t, double L, double, double R) { return 2.0 * L * R * R / ((t + 1.0) * (t + 1.0)); }},
};

TEST(FieldRates, KeepBelowTheBoundsOfMethodsWithACentre) {
  for (const Toy& toy : {make_toy("path", kNodes, 0.0), roomy_toy("path", kNodes, 0.0)}) {
    const testing::Reference reference = testing::reference_of(toy);
    const double distance = (reference_optimum(toy.problem, *toy.network).x - toy.problem.start).norm();
    double curvature = 0.0;
    for (const auto& objective : toy.problem.objectives) {
      curvature += objective->smoothness() / kNodes;
    }
    const double diameter = toy.problem.set(0).diameter();
    for (const Bound& bound : kBounds) {
      const auto gaps = gaps_of(bound.name, toy, 200);
      for (std::size_t t = 1; t <= gaps.size(); ++t) {
        const double above = gaps[t - 1] * reference.scale / kNodes;
        EXPECT_LE(above, bound.at(static_cast<double>(t), curvature, diameter, distance) + kRounding)
            << bound.name << " after " << t << " steps";
      }
    }
  }
}

// ---------------------------------------------------------------- linear, and better

/// What the logarithm of the gap falls by per step, from `begin` to `end` of the way to the last gap that is no
/// rounding.
double linear_rate(const std::vector<double>& gaps, double begin, double end) {
  const auto is_rounding = [](double gap) { return std::abs(gap) < 1e-12; };
  const auto steps = std::find_if(gaps.begin(), gaps.end(), is_rounding) - gaps.begin();
  const auto at = [&](double share) { return static_cast<std::size_t>(share * static_cast<double>(steps - 1)); };
  return std::log(std::abs(gaps[at(begin)] / gaps[at(end)])) / static_cast<double>(at(end) - at(begin));
}

// Strongly convex, nothing at the boundary. A gap that fell like a power of t would fall in its last quarter by 0.4 of
// what it did in its second.
TEST(FieldRates, AreLinearWhereTheFunctionIsStronglyConvex) {
  for (const char* graph : {"path", "ring", "complete"}) {
    const Toy toy = roomy_toy(graph, kNodes, 0.1);
    for (const char* name : {"pg-extra", "nids", "dlm", "dadmm", "dqm", "gt-saga", "opapc"}) {
      const auto gaps = gaps_of(name, toy, 400);
      EXPECT_LT(std::abs(gaps.back()), 1e-12) << name << " on a " << graph;
      EXPECT_GT(linear_rate(gaps, 0.75, 1.0), 0.6 * linear_rate(gaps, 0.25, 0.5)) << name << " on a " << graph;
    }
  }
}

// Li, Shi and Yan 2019, theorem 2, with α = 1/L and c = 1/(2α): every step takes the squared distance to
// max(1 − μ/L, (1 + λ₂(W))/2) of what it was. Function and network stand apart, and the step needs to know of no
// network.
TEST(FieldRates, OfNidsAreTheSlowerOfTheFunctionsAndTheNetworks) {
  const double mu = 0.1;
  const std::pair<const char*, double> second_eigenvalues[] = {
      {"path", 1.0 - (2.0 - 2.0 * std::cos(M_PI / 6.0)) / 3.0},  // W = I − Lap/3 on both
      {"ring", 1.0 - (2.0 - 2.0 * std::cos(M_PI / 3.0)) / 3.0},
      {"complete", 0.0}};
  for (const auto& [graph, lambda] : second_eigenvalues) {
    const Toy toy = roomy_toy(graph, kNodes, mu);
    const double factor = std::max(1.0 - mu / (toy.problem.smoothness + mu), (1.0 + lambda) / 2.0);
    const Value::Table keys = {{"step", Value{1.0 / (toy.problem.smoothness + mu)}}};
    EXPECT_GE(linear_rate(gaps_of("nids", toy, 200, keys), 0.25, 1.0), -std::log(factor)) << graph;
  }
}

// Kovalev, Salim and Richtárik's theorem: the error falls by 1 − 1/(C sqrt(κ)) per step, whatever the graph, since the
// Chebyshev polynomial's eigenvalues do not depend on it.
TEST(FieldRates, OfOpapcGoByTheRootOfTheConditionAndByNoGraph) {
  const auto steps = [](const char* graph, double mu) {
    const auto gaps = gaps_of("opapc", roomy_toy(graph, kNodes, mu), 400);
    const auto reached = std::find_if(gaps.rbegin(), gaps.rend(), [](double gap) { return std::abs(gap) > 1e-8; });
    return static_cast<double>(gaps.rend() - reached);
  };
  const double few = steps("path", 0.1);
  EXPECT_LT(steps("path", 0.1 / 64.0), 8.0 * few);  // L/μ grows 22 times at the most from there
  EXPECT_LT(few, 1.5 * steps("complete", 0.1));
}

// gap⁺ <= C gap²: what C would have to be does not grow.
TEST(FieldRates, OfNewtonOverTheTreeAreQuadratic) {
  const auto gaps = gaps_of("tree-newton", roomy_toy("ring", kNodes, 0.0), 8);
  EXPECT_LT(gaps[7], 1e-10);
  EXPECT_GT(gaps[5], 1e-5);
  const auto constant = [&](std::size_t k) { return gaps[k + 1] / (gaps[k] * gaps[k]); };
  EXPECT_LT(constant(5), 2.0 * constant(4));
  EXPECT_LT(constant(6), 2.0 * constant(4));
}

}  // namespace
}  // namespace slidemesh
