// The kernels that take several rows at a time give the bits of the plain loops, for every width and every place in a
// block.

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <numeric>

#include "slidemesh/base/random.h"
#include "slidemesh/core/objective.h"
#include "slidemesh/linalg/kernels.h"
#include "slidemesh/linalg/kernels_inline.h"
#include "slidemesh/losses/least_squares.h"
#include "support/row_tables.h"

namespace slidemesh {
namespace {

Rows dense_table(Index rows, Index features) {
  RandomStream random(7, Purpose::kTest);
  Rows table;
  table.features = features;
  for (Index r = 0; r < rows; ++r) {
    table.labels.push_back(random.normal());
    for (Index j = 0; j < features; ++j) {
      table.values.push_back(random.normal());
    }
  }
  return table;
}

Vector some_model(Index features) {
  RandomStream random(8, Purpose::kTest);
  Vector x(features);
  for (double& value : x) {
    value = random.normal();
  }
  return x;
}

/// The mean gradient of least squares over the given rows by one dot and one axpy per row.
Vector plain_gradient(const Rows& table, std::span<const Index> rows, const Vector& x) {
  Vector g = Vector::Zero(x.size());
  for (const Index r : rows) {
    const double* a = table.values.data() + r * table.features;
    const double residual = dot(a, x.data(), table.features) - table.labels[static_cast<std::size_t>(r)];
    axpy(residual, a, g.data(), table.features);
  }
  return g / static_cast<double>(rows.size());
}

bool same_bits(const Vector& a, const Vector& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(double)) == 0;
}

class RowKernels : public ::testing::TestWithParam<Index> {};

TEST_P(RowKernels, GiveTheBitsOfPlainLoopsOverAllRows) {
  const Index features = GetParam();
  for (const Index count : {1, 2, 3, 4, 5, 7, 8, 31, 33, 255, 256, 257, 263}) {
    const Rows table = dense_table(count, features);
    const Vector x = some_model(features);
    std::vector<Index> all(static_cast<std::size_t>(count));
    std::iota(all.begin(), all.end(), Index{0});
    RowObjective objective(std::make_shared<MemorySource>(table), std::make_shared<const LeastSquares>());
    Vector g(features);
    objective.gradient(AccessPurpose::kGradient, x, g);
    EXPECT_TRUE(same_bits(g, plain_gradient(table, all, x))) << count << " rows of " << features;
  }
}

TEST_P(RowKernels, GiveTheBitsOfPlainLoopsOverDrawnRows) {
  const Index features = GetParam();
  const Rows table = dense_table(40, features);
  const Vector x = some_model(features);
  RandomStream random(9, Purpose::kTest);
  std::vector<Index> drawn(21);
  for (Index& row : drawn) {
    row = random.index(table.count());
  }
  RowObjective objective(std::make_shared<MemorySource>(table), std::make_shared<const LeastSquares>());
  Vector g(features);
  objective.sampled_gradient(x, drawn, g);
  EXPECT_TRUE(same_bits(g, plain_gradient(table, drawn, x)));
}

INSTANTIATE_TEST_SUITE_P(Widths, RowKernels,
                         ::testing::Values(1, 2, 3, 4, 5, 7, 8, 9, 11, 12, 13, 15, 16, 17, 22, 24, 31, 32, 33, 36, 61,
                                           64, 65, 130, 600));

/// A table whose row r has r % 11 numbers.
Rows ragged_table(Index rows, Index features) {
  RandomStream random(10, Purpose::kTest);
  Rows table;
  table.features = features;
  table.offsets.push_back(0);
  for (Index r = 0; r < rows; ++r) {
    table.labels.push_back(random.normal());
    for (Index j = 0; j < r % 11; ++j) {
      table.columns.push_back(static_cast<std::int32_t>(j * 3 + random.index(3)));
      table.values.push_back(random.normal());
    }
    table.offsets.push_back(static_cast<std::int64_t>(table.values.size()));
  }
  return table;
}

TEST(SparseRowKernels, GiveTheBitsOfFourRunningSums) {
  const Rows table = ragged_table(301, 33);
  const Vector x = some_model(33);
  Vector expected = Vector::Zero(33);
  for (Index r = 0; r < table.count(); ++r) {
    double lane[4] = {};
    const Index first = table.offsets[static_cast<std::size_t>(r)];
    const Index last = table.offsets[static_cast<std::size_t>(r) + 1];
    for (Index i = first; i < last; ++i) {
      const auto at = static_cast<std::size_t>(i);
      lane[(i - first) % 4] = inlined::multiply_add(table.values[at], x(table.columns[at]), lane[(i - first) % 4]);
    }
    const double residual = ((lane[0] + lane[2]) + (lane[1] + lane[3])) - table.labels[static_cast<std::size_t>(r)];
    for (Index i = first; i < last; ++i) {
      const auto at = static_cast<std::size_t>(i);
      double& sum = expected(table.columns[at]);
      sum = inlined::multiply_add(residual, table.values[at], sum);
    }
  }
  expected /= static_cast<double>(table.count());
  Vector g(33);
  RowObjective objective(std::make_shared<MemorySource>(table), std::make_shared<const LeastSquares>());
  objective.gradient(AccessPurpose::kGradient, x, g);
  EXPECT_TRUE(same_bits(g, expected));
}

TEST(SparseRowKernels, AgreeWithDenseRowsUpToRounding) {
  constexpr double kRounding = 1e-14;
  const Rows sparse = testing::sparse_table(300, 41);
  Rows dense = sparse;
  make_dense(dense);
  const Vector x = some_model(41);
  Vector g(41);
  Vector expected(41);
  const auto loss = std::make_shared<const LeastSquares>();
  RowObjective(std::make_shared<MemorySource>(sparse), loss).gradient(AccessPurpose::kGradient, x, g);
  RowObjective(std::make_shared<MemorySource>(dense), loss).gradient(AccessPurpose::kGradient, x, expected);
  EXPECT_LE((g - expected).norm(), kRounding * expected.norm());
}

}  // namespace
}  // namespace slidemesh
