#pragma once

#include <string_view>

#include "slidemesh/sets/set_base.h"

namespace slidemesh {

/// { x : |x|_p <= radius } for 1 < p < infinity.
class LpBall final : public SetBase<LpBall> {
 public:
  static constexpr std::string_view kName = "lp-ball";
  LpBall(Index dimension, double p, double radius);

  /// v_j = -radius sign(g_j) t_j / |t|_p with t_j = |g_j|^(1/(p-1)), the case of equality in Hölder's inequality.
  void linear_minimizer(ConstVectorRef g, VectorRef v) override;
  /// A scalar root, and for each trial a scalar root per coordinate: expensive.
  void project(ConstVectorRef x, VectorRef nearest) override;
  [[nodiscard]] double violation(ConstVectorRef x) const override;

 private:
  [[nodiscard]] double p_norm(ConstVectorRef x) const;
  void normalize(VectorRef x) const;
  [[nodiscard]] double shrink(double a, double multiplier) const;

  double p_;
  double radius_;
  Vector magnitudes_;
};

/// { c + y : y' Q^-1 y <= 1 } for a symmetric positive definite Q = U diag(a^2) U'; the a are its semi-axes.
class Ellipsoid final : public SetBase<Ellipsoid> {
 public:
  static constexpr std::string_view kName = "ellipsoid";
  /// Axes along the coordinates.
  Ellipsoid(Vector center, Vector semi_axes);
  /// Any symmetric positive definite Q.
  [[nodiscard]] static Ellipsoid with_shape(Vector center, const Matrix& shape);

  /// c - Q g / sqrt(g' Q g).
  void linear_minimizer(ConstVectorRef g, VectorRef v) override;
  /// A scalar root of the secular equation.
  void project(ConstVectorRef x, VectorRef nearest) override;
  [[nodiscard]] double violation(ConstVectorRef x) const override;
  void start(VectorRef x) const override { x = center_; }

 private:
  void to_axes(ConstVectorRef x, Vector& z) const;
  void from_axes(const Vector& z, VectorRef x) const;

  Vector center_;
  Vector axes_;
  Matrix directions_;  ///< U; empty where the axes are the coordinates
  Vector z_;           // work
};

}  // namespace slidemesh
