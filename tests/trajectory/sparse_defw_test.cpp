// DeFW on wide rows, with the numbers alone that are not zero: to the last bit the steps, meters, measures and
// checkpoints of the form that keeps all of them.

#include "slidemesh/algorithms/sparse_defw.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "slidemesh/algorithms/entry_defw.h"
#include "slidemesh/base/random.h"
#include "slidemesh/core/rows.h"
#include "slidemesh/losses/huber.h"
#include "slidemesh/losses/least_squares.h"
#include "slidemesh/session/checkpoint.h"
#include "slidemesh/session/measures.h"
#include "slidemesh/sets/combinators.h"
#include "slidemesh/sets/simplices.h"
#include "slidemesh/sets/sparse_balls.h"
#include "support/state_copy.h"
#include "support/toy_problem.h"

namespace slidemesh {
namespace {

constexpr Index kColumns = 3000;

/// Rows of text: few words each, of which some are in most rows and most in few.
Rows wide_rows(Index count, Index columns, Index most_per_row, std::uint64_t seed) {
  Rows rows;
  rows.features = columns;
  rows.offsets.push_back(0);
  const auto uniform = [&](Index row, Index draw) {
    return bits_to_unit(
        random_bits(seed, Purpose::kTest, static_cast<std::uint32_t>(row), 0, static_cast<std::uint64_t>(draw)));
  };
  for (Index r = 0; r < count; ++r) {
    std::vector<std::int32_t> own;
    for (Index k = 0; k < most_per_row; ++k) {
      const auto rank = static_cast<Index>(std::pow(static_cast<double>(columns), uniform(r, 2 * k)) - 1.0);
      own.push_back(static_cast<std::int32_t>(rank * 7919 % columns));
    }
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
    double score = 0.0;
    for (std::size_t k = 0; k < own.size(); ++k) {
      const double value = 2.0 * uniform(r, 2 * static_cast<Index>(k) + 1) - 1.0;
      rows.columns.push_back(own[k]);
      rows.values.push_back(value);
      score += own[k] % 2 == 0 ? value : -value;
    }
    rows.offsets.push_back(static_cast<std::int64_t>(rows.values.size()));
    rows.labels.push_back(score > 0.0 ? 1.0 : -1.0);
  }
  return rows;
}

bool same_bits(const Stacked& a, const Stacked& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(double)) == 0;
}

std::string checkpoint_of(Method& method, Index nodes) {
  CheckpointWriter writer({"run", "defw", method.steps_done(), nodes, 0, nodes, {}});
  method.visit_state(writer);
  return writer.finish();
}

void restore(Method& method, const std::string& bytes, Index nodes) {
  CheckpointReader reader({std::make_shared<const CheckpointPart>(bytes, "part")}, 0, nodes);
  method.visit_state(reader);
  reader.finish();
}

struct Case {
  std::string name;
  std::shared_ptr<const FeasibleSet> set;
  GraphSpec graph;
  std::optional<int> rounds;
  Wire wire = Wire::kFloat64;
  std::uint64_t seed = 1;
  std::shared_ptr<const Loss> loss = std::make_shared<Logistic>();
  Weights weights = Weights::kMetropolis;
};

std::vector<Case> cases() {
  const auto l1 = std::make_shared<L1Ball>(kColumns, 10.0);
  const auto huber = std::make_shared<Huber>(0.5);
  Vector weights(kColumns);
  for (Index j = 0; j < kColumns; ++j) {
    weights(j) = 1.0 + static_cast<double>(j % 5);
  }
  return {
      {"l1 ball, ring", l1, {.kind = "ring", .nodes = 6}, 1},
      {"l1 ball, path of 30", l1, {.kind = "path", .nodes = 30}, 1, Wire::kFloat64, 2},
      {"l1 ball, one node", l1, {.kind = "path", .nodes = 1}, 1},
      {"l1 ball, star, as many rounds as log t", l1, {.kind = "star", .nodes = 8}, std::nullopt, Wire::kSparse, 3},
      {"l1 ball, complete, weights of the Laplacian",
       l1,
       {.kind = "complete", .nodes = 5},
       2,
       Wire::kSparse,
       4,
       std::make_shared<Logistic>(),
       Weights::kLaplacian},
      {"l1 ball, flat parts of a loss", l1, {.kind = "ring", .nodes = 6}, 1, Wire::kSparse, 5, huber},
      {"weighted l1 ball", std::make_shared<WeightedL1Ball>(weights, 8.0), {.kind = "path", .nodes = 5}, 1},
      {"simplex", std::make_shared<Simplex>(kColumns, 3.0), {.kind = "ring", .nodes = 6}, 1, Wire::kSparse},
      {"simplex, three rounds", std::make_shared<Simplex>(kColumns, 3.0), {.kind = "path", .nodes = 7}, 3},
      {"capped simplex",
       std::make_shared<CappedSimplex>(kColumns, 3.0),
       {.kind = "grid", .nodes = 6},
       1,
       Wire::kSparse},
      {"hypersimplex", std::make_shared<Hypersimplex>(kColumns, 4), {.kind = "ring", .nodes = 6}, 1},
      {"k-sparse", std::make_shared<KSparsePolytope>(kColumns, 3, 2.0), {.kind = "barbell", .nodes = 8}, 1},
      {"an intercept",
       std::make_shared<FreeRowSet>(std::make_unique<L1Ball>(kColumns - 1, 5.0), 1, 20.0),
       {.kind = "ring", .nodes = 6},
       1,
       Wire::kSparse},
  };
}

testing::Toy toy_of(const Case& c, Index rows_per_node = 20) {
  const Graph graph = make_graph(c.graph);
  testing::Toy toy =
      testing::make_toy(graph, wide_rows(rows_per_node * graph.nodes(), kColumns, 15, c.seed), c.loss, c.set, 0.0);
  toy.network->set_wire(c.wire);
  return toy;
}

DefwOptions options_of(const Case& c) {
  DefwOptions options;
  options.mixing_rounds = c.rounds;
  options.weights = c.weights;
  return options;
}

void expect_same_measures(const Measures& a, const Measures& b) {
  EXPECT_EQ(a.objective_at_average, b.objective_at_average);
  EXPECT_EQ(a.objective_stacked, b.objective_stacked);
  EXPECT_EQ(a.consensus_error, b.consensus_error);
  EXPECT_EQ(a.relative_disagreement, b.relative_disagreement);
  EXPECT_EQ(a.infeasibility, b.infeasibility);
}

TEST(SparseDefw, TakesTheStepsOfTheDenseFormToTheLastBit) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    testing::Toy toy = toy_of(c);
    testing::Toy dense_toy = toy_of(c);
    const Index nodes = toy.network->nodes();
    SparseDefw method(toy.problem, *toy.network, options_of(c));
    Defw dense(dense_toy.problem, *dense_toy.network, options_of(c));
    const Control control(*toy.network);
    const Control dense_control(*dense_toy.network);
    for (int step = 0; step <= 25; ++step) {
      ASSERT_TRUE(same_bits(method.output(), dense.output())) << "step " << step;
      expect_same_measures(measure(toy.problem, control, method, Look::kEverything),
                           measure(dense_toy.problem, dense_control, dense, Look::kEverything));
      const MeterTotals totals = toy.network->meters().totals();
      const MeterTotals dense_totals = dense_toy.network->meters().totals();
      ASSERT_EQ(totals.bytes_sent, dense_totals.bytes_sent) << "step " << step;
      ASSERT_EQ(totals.communication_rounds, dense_totals.communication_rounds);
      ASSERT_EQ(totals.data_oracle_calls, dense_totals.data_oracle_calls);
      ASSERT_EQ(totals.data_oracle_accesses, dense_totals.data_oracle_accesses);
      ASSERT_EQ(totals.linear_oracle_calls, dense_totals.linear_oracle_calls);
      ASSERT_EQ(checkpoint_of(method, nodes), checkpoint_of(dense, nodes)) << "step " << step;
      method.step();
      dense.step();
    }
  }
}

