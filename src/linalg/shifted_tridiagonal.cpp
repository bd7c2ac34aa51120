#include "slidemesh/linalg/shifted_tridiagonal.h"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "slidemesh/linalg/kernels.h"
#include "slidemesh/linalg/triangular.h"

namespace slidemesh {

void ShiftedTridiagonal::decompose(const Matrix& Q) {
  const Index n = Q.rows();
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, [&](Index a, Index b) { return Q(a, a) > Q(b, b); });
  if (n == 1) {  // which Eigen has no tridiagonal form for
    E_ = Matrix::Ones(1, 1);
    diagonal_ = Q.diagonal();
    beside_.resize(0);
  } else {
    const Eigen::Tridiagonalization<Matrix> reduced(Matrix(Q(order, order)));
    diagonal_ = reduced.diagonal();
    beside_ = reduced.subDiagonal();
    const Matrix E = reduced.matrixQ();
    E_.resize(n, n);
    E_(order, Eigen::indexing::all) = E;
  }
  least_ = std::numeric_limits<double>::epsilon() * Q.diagonal().minCoeff();
  pivots_.resize(n);
  lower_.resize(n - 1);
  shift(0.0);
}

void ShiftedTridiagonal::rotate(ConstVectorRef v, VectorRef out) const {
  for (Index k = 0; k < size(); ++k) {
    out(k) = dot(E_.col(k), v);
  }
}

void ShiftedTridiagonal::rotate_back(ConstVectorRef v, VectorRef out) const {
  out.setZero();
  add_columns(E_.data(), E_.rows(), v, out.data(), size());
}

void ShiftedTridiagonal::multiply(ConstVectorRef v, VectorRef out) const {
  for (Index k = 0; k < size(); ++k) {
    out(k) = diagonal_(k) * v(k) + (k > 0 ? beside_(k - 1) * v(k - 1) : 0.0) +
             (k + 1 < size() ? beside_(k) * v(k + 1) : 0.0);
  }
}

void ShiftedTridiagonal::shift(double shift) {
  constexpr double kRounding = std::numeric_limits<double>::epsilon();
  for (Index k = 0; k < size(); ++k) {
    const double whole = diagonal_(k) + shift;
    pivots_(k) = whole - (k > 0 ? lower_(k - 1) * beside_(k - 1) : 0.0);
    pivots_(k) = std::max({pivots_(k), kRounding * whole, least_});  // what is less is rounding
    if (k + 1 < size()) {
      lower_(k) = beside_(k) / pivots_(k);
    }
  }
}

void ShiftedTridiagonal::solve(VectorRef r) const {
  for (Index k = 1; k < size(); ++k) {
    r(k) -= lower_(k - 1) * r(k - 1);
  }
  for (Index k = size() - 1; k >= 0; --k) {
    r(k) /= pivots_(k);
    if (k + 1 < size()) {
      r(k) -= lower_(k) * r(k + 1);
    }
  }
}

}  // namespace slidemesh
