#include "slidemesh/sets/free_row.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace slidemesh {

FreeRowSet::FreeRowSet(std::unique_ptr<FeasibleSet> others, Index columns, double bound)
    : others_(std::move(others)), rows_(others_->dimension() / columns + 1), columns_(columns), bound_(bound) {}

template <class Answer, class OfLastRow>
void FreeRowSet::part_by_part(ConstVectorRef x, VectorRef out, const Answer& answer, const OfLastRow& of_last_row) {
  const auto matrix = as_matrix(x);
  const Matrix upper = matrix.topRows(rows_ - 1);
  const Vector last = matrix.row(rows_ - 1).unaryExpr(of_last_row);
  Vector result(upper.size());
  answer(Eigen::Map<const Vector>(upper.data(), upper.size()), VectorRef(result));
  Eigen::Map<Matrix> to(out.data(), rows_, columns_);
  to.topRows(rows_ - 1) = Eigen::Map<const Matrix>(result.data(), rows_ - 1, columns_);
  to.row(rows_ - 1) = last.transpose();
}

void FreeRowSet::linear_minimizer(ConstVectorRef g, VectorRef v) {
  part_by_part(
      g, v, [this](ConstVectorRef of_others, VectorRef answer) { others_->linear_minimizer(of_others, answer); },
      [this](double slope) { return slope > 0.0 ? -bound_ : bound_; });
}

void FreeRowSet::project(ConstVectorRef x, VectorRef nearest) {
  part_by_part(
      x, nearest, [this](ConstVectorRef of_others, VectorRef answer) { others_->project(of_others, answer); },
      [this](double value) { return std::clamp(value, -bound_, bound_); });
}

double FreeRowSet::violation(ConstVectorRef x) const {
  const auto matrix = as_matrix(x);
  const Matrix upper = matrix.topRows(rows_ - 1);
  const double beyond = matrix.row(rows_ - 1).cwiseAbs().maxCoeff() - bound_;
  return std::max(beyond, others_->violation(Eigen::Map<const Vector>(upper.data(), upper.size())));
}

double FreeRowSet::diameter() const {
  return std::hypot(others_->diameter(), 2.0 * bound_ * std::sqrt(static_cast<double>(columns_)));
}

void FreeRowSet::start(VectorRef x) const {
  Vector upper((rows_ - 1) * columns_);
  others_->start(upper);
  Eigen::Map<Matrix> to(x.data(), rows_, columns_);
  to.topRows(rows_ - 1) = Eigen::Map<const Matrix>(upper.data(), rows_ - 1, columns_);
  to.row(rows_ - 1).setZero();
}

}  // namespace slidemesh
