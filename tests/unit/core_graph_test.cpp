#include "slidemesh/core/graph.h"

#include <gtest/gtest.h>

#include <vector>

#include "slidemesh/base/errors.h"

namespace slidemesh {
namespace {

Graph bow() {  // a triangle with a tail: 0 - 1 - 2 - 0, 2 - 3
  const std::vector<Edge> edges = {{3, 2}, {0, 1}, {2, 0}, {1, 2}};
  return {4, edges};
}

TEST(Graph, KeepsNeighboursInAscendingOrder) {
  const Graph graph = bow();
  EXPECT_EQ(graph.nodes(), 4);
  EXPECT_EQ(graph.edges(), 4);
  EXPECT_EQ(graph.degree(2), 3);
  EXPECT_EQ(graph.largest_degree(), 3);
  const auto two = graph.neighbours(2);
  EXPECT_EQ(std::vector<Index>(two.begin(), two.end()), (std::vector<Index>{0, 1, 3}));
  EXPECT_EQ(graph.edge_list(), (std::vector<Edge>{{0, 1}, {0, 2}, {1, 2}, {2, 3}}));
  EXPECT_EQ(graph.degree_bound(), 5.0);
}

TEST(Graph, LaplacianOfAVectorByHand) {
  const Graph graph = bow();
  Vector x(4);
  x << 1.0, 2.0, 4.0, 8.0;
  Vector y(4);
  graph.laplacian(x, y);
  Vector expected(4);
  expected << -4.0, -1.0, 1.0, 4.0;
  EXPECT_EQ(y, expected);
  graph.laplacian(Vector::Constant(4, 0.1), y);
  EXPECT_EQ(y, Vector::Zero(4));
}

TEST(Graph, RefusesWhatIsNotASimpleGraph) {
  const std::vector<Edge> loop = {{0, 0}};
  const std::vector<Edge> twice = {{0, 1}, {1, 0}};
  const std::vector<Edge> outside = {{0, 2}};
  EXPECT_THROW(Graph(2, loop), UsageError);
  EXPECT_THROW(Graph(2, twice), UsageError);
  EXPECT_THROW(Graph(2, outside), UsageError);
  EXPECT_THROW(Graph(0, {}), UsageError);
}

TEST(Graph, CountsPiecesAndNamesAnUnreachableNode) {
  const std::vector<Edge> edges = {{0, 3}, {1, 2}};
  const Graph graph(5, edges);
  EXPECT_EQ(graph.components(), 3);
  EXPECT_EQ(graph.first_unreachable(), 1);
  EXPECT_EQ(bow().components(), 1);
  EXPECT_EQ(bow().first_unreachable(), 4);
  EXPECT_EQ(Graph(1, {}).components(), 1);
}

TEST(SpanningTree, IsBreadthFirstFromNodeZero) {
  const SpanningTree tree = spanning_tree(bow());
  EXPECT_EQ(tree.parent, (std::vector<Index>{-1, 0, 0, 2}));
  EXPECT_EQ(tree.order, (std::vector<Index>{0, 1, 2, 3}));
  EXPECT_EQ(tree.children[0], (std::vector<Index>{1, 2}));
  EXPECT_EQ(tree.children[2], (std::vector<Index>{3}));
  EXPECT_EQ(tree.depth, 2);
}

TEST(SpanningTree, FromACentreIsHalfAsDeepAsAPathIsLong) {
  std::vector<Edge> edges;
  for (Index i = 0; i + 1 < 50; ++i) {
    edges.emplace_back(i, i + 1);
  }
  const Graph path(50, edges);
  EXPECT_EQ(graph_centre(path), 24);
  EXPECT_EQ(spanning_tree(path).depth, 49);
  EXPECT_EQ(spanning_tree(path, graph_centre(path)).depth, 25);
  EXPECT_EQ(graph_centre(bow()), 2);
  EXPECT_EQ(graph_centre(Graph(1, {})), 0);
}

TEST(SpanningTree, RefusesAGraphInPieces) {
  const std::vector<Edge> edges = {{0, 1}};
  try {
    static_cast<void>(spanning_tree(Graph(3, edges)));
    FAIL() << "a graph in two pieces was accepted";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("node 2"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace slidemesh
