#pragma once

#include <span>

#include "slidemesh/algorithms/quadratic.h"
#include "slidemesh/core/state.h"
#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// What a slide measures steps by: C = diag(d) + u u', one such block per output. Of rows a_j with curvatures l''_j it
/// is the matrix sum_j l''_j a_j a_j' as if columns varied independently around their means: u is the mean row and d
/// the columns' variances, so that neither the unit of a column nor a mean far larger than its spread matters.
class Metric {
 public:
  /// The identity.
  explicit Metric(Index dimension);

  /// From sums over the nodes' models: `curvature`, their H_jj; `tilt`, sum_j l''_j a_j; and, one for each output,
  /// `weight`, sum_j l''_j, and `squared_weight`, sum_j l''_j^2. The larger the second is, the fewer rows the variances
  /// are of: they are taken to be at least H_jj over that number. Coordinates without curvature get the smallest of the
  /// others'.
  Metric(const Vector& curvature, const Vector& tilt, const Vector& weight, const Vector& squared_weight);

  /// No variance below these.
  void keep_above(const Vector& variances);

  /// out = C v. The two may not be one.
  void multiply(ConstVectorRef v, VectorRef out) const;
  /// out += strength u u' v: C without its diagonal.
  void add_tilt(double strength, ConstVectorRef v, VectorRef out) const;
  /// out_l += strength (u u')_{rows_l, j}.
  void add_tilt(double strength, std::span<const Index> rows, Index j, double* out) const;

  /// v'C v.
  [[nodiscard]] double squared(const double* v) const;
  /// The same of a - b.
  [[nodiscard]] double squared_distance(const double* a, const double* b) const;
  /// a'C^{-1} b.
  [[nodiscard]] double inverse_product(const double* a, const double* b) const;
  /// The same of a - a0 and b - b0.
  [[nodiscard]] double inverse_product(const double* a, const double* a0, const double* b, const double* b0) const;

  [[nodiscard]] const Vector& diagonal() const { return diagonal_; }  ///< d
  [[nodiscard]] const Vector& tilt() const { return tilt_; }          ///< u

  void visit_state(StateVisitor& visitor);

 private:
  template <class A, class B>
  [[nodiscard]] double inverse_product_of(A a, B b) const;
  void prepare_inverse();

  Vector diagonal_;
  Vector tilt_;
  Vector inverse_;       ///< 1/d
  Vector inverse_tilt_;  ///< u/d
  Vector tilted_;        ///< 1 + u'(u/d), for each output
  Index block_;          ///< coordinates per output
};

/// A model's H + strength u u'. Of the last product that was taken it leaves the model's part in `kept`.
class TiltedQuadratic final : public Quadratic {
 public:
  TiltedQuadratic(const Quadratic& model, const Metric& metric, double strength, double* kept)
      : model_(model), metric_(metric), strength_(strength), kept_(kept) {}
  void multiply(ConstVectorRef v, VectorRef out) const override;
  void add_elements(double s, std::span<const Index> rows, Index j, double* out) const override;
  [[nodiscard]] double diagonal(Index j) const override;

 private:
  const Quadratic& model_;
  const Metric& metric_;
  double strength_;
  double* kept_;
};

}  // namespace slidemesh
