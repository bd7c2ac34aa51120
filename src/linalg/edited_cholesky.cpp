#include "slidemesh/linalg/edited_cholesky.h"

#include <algorithm>

#include "slidemesh/linalg/kernels.h"
#include "slidemesh/linalg/wide_kernels.h"

namespace slidemesh {

namespace {

constexpr Index kFirstRoom = 16;
constexpr Index kApart = 8;  ///< rows that nobody uses: else all numbers of a row are in one place of the cache

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

void EditedCholesky::make_room(Index n) {
  const Index room = columns_.cols();
  if (n > room) {
    const Index more = std::max({kFirstRoom, 2 * room, n});
    columns_.conservativeResize(more + kApart, more);
    reciprocals_.resize(at(more));
  }
}

/// Row k of L, z, solves L z = G_k; of the diagonal |z|^2 is taken off.
double EditedCholesky::solve_row(double* row) const {
  solve_lower(triangle(), row);
  return squared_norm(row, size_);
}

void EditedCholesky::push(const double* row, double pivot) {
  make_room(size_ + 1);
  for (Index l = 0; l < size_; ++l) {
    columns_(size_, l) = row[l];
  }
  columns_(size_, size_) = std::sqrt(pivot);
  reciprocals_[at(size_)] = 1.0 / columns_(size_, size_);
  ++size_;
}

bool EditedCholesky::append(double* row, double diagonal) {
  const double rest = diagonal - solve_row(row);
  if (!(rest > kDependent * diagonal)) {
    return false;
  }
  push(row, rest);
  return true;
}

void EditedCholesky::append_definite(double* row, double diagonal) {
  push(row, std::max(diagonal - solve_row(row), kDependent * diagonal));
}

/// Column by column.
bool EditedCholesky::make(const Matrix& G, double shift, Index n) {
  make_room(n);
  size_ = n;
  for (Index j = 0; j < n; ++j) {
    double* column = columns_.col(j).data() + j;
    for (Index i = 0; i < n - j; ++i) {
      column[i] = G(j + i, j) + shift;
    }
    const double whole = column[0];
    gone_.resize(at(j));
    for (Index l = 0; l < j; ++l) {
      gone_[at(l)] = -columns_(j, l);
    }
    wide::add_rows([&](Index l, Index first, Index) { return columns_.col(l).data() + j + first; }, gone_.data(), 1, j,
                   column, n - j);
    if (!(column[0] > kDependent * whole)) {
      return false;
    }
    column[0] = std::sqrt(column[0]);
    reciprocals_[at(j)] = 1.0 / column[0];
    for (Index i = 1; i < n - j; ++i) {
      column[i] *= reciprocals_[at(j)];
    }
  }
  return true;
}

/// Row and column k leave the lower triangle.
void EditedCholesky::move_up(Index k) {
  for (Index j = 0; j + 1 < size_; ++j) {
    const double* from = columns_.col(j < k ? j : j + 1).data();
    const Index first = std::max(j, k);
    std::copy(from + first + 1, from + size_, columns_.col(j).data() + first);
  }
}

std::vector<double> EditedCholesky::square() const {
  const Matrix triangle = columns_.topLeftCorner(size_, size_).triangularView<Eigen::Lower>();
  return {triangle.data(), triangle.data() + triangle.size()};
}

void EditedCholesky::assign(const std::vector<double>& square, Index n) {
  make_room(n);
  size_ = n;
  columns_.topLeftCorner(n, n) = Eigen::Map<const Matrix>(square.data(), n, n);
  for (Index i = 0; i < n; ++i) {
    reciprocals_[at(i)] = 1.0 / columns_(i, i);
  }
}

}  // namespace slidemesh
