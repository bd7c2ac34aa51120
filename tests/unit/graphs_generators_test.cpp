#include "slidemesh/graphs/generators.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <string>

#include "slidemesh/base/errors.h"

namespace slidemesh {
namespace {

Graph make(const std::string& kind, Index nodes) {
  GraphSpec spec;
  spec.kind = kind;
  spec.nodes = nodes;
  return make_graph(spec);
}

/// The message of the error that `make` throws, which must be of type E.
template <class E, class Make>
std::string message_of(const Make& make) {
  try {
    static_cast<void>(make());
  } catch (const E& error) {
    return error.what();
  }
  ADD_FAILURE() << "expected an error";
  return {};
}

TEST(Generators, FixedKindsHaveTheirEdges) {
  EXPECT_EQ(make("path", 10).edges(), 9);
  EXPECT_EQ(make("path", 1).edges(), 0);
  EXPECT_EQ(make("ring", 10).edges(), 10);
  EXPECT_EQ(make("star", 10).edges(), 9);
  EXPECT_EQ(make("star", 10).degree(0), 9);
  EXPECT_EQ(make("complete", 10).edges(), 45);
  EXPECT_EQ(make("hypercube", 16).edges(), 32);
  EXPECT_EQ(make("hypercube", 16).largest_degree(), 4);
}

TEST(Generators, BarbellIsTwoCliquesAndABridge) {
  const Graph even = make("barbell", 10);
  EXPECT_EQ(even.edges(), 10 + 10 + 1);
  EXPECT_EQ(even.degree(4), 5);
  EXPECT_EQ(even.degree(5), 5);
  EXPECT_EQ(even.degree(0), 4);
  const Graph odd = make("barbell", 7);
  EXPECT_EQ(odd.edges(), 3 + 6 + 1);
  EXPECT_EQ(make("barbell", 2).edges(), 1);
}

TEST(Generators, GridIsAsSquareAsTheNodesAllow) {
  EXPECT_EQ(make("grid", 12).edges(), 3 * 3 + 2 * 4);  // 3 x 4
  EXPECT_EQ(make("grid", 7).edges(), 6);               // a prime: a line
  GraphSpec spec;
  spec.kind = "grid";
  spec.nodes = 12;
  spec.rows = 2;
  EXPECT_EQ(make_graph(spec).edges(), 2 * 5 + 6);
  spec.rows = 5;
  EXPECT_THROW(static_cast<void>(make_graph(spec)), UsageError);
}

TEST(Generators, CubicHasThreeNeighboursEach) {
  for (const Index nodes : {4, 6, 10, 50, 1000}) {
    const Graph graph = make("cubic", nodes);
    for (Index i = 0; i < nodes; ++i) {
      ASSERT_EQ(graph.degree(i), 3);
    }
    EXPECT_EQ(graph.components(), 1);
  }
}

TEST(Generators, ErdosRenyiHasTheExpectedNumberOfEdges) {
  GraphSpec spec;
  spec.nodes = 2000;
  spec.p = 0.01;
  const double pairs = 2000.0 * 1999.0 / 2.0;
  const double deviation = std::sqrt(pairs * 0.01 * 0.99);
  double mean = 0.0;
  constexpr int kSeeds = 10;
  for (spec.seed = 1; spec.seed <= kSeeds; ++spec.seed) {
    mean += static_cast<double>(make_graph(spec).edges()) / kSeeds;
  }
  EXPECT_NEAR(mean, pairs * 0.01, 4.0 * deviation / std::sqrt(kSeeds));
  spec.p = 1.0;
  EXPECT_EQ(make_graph(spec).edges(), 1999000);
}

TEST(Generators, ErdosRenyiTreatsAllPairsAlike) {
  // Each of the 10 pairs of 5 nodes should be joined in about 60 of 100 draws; connectedness tilts it a little.
  GraphSpec spec;
  spec.nodes = 5;
  spec.p = 0.6;
  Matrix joined = Matrix::Zero(5, 5);
  constexpr int kSeeds = 2000;
  for (spec.seed = 1; spec.seed <= kSeeds; ++spec.seed) {
    for (const auto& [i, j] : make_graph(spec).edge_list()) {
      joined(i, j) += 1.0;
    }
  }
  const double mean = joined.sum() / 10.0;
  for (Index j = 1; j < 5; ++j) {
    for (Index i = 0; i < j; ++i) {
      EXPECT_NEAR(joined(i, j), mean, 4.0 * std::sqrt(kSeeds * 0.6 * 0.4)) << i << " - " << j;
    }
  }
}

TEST(Generators, GeometricAgreesWithAllPairs) {
  // Over a unit square with a radius beyond its diagonal every two points are joined.
  GraphSpec spec;
  spec.kind = "geometric";
  spec.nodes = 40;
  spec.radius = 1.5;
  EXPECT_EQ(make_graph(spec).edges(), 40 * 39 / 2);
  // The edges of a smaller radius are among those of a larger one, for the same points.
  spec.radius = 0.35;
  const Graph small = make_graph(spec);
  spec.radius = 0.5;
  const Graph large = make_graph(spec);
  const auto more = large.edge_list();
  for (const Edge& e : small.edge_list()) {
    EXPECT_TRUE(std::binary_search(more.begin(), more.end(), e));
  }
  EXPECT_LT(small.edges(), large.edges());
}

TEST(Generators, SameSeedSameGraphAndOtherSeedOther) {
  for (const char* kind : {"erdos-renyi", "geometric", "cubic"}) {
    GraphSpec spec;
    spec.kind = kind;
    spec.nodes = 60;
    const auto first = make_graph(spec).edge_list();
    EXPECT_EQ(first, make_graph(spec).edge_list());
    spec.seed = 2;
    EXPECT_NE(first, make_graph(spec).edge_list());
  }
}

TEST(Generators, TenThousandNodesOfEveryKind) {
  for (const GraphKind& kind : graph_kinds()) {
    if (kind.name == "file" || kind.name == "complete" || kind.name == "barbell") {
      continue;  // the dense ones take a gigabyte; 2,000 nodes of them below
    }
    GraphSpec spec;
    spec.kind = kind.name;
    spec.nodes = kind.name == "hypercube" ? 8192 : 10000;
    spec.p = 0.002;
    EXPECT_EQ(make_graph(spec).components(), 1) << kind.name;
  }
  EXPECT_EQ(make("complete", 2000).edges(), 1999000);
  EXPECT_EQ(make("barbell", 2000).edges(), 2 * 499500 + 1);
}

TEST(Generators, SaysWhatIsWrong) {
  EXPECT_NE(message_of<UsageError>([] { return make("hypercube", 12); }).find("power of two"), std::string::npos);
  EXPECT_NE(message_of<UsageError>([] { return make("cubic", 7); }).find("even"), std::string::npos);
  EXPECT_NE(message_of<UsageError>([] { return make("torus", 7); }).find("got 'torus'"), std::string::npos);
  EXPECT_THROW(static_cast<void>(make("ring", 2)), UsageError);
  EXPECT_THROW(static_cast<void>(make("path", 0)), UsageError);
  GraphSpec spec;
  spec.nodes = 100;
  spec.p = 0.001;
  const std::string text = message_of<UsageError>([&] { return make_graph(spec); });
  EXPECT_NE(text.find("cannot be reached"), std::string::npos) << text;
  spec.p = 1.5;
  EXPECT_THROW(static_cast<void>(make_graph(spec)), UsageError);
}

class EdgeList : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& text) const {
    std::ofstream(path_) << text;
    return path_;
  }
  void TearDown() override { std::filesystem::remove(path_); }

