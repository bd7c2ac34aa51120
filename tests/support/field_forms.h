#pragma once

// A small problem with what the papers' formulas need of it: dense matrices, and nothing of the library's but gradients
// of rows. Least squares in a ball that nothing leaves, so that projections do nothing and second-order polynomials are
// the functions.

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "slidemesh/core/row_dealer.h"
#include "slidemesh/losses/least_squares.h"
#include "support/field.h"

namespace slidemesh::testing {

inline constexpr int kSteps = 6;
inline constexpr double kClose = 1e-9;
inline constexpr double kMu = 0.3;

/// A problem, and what the papers' formulas need of it.
struct Field {
  explicit Field(const char* graph, double mu = kMu, double radius = 1e4)
      : toy(make_toy(make_graph({.kind = graph, .nodes = 4}), toy_rows(), std::make_shared<LeastSquares>(),
                     std::make_shared<L1Ball>(5, radius), mu)),
        spectrum(laplacian_spectrum(toy.network->graph())) {
    const Graph& g = toy.network->graph();
    lap = Matrix::Zero(4, 4);
    W = Matrix::Identity(4, 4);
    for (Index i = 0; i < 4; ++i) {
      for (const Index j : g.neighbours(i)) {
        const double weight = 1.0 / (1.0 + static_cast<double>(std::max(g.degree(i), g.degree(j))));
        lap(i, i) += 1.0;
        lap(i, j) -= 1.0;
        W(i, i) -= weight;
        W(i, j) += weight;
      }
    }
    L = toy.problem.smoothness + mu;
    start = toy.problem.start.replicate(1, 4);
  }

  /// Column i: the gradient of f_i at x_i.
  [[nodiscard]] Matrix gradient(const Matrix& x) const {
    Matrix g(x.rows(), x.cols());
    for (Index i = 0; i < x.cols(); ++i) {
      Vector column(x.rows());
      toy.problem.objectives[static_cast<std::size_t>(i)]->gradient(AccessPurpose::kGradient, x.col(i), column);
      g.col(i) = column + toy.problem.mu * x.col(i);
    }
    return g;
  }
  /// Of f_i, which is quadratic.
  [[nodiscard]] Matrix hessian(Index i) const {
    const Index d = start.rows();
    Matrix h(d, d);
    const Matrix zero = Matrix::Zero(d, 4);
    for (Index c = 0; c < d; ++c) {
      Matrix unit = zero;
      unit.row(c).setOnes();
      h.col(c) = gradient(unit).col(i) - gradient(zero).col(i);
    }
    return h;
  }

  [[nodiscard]] Matrix run(const std::string& name, const Value::Table& keys = {}, int steps = kSteps) const {
    const auto method = make_named(name, toy, steps, keys);
    run_to_its_end(*method);
    return method->output();
  }

  Toy toy;
  Spectrum spectrum;
  Matrix lap, W, start;  ///< stacked variables are d x m, so matrices over nodes stand on their right
  double L = 0.0;
};

inline void expect_same(const Matrix& ours, const Matrix& papers) {
  EXPECT_LT((ours - papers).norm(), kClose * (1.0 + papers.norm()));
  EXPECT_GT(papers.norm(), 1e-3);  // it moved
}

inline Value number(double value) { return Value{value}; }
inline Value whole(std::int64_t value) { return Value{value}; }

/// Of rows j of node i: l'_j(<a_j, x_i>) a_j, their mean.
inline Vector gradient_of_rows(const Field& f, Index i, const Matrix& x, const std::vector<Index>& rows) {
  Vector g(x.rows());
  f.toy.problem.objectives[static_cast<std::size_t>(i)]->sampled_gradient(x.col(i), rows, g);
  return g;
}

/// The last gradient of every row, 0 before the first touch; 15 rows per node, dealt from a permutation.
class RowTable {
 public:
  RowTable(const Field& f, std::uint64_t seed) : f_(f), rows_(4, Matrix::Zero(5, 15)) {
    for (Index i = 0; i < 4; ++i) {
      dealers_.emplace_back(seed, i, 15);
    }
  }
  /// SAGA's estimate, (1/b) Σ over the touched rows of (their gradients − the table's) + the table's mean; the table is
  /// brought up to date after it.
  Matrix saga(const Matrix& x, int batch) {
    Matrix estimate = mean();
    for (Index i = 0; i < 4; ++i) {
      const auto n = static_cast<std::size_t>(i);
      std::vector<Index> dealt;
      dealers_[n].deal(batch, dealt);
      for (const Index row : dealt) {
        const Vector g = gradient_of_rows(f_, i, x, {row});
        estimate.col(i) += (g - rows_[n].col(row)) / batch;
        rows_[n].col(row) = g;
      }
    }
    return estimate;
  }
  [[nodiscard]] Matrix mean() const {
    Matrix all(5, 4);
    for (Index i = 0; i < 4; ++i) {
      all.col(i) = rows_[static_cast<std::size_t>(i)].rowwise().mean();
    }
    return all;
  }

 private:
  const Field& f_;
  std::vector<Matrix> rows_;
  std::vector<RowDealer> dealers_;
};

}  // namespace slidemesh::testing
