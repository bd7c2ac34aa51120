#pragma once

#include <string_view>

#include "slidemesh/linalg/decompositions.h"
#include "slidemesh/sets/set_base.h"

namespace slidemesh::testing {

/// The nuclear-norm ball with an oracle that is exact and slow: the top pair of G G' by a full decomposition.
class ExactNuclearBall final : public SetBase<ExactNuclearBall> {
 public:
  static constexpr std::string_view kName = "exact-nuclear-ball";
  ExactNuclearBall(Index rows, Index columns, double radius)
      : SetBase(rows * columns, {.diameter = 2.0 * radius, .matrix_rows = rows}),
        rows_(rows),
        columns_(columns),
        radius_(radius) {}

  void linear_minimizer(ConstVectorRef g, VectorRef v) override {
    const Eigen::Map<const Matrix> gradient(g.data(), rows_, columns_);
    const Vector left = symmetric_eigen(gradient * gradient.transpose()).vectors.col(rows_ - 1);
    const Vector right = (gradient.transpose() * left).normalized();
    Eigen::Map<Matrix>(v.data(), rows_, columns_) = -radius_ * left * right.transpose();
  }
  [[nodiscard]] double violation(ConstVectorRef /*x*/) const override { return 0.0; }

 private:
  Index rows_;
  Index columns_;
  double radius_;
};

}  // namespace slidemesh::testing
