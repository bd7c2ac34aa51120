#pragma once

#include <cmath>
#include <vector>

#include "slidemesh/linalg/triangular.h"
#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// (a, b) := (c a + s b, c b - s a), place by place.
struct Rotation {
  double c;
  double s;
  void apply(double* __restrict a, double* __restrict b, Index n) const noexcept {
    for (Index i = 0; i < n; ++i) {
      const double before = a[i];
      a[i] = c * before + s * b[i];
      b[i] = c * b[i] - s * before;
    }
  }
};

/// The Cholesky factor L of a positive definite matrix G that grows by a row and column at its end and loses others
/// anywhere, in O(n^2) each. It does not care how the rows are scaled. Nothing is allocated once there was room.
class EditedCholesky {
 public:
  /// Of a pivot against its diagonal: what is as small is rounding, and the row a mixture of those before it.
  static constexpr double kDependent = 1e-13;

  [[nodiscard]] Index size() const { return size_; }
  [[nodiscard]] LowerTriangle triangle() const {
    return {columns_.data(), columns_.rows(), reciprocals_.data(), size_};
  }
  void clear() { size_ = 0; }

  /// `row`: the last row of G but for its diagonal; it becomes that of L. False, and all is as it was, where the row is
  /// a mixture of the others.
  [[nodiscard]] bool append(double* row, double diagonal);
  /// The same, where a mixture gets the least diagonal that makes it none.
  void append_definite(double* row, double diagonal);
  /// From the lower triangle of G + shift 1 1', n rows of it. False where one is a mixture of those before it.
  [[nodiscard]] bool make(const Matrix& G, double shift, Index n);

  /// Row and column k go. turn(j, rotation): with L y + g y_k = r, column g that of k, the L that is left has
  /// L⁺ y⁺ = r for (y⁺, .) = (y, y_k) turned place by place.
  template <class Turn>
  void remove(Index k, const Turn& turn);

  /// Number (i, j) of L, and the reciprocal of its last diagonal.
  [[nodiscard]] double operator()(Index i, Index j) const { return columns_(i, j); }
  [[nodiscard]] double last_reciprocal() const { return reciprocals_[static_cast<std::size_t>(size_ - 1)]; }

  /// The lower triangle in a square of zeros, column by column, as a checkpoint has it.
  [[nodiscard]] std::vector<double> square() const;
  void assign(const std::vector<double>& square, Index n);

 private:
  void make_room(Index n);
  [[nodiscard]] double solve_row(double* row) const;
  void push(const double* row, double pivot);
  void move_up(Index k);

  Index size_ = 0;
  Matrix columns_;                   ///< lower: L
  std::vector<double> reciprocals_;  ///< of L's diagonal
  std::vector<double> gone_;         ///< work
};

template <class Turn>
void EditedCholesky::remove(Index k, const Turn& turn) {
  const Index n = size_;
  gone_.assign(columns_.col(k).data() + k + 1, columns_.col(k).data() + n);
  move_up(k);
  // What is below the row that goes takes its rank-one term, by rotations of the columns: [L g] R = [L⁺ 0].
  for (Index j = k; j + 1 < n; ++j) {
    double* column = columns_.col(j).data() + j;
    double* below = gone_.data() + (j - k);
    const double pivot = std::sqrt(column[0] * column[0] + below[0] * below[0]);
    const double reciprocal = 1.0 / pivot;
    const Rotation rotation{column[0] * reciprocal, below[0] * reciprocal};
    column[0] = pivot;
    reciprocals_[static_cast<std::size_t>(j)] = reciprocal;
    rotation.apply(column + 1, below + 1, n - 2 - j);
    turn(j, rotation);
  }
  size_ = n - 1;
}

}  // namespace slidemesh