TEST(SparseDefw, GoesOnFromItsOwnCheckpointAndFromTheDenseFormsAndItFromThese) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    testing::Toy toy = toy_of(c);
    const Index nodes = toy.network->nodes();
    SparseDefw method(toy.problem, *toy.network, options_of(c));
    for (int step = 0; step < 7; ++step) {
      method.step();
    }
    const std::string bytes = checkpoint_of(method, nodes);
    testing::Toy sparse_toy = toy_of(c);
    testing::Toy dense_toy = toy_of(c);
    SparseDefw sparse(sparse_toy.problem, *sparse_toy.network, options_of(c));
    Defw dense(dense_toy.problem, *dense_toy.network, options_of(c));
    restore(sparse, bytes, nodes);
    restore(dense, bytes, nodes);
    EXPECT_EQ(checkpoint_of(sparse, nodes), bytes);
    for (int step = 0; step < 6; ++step) {
      method.step();
      sparse.step();
      dense.step();
      ASSERT_TRUE(same_bits(method.output(), sparse.output())) << "step " << step;
      ASSERT_TRUE(same_bits(method.output(), dense.output())) << "step " << step;
    }
    restore(method, bytes, nodes);  // one that knows its columns already
    testing::copy_state(method, sparse);
    method.step();
    sparse.step();
    EXPECT_EQ(checkpoint_of(method, nodes), checkpoint_of(sparse, nodes));
  }
}