  std::string error_of(const std::string& text, Index nodes = 0) const {
    const auto path = write(text);
    return message_of<DataError>([&] {
      GraphSpec spec;
      spec.kind = "file";
      spec.path = path;
      spec.nodes = nodes;
      return make_graph(spec);
    });
  }
  std::filesystem::path path_ =
      testing::TempDir() + "slidemesh_edges_" + testing::UnitTest::GetInstance()->current_test_info()->name() + ".txt";
};

TEST_F(EdgeList, ReadsCommentsBlanksAndWindowsLines) {
  const Graph graph = read_edge_list(write("# three nodes\r\n\r\n0 1\r\n\t2  1 \n"));
  EXPECT_EQ(graph.edge_list(), (std::vector<Edge>{{0, 1}, {1, 2}}));
}

TEST_F(EdgeList, NamesTheLine) {
  const std::string place = path_.string();
  EXPECT_EQ(error_of("0 1\n1 x\n"), place + ":2: expected two node numbers, got '1 x'");
  EXPECT_EQ(error_of("0 1\n\n1\n"), place + ":3: expected two node numbers, got '1'");
  EXPECT_EQ(error_of("0 1 0.5\n"), place + ":1: expected two node numbers, got '0 1 0.5'");
  EXPECT_EQ(error_of("0 -1\n"), place + ":1: expected two node numbers, got '0 -1'");
  EXPECT_EQ(error_of("0 1\n2 2\n"), place + ":2: expected two different nodes, got 2 twice");
  EXPECT_EQ(error_of("0 1\n1 2\n1 0\n"), place + ":3: expected every edge once, got 0 1 as on line 1");
  EXPECT_EQ(error_of("0 1\n1 9\n", 5), place + ":2: expected node numbers below 5, got 9");
  EXPECT_EQ(error_of("0 1\n99999999999999999999 1\n"),
            place + ":2: expected two node numbers, got '99999999999999999999 1'");
}

TEST_F(EdgeList, RefusesWhatIsNotConnectedEmptyOrAbsent) {
  EXPECT_NE(error_of("0 1\n1 2\n2 0\n3 4\n").find("node 3 cannot be reached"), std::string::npos);
  EXPECT_NE(error_of("0 1\n1000000000 2\n").find("2 edges and a node numbered 1000000000"), std::string::npos);
  EXPECT_NE(error_of("# nothing\n").find("at least one edge"), std::string::npos);
  EXPECT_THROW(static_cast<void>(read_edge_list("/nonexistent/edges")), DataError);
}

}  // namespace
}  // namespace slidemesh
