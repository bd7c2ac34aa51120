#include "slidemesh/graphs/spectrum.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "slidemesh/graphs/generators.h"

namespace slidemesh {
namespace {

constexpr double kRelative = 1e-10;
constexpr double kPi = std::numbers::pi;

Graph make(const std::string& kind, Index nodes, double p = 0.4) {
  GraphSpec spec;
  spec.kind = kind;
  spec.nodes = nodes;
  spec.p = p;
  return make_graph(spec);
}

void expect_spectrum(const Graph& graph, double lambda_2, double lambda_max) {
  const Spectrum spectrum = laplacian_spectrum(graph);
  EXPECT_NEAR(spectrum.lambda_2, lambda_2, kRelative * lambda_2);
  EXPECT_NEAR(spectrum.lambda_max, lambda_max, kRelative * lambda_max);
}

double squared_sine(double angle) { return std::sin(angle) * std::sin(angle); }

TEST(Spectrum, KnownSmallGraphs) {
  expect_spectrum(make("complete", 10), 10.0, 10.0);
  expect_spectrum(make("star", 10), 1.0, 10.0);
  expect_spectrum(make("ring", 6), 1.0, 4.0);
  expect_spectrum(make("hypercube", 16), 2.0, 8.0);
  expect_spectrum(make("path", 100), 4.0 * squared_sine(kPi / 200.0), 4.0 * squared_sine(kPi * 99.0 / 200.0));
  const Spectrum lone = laplacian_spectrum(Graph(1, {}));
  EXPECT_EQ(lone.lambda_max, 0.0);
}

// Path, ring and hypercube have their spectra in closed form; 4 sin^2 keeps its digits where lambda_2 is 1e-7.
TEST(Spectrum, ThousandsOfNodesInClosedForm) {
  constexpr double kNodes = 10000.0;
  expect_spectrum(make("path", 10000), 4.0 * squared_sine(kPi / (2.0 * kNodes)),
                  4.0 * squared_sine(kPi * (kNodes - 1.0) / (2.0 * kNodes)));
  expect_spectrum(make("ring", 10000), 4.0 * squared_sine(kPi / kNodes), 4.0);
  expect_spectrum(make("grid", 10000), 4.0 * squared_sine(kPi / 200.0), 8.0 * squared_sine(kPi * 99.0 / 200.0));
  expect_spectrum(make("hypercube", 4096), 2.0, 24.0);
  expect_spectrum(make("star", 10000), 1.0, kNodes);
  expect_spectrum(make("complete", 1500), 1500.0, 1500.0);
}

// Two cliques of h nodes and a bridge: on vectors that are odd under the swap and constant on each clique but for its
// bridge node, (h-1 nodes of value a, one of value b), Lap is the 2 x 2 matrix
// a' = a - b,  b' = (h-1)(b - a) + 2 b, with eigenvalues the roots of t^2 - (h + 2) t + 2.
TEST(Spectrum, BarbellInClosedForm) {
  for (const double h : {50.0, 700.0}) {
    const double sum = h + 2.0;
    const double larger = (sum + std::sqrt(sum * sum - 8.0)) / 2.0;
    expect_spectrum(make("barbell", static_cast<Index>(2.0 * h)), 2.0 / larger, larger);
  }
}

TEST(Spectrum, LanczosAgreesWithDense) {
  for (const char* kind : {"erdos-renyi", "geometric", "cubic"}) {
    const Graph graph = make(kind, 600, 0.02);
    const Vector all = full_laplacian_spectrum(graph);
    EXPECT_NEAR(all[0], 0.0, 1e-11);
    expect_spectrum(graph, all[1], all[599]);
  }
  const Graph dense = make("erdos-renyi", 600, 0.5);
  const Vector all = full_laplacian_spectrum(dense);
  expect_spectrum(dense, all[1], all[599]);
}

TEST(Spectrum, DegreeBoundHolds) {
  for (const char* kind : {"path", "star", "barbell", "grid", "erdos-renyi", "geometric"}) {
    const Graph graph = make(kind, 30);
    EXPECT_LE(laplacian_spectrum(graph).lambda_max, graph.degree_bound() * (1.0 + 1e-12)) << kind;
  }
}

}  // namespace
}  // namespace slidemesh