TEST(SparseDefw, TakesRowsOfAnyKind) {
  const Graph ring = make_graph({.kind = "ring", .nodes = 4});
  const auto set = std::make_shared<L1Ball>(60, 4.0);
  const auto compare = [&](const auto& sources, const std::string& kind) {
    SCOPED_TRACE(kind);
    InProcessNetwork network(ring);
    InProcessNetwork dense_network(ring);
    const Problem problem = make_problem(row_objectives(sources, std::make_shared<Logistic>()), set);
    SparseDefw method(problem, network, {});
    Defw dense(problem, dense_network, {});
    for (int step = 0; step < 12; ++step) {
      method.step();
      dense.step();
      ASSERT_TRUE(same_bits(method.output(), dense.output())) << "step " << step;
    }
  };
  std::vector<std::shared_ptr<RowSource>> sources;
  for (std::uint64_t i = 0; i < 4; ++i) {
    sources.push_back(std::make_shared<MemorySource>(testing::toy_rows(30, 60)));
  }
  compare(sources, "dense");
  sources.clear();
  for (std::uint64_t i = 0; i < 4; ++i) {
    sources.push_back(std::make_shared<MemorySource>(wide_rows(700, 60, 4, i)));
  }
  compare(sources, "more numbers than columns, and most columns");
  sources.clear();
  for (std::uint64_t i = 0; i < 4; ++i) {
    Rows rows = wide_rows(300, 20, 4, i);
    rows.features = 60;
    sources.push_back(std::make_shared<MemorySource>(std::move(rows)));
  }
  compare(sources, "more numbers than columns, and few columns");
  sources.clear();
  const auto table = std::make_shared<const Rows>(wide_rows(400, 60, 3, 9));
  const RowBlock storage{table->count(),       table->features,       table->labels.data(),
                         table->values.data(), table->offsets.data(), table->columns.data()};
  for (Index i = 0; i < 4; ++i) {
    std::vector<Index> numbers;
    for (Index r = i; r < 12; r += 4) {
      numbers.push_back(399 - r);
    }
    sources.push_back(std::make_shared<ViewSource>(storage, table, numbers));
  }
  compare(sources, "chosen rows");
}

