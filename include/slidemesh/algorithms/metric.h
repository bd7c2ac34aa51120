#pragma once

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
  void keep_above(const Vector& variances) { diagonal_ = diagonal_.cwiseMax(variances); }

  /// out = C v. The two may not be one.
  void multiply(ConstVectorRef v, VectorRef out) const;
  /// out += strength u u' v: C without its diagonal.
  void add_tilt(double strength, ConstVectorRef v, VectorRef out) const;

  /// v'C v, with v_j = at(j).
  template <class At>
  [[nodiscard]] double squared(At at) const {
    double sum = 0.0;
    for (Index first = 0; first < diagonal_.size(); first += block_) {
      double along = 0.0;
      for (Index j = first; j < first + block_; ++j) {
        const double v = at(j);
        sum += diagonal_(j) * v * v;
        along += tilt_(j) * v;
      }
      sum += along * along;
    }
    return sum;
  }

  /// a'C^{-1} b, with a_j = at_a(j), b_j = at_b(j).
  template <class AtA, class AtB>
  [[nodiscard]] double inverse_product(AtA at_a, AtB at_b) const {
    double sum = 0.0;
    for (Index first = 0; first < diagonal_.size(); first += block_) {
      double along_a = 0.0;
      double along_b = 0.0;
      double tilted = 1.0;
      for (Index j = first; j < first + block_; ++j) {
        const double a = at_a(j);
        const double b = at_b(j);
        const double u = tilt_(j) / diagonal_(j);
        sum += a * b / diagonal_(j);
        along_a += u * a;
        along_b += u * b;
        tilted += u * tilt_(j);
      }
      sum -= along_a * along_b / tilted;
    }
    return sum;
  }

  [[nodiscard]] const Vector& diagonal() const { return diagonal_; }  ///< d
  [[nodiscard]] const Vector& tilt() const { return tilt_; }          ///< u

  void visit_state(StateVisitor& visitor);

 private:
  Vector diagonal_;
  Vector tilt_;
  Index block_;  ///< coordinates per output
};

/// A model's H + strength u u'.
class TiltedQuadratic final : public Quadratic {
 public:
  TiltedQuadratic(const Quadratic& model, const Metric& metric, double strength)
      : model_(model), metric_(metric), strength_(strength) {}
  void multiply(ConstVectorRef v, VectorRef out) const override;
  [[nodiscard]] double diagonal(Index j) const override;

 private:
  const Quadratic& model_;
  const Metric& metric_;
  double strength_;
};

}  // namespace slidemesh
