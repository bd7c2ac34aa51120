// Every method at the corners of what a problem may be: it runs, and each node stays finite and in its set, or it
// refuses in one line. Nothing here says how good an answer is.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "slidemesh/losses/huber.h"
#include "slidemesh/losses/least_squares.h"
#include "slidemesh/losses/smoothed_hinge.h"
#include "slidemesh/losses/softmax.h"
#include "slidemesh/sets/registry.h"
#include "support/field.h"

namespace slidemesh::testing {
namespace {

constexpr int kSomeSteps = 12;
constexpr double kOutside = 1e-9;  ///< of the set's diameter: rounding

using Corner = std::function<Toy()>;

std::shared_ptr<const FeasibleSet> ball(Index d) { return std::make_shared<L1Ball>(d, 2.0); }

Graph graph_of(const char* kind, Index nodes) { return make_graph({.kind = kind, .nodes = nodes}); }

Toy logistic_over(const Graph& graph, double mu) {
  return make_toy(graph, toy_rows(), std::make_shared<Logistic>(), ball(5), mu);
}

Toy with_loss(std::shared_ptr<const Loss> loss) {
  return make_toy(graph_of("path", 4), toy_rows(), std::move(loss), ball(5), 0.0);
}

/// Rows with three classes.
Toy softmax() {
  Rows rows = toy_rows();
  for (std::size_t r = 0; r < rows.labels.size(); ++r) {
    rows.labels[r] = static_cast<double>(r % 3);
  }
  return make_toy(graph_of("star", 4), std::move(rows), std::make_shared<Softmax>(3), ball(15), 0.0);
}

/// All rows are zero but the first.
Toy zero_rows() {
  Rows rows = toy_rows();
  std::fill(rows.values.begin() + 5, rows.values.end(), 0.0);
  return make_toy(graph_of("ring", 4), std::move(rows), std::make_shared<Logistic>(), ball(5), 0.0);
}

/// 50, 8, 1 and 1 of the rows.
Toy unequal() {
  Toy toy = logistic_over(graph_of("path", 4), 0.0);
  const auto rows = std::make_shared<const Rows>(toy_rows());
  const Index ends[] = {0, 50, 58, 59, 60};
  for (std::size_t i = 0; i < 4; ++i) {
    const RowObjective::Options weight{.weight = static_cast<double>(ends[i + 1] - ends[i]) / 15.0};
    toy.problem.objectives[i] = std::make_shared<RowObjective>(
        std::make_shared<MemorySource>(rows, ends[i], ends[i + 1] - ends[i]), std::make_shared<Logistic>(), weight);
    toy.problem.smoothness = std::max(toy.problem.smoothness, toy.problem.objectives[i]->smoothness());
  }
  return toy;
}

/// A set that is a single point.
Toy one_point() {
  return make_toy(graph_of("path", 4), toy_rows(), std::make_shared<Logistic>(),
                  make_set({"box", {{"lower", 0.5}, {"upper", 0.5}}}, 5), 0.0);
}

const std::map<std::string, Corner> kCorners = {
    {"two nodes", [] { return logistic_over(graph_of("path", 2), 0.0); }},
    {"one node", [] { return logistic_over(Graph(1, {}), 0.1); }},
    {"a star", [] { return logistic_over(graph_of("star", 6), 0.0); }},
    {"strongly convex", [] { return logistic_over(graph_of("ring", 4), 0.5); }},
    {"one column",
     [] { return make_toy(graph_of("ring", 4), toy_rows(60, 1), std::make_shared<LeastSquares>(), ball(1), 0.0); }},
    {"one row per node",
     [] { return make_toy(graph_of("ring", 4), toy_rows(4), std::make_shared<Logistic>(), ball(5), 0.0); }},
    {"softmax", softmax},
    {"Huber", [] { return with_loss(std::make_shared<Huber>(0.1)); }},
    {"smoothed hinge", [] { return with_loss(std::make_shared<SmoothedHinge>(0.1)); }},
    {"unequal nodes", unequal},
    {"a single point", one_point},
    {"zero rows but one", zero_rows},
};

/// Every node in its set; of quantized messages the mean, which is all that they keep there.
void expect_inside(const Toy& toy, const std::string& name, const Stacked& x, const std::string& corner) {
  const bool only_mean = name == "quantized-defw";
  const Stacked points = only_mean ? Stacked(x.rowwise().mean()) : x;
  for (Index i = 0; i < points.cols(); ++i) {
    const FeasibleSet& set = toy.problem.set(i);
    EXPECT_LE(set.violation(points.col(i)), kOutside * (1.0 + set.diameter())) << name << ", " << corner;
  }
}

TEST(FieldCorners, AreRunOrRefusedInOneLine) {
  for (const auto& [corner, make] : kCorners) {
    for (const MethodKind& kind : method_kinds()) {
      const Toy toy = make();
      try {
        const auto method = make_named(kind.name, toy, kSomeSteps);
        run_to_its_end(*method);
        const Stacked x = method->output();
        EXPECT_TRUE(x.allFinite()) << kind.name << ", " << corner;
        expect_inside(toy, kind.name, x, corner);
        RecordProperty(corner + ", " + kind.name, "ran");
      } catch (const UsageError& error) {
        const std::string text = error.what();
        EXPECT_EQ(text.find('\n'), std::string::npos) << kind.name << ", " << corner;
        EXPECT_NE(text.find(": expected "), std::string::npos) << kind.name << ", " << corner << ": " << text;
        RecordProperty(corner + ", " + kind.name, text);
      } catch (const std::exception& error) {
        ADD_FAILURE() << kind.name << ", " << corner << ": " << error.what();
      }
    }
  }
}

}  // namespace
}  // namespace slidemesh::testing