TEST(SparseDefw, ForgetsAStartThatIsNotZeroAnywhere) {
  const Case c = cases().front();
  testing::Toy toy = toy_of(c);
  testing::Toy dense_toy = toy_of(c);
  for (Index j = 0; j < kColumns; ++j) {
    toy.problem.start(j) = (j % 2 == 0 ? 3.0 : -3.0) / static_cast<double>(kColumns + j);
  }
  dense_toy.problem.start = toy.problem.start;
  SparseDefw method(toy.problem, *toy.network, {});
  Defw dense(dense_toy.problem, *dense_toy.network, {});
  EXPECT_GE(method.compact_output()->kept(), kColumns - 1);
  for (int step = 1; step <= 5; ++step) {
    method.step();
    dense.step();
    ASSERT_TRUE(same_bits(method.output(), dense.output())) << "step " << step;
    EXPECT_LE(method.compact_output()->kept(), step * toy.network->nodes());
  }
}

TEST(SparseDefw, KeepsWhatIsNotZero) {
  constexpr Index kWide = 1'000'000;
  constexpr Index kNodes = 5;
  constexpr int kSteps = 10;
  Case c{"", std::make_shared<L1Ball>(kWide, 10.0), {.kind = "ring", .nodes = kNodes}, 1};
  const Rows table = wide_rows(100 * kNodes, kWide, 20, 1);
  const Count numbers = table.nonzeros();
  testing::Toy toy = testing::make_toy(make_graph(c.graph), table, c.loss, std::make_shared<Simplex>(kWide, 5.0), 0.0);
  const auto method = make_defw(toy.problem, *toy.network, {});
  auto* sparse = dynamic_cast<SparseDefw*>(method.get());
  ASSERT_NE(sparse, nullptr);
  for (int step = 0; step < kSteps; ++step) {
    method->step();
  }
  // θ at a vertex per step and node, and one number for the rest; G at all rows' columns; three columns of a node's
  // own.
  const Count of_iterates = (kSteps * kNodes + 1) * kNodes;
  EXPECT_LE(sparse->numbers_kept(), of_iterates + (numbers + 1) * kNodes + 3 * numbers);
  EXPECT_LT(sparse->numbers_kept(), kWide / 10);
  // A bit per number of three variables, and the numbers.
  EXPECT_LT(checkpoint_of(*method, kNodes).size(),
            static_cast<std::size_t>(3 * kWide * kNodes / 8 + 8 * sparse->numbers_kept()) + 4096);
}

TEST(SparseDefw, LeavesWhatItDoesNotTakeToOtherForms) {
  const Case c = cases().front();
  testing::Toy toy = toy_of(c);
  EXPECT_TRUE(SparseDefw::fits(toy.problem, *toy.network, {}));
  DefwOptions sampled;
  sampled.batch = 3;
  EXPECT_FALSE(SparseDefw::fits(toy.problem, *toy.network, sampled));
  DefwOptions untracked;
  untracked.tracking = false;
  EXPECT_FALSE(SparseDefw::fits(toy.problem, *toy.network, untracked));
  toy.network->set_wire(Wire::kFloat32);
  EXPECT_FALSE(SparseDefw::fits(toy.problem, *toy.network, {}));
  toy.network->set_wire(Wire::kSparse);
  toy.problem.mu = 0.1;
  EXPECT_FALSE(SparseDefw::fits(toy.problem, *toy.network, {}));
  toy.problem.mu = 0.0;
  EXPECT_TRUE(SparseDefw::fits(toy.problem, *toy.network, {}));
  toy.problem.sets = same_set(std::make_shared<L2Ball>(kColumns, 1.0), toy.problem.objectives.size());
  EXPECT_FALSE(SparseDefw::fits(toy.problem, *toy.network, {}));
}

}  // namespace
}  // namespace slidemesh
