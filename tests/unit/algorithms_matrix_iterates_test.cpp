#include "slidemesh/algorithms/matrix_iterates.h"

#include <gtest/gtest.h>

#include <vector>

#include "slidemesh/algorithms/mixing.h"
#include "slidemesh/graphs/generators.h"
#include "slidemesh/linalg/parallel.h"
#include "slidemesh/network/in_process.h"

namespace slidemesh {
namespace {

constexpr Index kColumns = 40;

/// Every third place, and of those every node its own share.
std::vector<Count> some_places(Index d) {
  std::vector<Count> places;
  for (Count p = 1; p < d; p += 3) {
    places.push_back(p);
  }
  return places;
}

std::vector<std::vector<Count>> shares(const std::vector<Count>& places, Index nodes) {
  std::vector<std::vector<Count>> own(static_cast<std::size_t>(nodes));
  for (std::size_t k = 0; k < places.size(); ++k) {
    own[k % own.size()].push_back(static_cast<Count>(k));
  }
  return own;
}

/// θ as all its places would be worked out in every round.
class AtOnce {
 public:
  AtOnce(const Graph& graph, const MixingWeights& w, const Stacked& start) : network(graph), theta(start), w_(w) {}

  void move(double gamma, const Matrix& left, const Matrix& right) {
    for (Index i = 0; i < theta.cols(); ++i) {
      for (Index c = 0; c < right.rows(); ++c) {
        const double factor = gamma * right(c, i);
        auto numbers = theta.col(i).segment(c * left.rows(), left.rows());
        numbers = (1.0 - gamma) * numbers + factor * left.col(i);
      }
    }
  }
  void mix() {
    Stacked mixed(theta.rows(), theta.cols());
    network.mix(w_, theta, mixed);
    theta = mixed;
  }

  InProcessNetwork network;
  Stacked theta;

 private:
  const MixingWeights& w_;
};

/// Rows of less than a block, of several, and no whole number of fours; looked at after some rounds, and after moves.
TEST(MatrixIterates, AreWhatWorkingOutEveryRoundAtOnceGives) {
  set_work_per_thread(1.0);
  for (const Index nodes : {Index{6}, Index{50}}) {
    const Graph graph = make_graph({.kind = "ring", .nodes = nodes});
    const MixingWeights w = mixing_weights(graph, Weights::kMetropolis);
    for (const Index rows : {Index{3}, Index{37}, Index{100}}) {
      const Stacked start = Stacked::Random(rows * kColumns, nodes);
      InProcessNetwork network(graph);
      MatrixIterates late(network, w, start, rows);
      AtOnce expected(graph, w, start);
      const std::vector<Count> places = some_places(start.rows());
      const auto own = shares(places, nodes);
      late.watch(places, own);
      for (int round = 0; round < 30; ++round) {
        if (round % 4 != 3) {  // several rounds to a move, too
          const Matrix left = Matrix::Random(rows, nodes);
          const Matrix right = Matrix::Random(kColumns, nodes);
          late.move(2.0 / (round + 2.0), left, right);
          expected.move(2.0 / (round + 2.0), left, right);
        }
        if (round % 11 == 5) {
          ASSERT_EQ(late.whole(), expected.theta) << "round " << round;
        }
        late.mix();
        expected.mix();
        for (Index i = 0; i < nodes; ++i) {
          for (const Count k : own[static_cast<std::size_t>(i)]) {
            const Count place = places[static_cast<std::size_t>(k)];
            ASSERT_EQ(late.at_own_places(i)(place), expected.theta(place, i)) << "round " << round;
          }
        }
        if (round % 13 == 8) {
          ASSERT_EQ(late.whole(), expected.theta) << "round " << round;
        }
      }
      EXPECT_EQ(late.whole(), expected.theta);
      EXPECT_EQ(network.meters().totals().bytes_sent, expected.network.meters().totals().bytes_sent);
      EXPECT_EQ(network.meters().communication_rounds, expected.network.meters().communication_rounds);
    }
  }
  set_work_per_thread(0.0);
}

/// Numbers that travel as floats cannot wait.
TEST(MatrixIterates, SendWhatHasToTravel) {
  const Graph graph = make_graph({.kind = "ring", .nodes = 6});
  const MixingWeights w = mixing_weights(graph, Weights::kMetropolis);
  const Stacked start = Stacked::Random(5 * kColumns, 6);
  InProcessNetwork network(graph);
  network.set_wire(Wire::kFloat32);
  MatrixIterates iterates(network, w, start, 5);
  AtOnce expected(graph, w, start);
  expected.network.set_wire(Wire::kFloat32);
  const std::vector<Count> places = some_places(start.rows());
  iterates.watch(places, shares(places, 6));
  const Matrix left = Matrix::Random(5, 6);
  const Matrix right = Matrix::Random(kColumns, 6);
  for (int round = 0; round < 3; ++round) {
    iterates.move(0.5, left, right);
    expected.move(0.5, left, right);
    iterates.mix();
    expected.mix();
  }
  EXPECT_EQ(iterates.whole(), expected.theta);
  EXPECT_EQ(network.meters().totals().bytes_sent, expected.network.meters().totals().bytes_sent);
}

}  // namespace
}  // namespace slidemesh
