#include "slidemesh/algorithms/mixing.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "slidemesh/base/errors.h"
#include "slidemesh/graphs/generators.h"
#include "slidemesh/graphs/spectrum.h"

namespace slidemesh {
namespace {

constexpr double kRounding = 1e-14;

Matrix dense(const Graph& graph, const MixingWeights& w) {
  Matrix out = Matrix::Zero(graph.nodes(), graph.nodes());
  for (Index i = 0; i < graph.nodes(); ++i) {
    out(i, i) = w.diagonal(i);
    std::size_t e = 0;
    for (const Index j : graph.neighbours(i)) {
      out(i, j) = w.edge[static_cast<std::size_t>(i)][e++];
    }
  }
  return out;
}

Graph make(const std::string& kind) {
  GraphSpec spec;
  spec.kind = kind;
  spec.nodes = 12;
  return make_graph(spec);
}

TEST(Mixing, SymmetricDoublyStochasticAndContractingOnEveryGraph) {
  for (const char* kind : {"path", "ring", "star", "complete", "barbell", "grid", "cubic", "erdos-renyi"}) {
    const Graph graph = make(kind);
    for (const Weights weights : {Weights::kMetropolis, Weights::kMinDegree, Weights::kLaplacian}) {
      const Matrix w = dense(graph, mixing_weights(graph, weights));
      EXPECT_EQ(w, w.transpose());
      EXPECT_GE(w.minCoeff(), -kRounding);
      EXPECT_LE((w.rowwise().sum().array() - 1.0).abs().maxCoeff(), kRounding) << kind;
      const Vector eigenvalues = w.selfadjointView<Eigen::Lower>().eigenvalues();
      EXPECT_LT(eigenvalues(10), 1.0 - 1e-3) << kind;  // the second largest
      EXPECT_GT(eigenvalues(0), -1.0 + 1e-3) << kind;
      EXPECT_GE(dense(graph, lazy(mixing_weights(graph, weights))).selfadjointView<Eigen::Lower>().eigenvalues()(0),
                -kRounding);
    }
  }
}

TEST(Mixing, WeightsByHandOnAStarOfThree) {
  const Graph path = Graph(3, std::vector<Edge>{{0, 1}, {1, 2}});
  const MixingWeights metropolis = mixing_weights(path, Weights::kMetropolis);
  EXPECT_DOUBLE_EQ(metropolis.edge[0][0], 1.0 / 3.0);
  EXPECT_DOUBLE_EQ(metropolis.diagonal(0), 2.0 / 3.0);
  EXPECT_DOUBLE_EQ(metropolis.diagonal(1), 1.0 / 3.0);
  const MixingWeights laplacian = mixing_weights(path, Weights::kLaplacian, 3.0);  // lambda_max of this path
  EXPECT_DOUBLE_EQ(laplacian.edge[1][0], 1.0 / 3.0);
  const MixingWeights bounded = mixing_weights(path, Weights::kLaplacian);  // degree bound 1 + 2
  EXPECT_DOUBLE_EQ(bounded.edge[1][0], 1.0 / 3.0);
}

TEST(Mixing, MinDegreeWithSelfLoopsIsMetropolis) {
  const Graph graph = make("erdos-renyi");
  const Matrix difference = dense(graph, mixing_weights(graph, Weights::kMetropolis)) -
                            dense(graph, mixing_weights(graph, Weights::kMinDegree));
  EXPECT_LE(difference.cwiseAbs().maxCoeff(), kRounding);
}

}  // namespace
}  // namespace slidemesh
