#pragma once

#include <vector>

#include "slidemesh/algorithms/box_step.h"
#include "slidemesh/algorithms/local_step.h"
#include "slidemesh/algorithms/projected_step.h"
#include "slidemesh/linalg/shifted_tridiagonal.h"

namespace slidemesh {

/// A symmetric matrix as a quadratic function.
class DenseQuadratic final : public Quadratic {
 public:
  void multiply(ConstVectorRef v, VectorRef out) const override;
  void add_elements(double s, std::span<const Index> rows, Index j, double* out) const override;
  [[nodiscard]] double diagonal(Index j) const override { return matrix(j, j); }

  Matrix matrix;
};

/// The local step over a Euclidean ball, with coordinates beside it that have bounds of their own (a free intercept):
/// the trust-region problem (J. Moré, D. Sorensen 1983). Q is made tridiagonal once; a step is then the root of a
/// scalar equation and two changes of coordinates, exact however the columns are scaled. Until projected gradient steps
/// have cost about as much as that, those are taken: where Q is well conditioned nothing else is needed.
class BallStep final : public LocalStep {
 public:
  BallStep(const FeasibleSet& set, const BoxAndBall& shape);

  /// The factorization is another matrix as large as a model's, and O(n^3) whenever Q changes.
  [[nodiscard]] static bool has_room_for(const BoxAndBall& shape);

  void set_quadratic(const Vector& weights) override;
  InnerResult solve(const Quadratic& model, ConstVectorRef b, double tolerance, VectorRef x) override;
  [[nodiscard]] bool multiplies_answer_last() const override { return has_factor_; }
  void visit_state(StateVisitor& visitor) override;

 private:
  void factorize(const Quadratic& model);
  double solve_exactly(const Quadratic& model, ConstVectorRef b, double tolerance, VectorRef x);
  void load_rest(ConstVectorRef g);
  void minimize();
  double evaluate(double multiplier);
  [[nodiscard]] double fall();
  void load_point(VectorRef x);
  [[nodiscard]] double wolfe_gap(ConstVectorRef x) const;

  ProjectedStep projected_;
  BoxAndBall shape_;
  std::vector<Index> beside_;  ///< the coordinates outside of the ball
  Vector weights_;
  Count spent_ = 0;           ///< projected steps with this Q
  bool has_factor_ = false;   ///< whether it was made for this Q
  bool is_made_ = false;      ///< and is in memory
  ShiftedTridiagonal inner_;  ///< Q over the ball, E T E'
  Matrix across_;             ///< E' Q_BZ: from the coordinates beside it
  Matrix solved_across_;      ///< (T + λ)^{-1} of that
  Matrix outer_;              ///< Q_ZZ
  DenseQuadratic reduced_;    ///< Q_ZZ - W'(T + λ)^{-1}W, W = across_
  BoxMinimizer outer_box_;
  Vector no_weights_;
  double multiplier_ = 0.0;     ///< λ, of the last answer
  Vector at_centre_;            ///< Q times the ball's centre
  Vector g_;                    ///< φ'(x)
  Vector slope_, outer_slope_;  ///< of the quadratic at the centre, in the factor's coordinates, and beside the ball
  Vector solved_slope_;
  Vector y_, z_;  ///< from the centre, in the factor's coordinates; beside the ball
  Vector work_, outer_work_, outer_solved_, gathered_;
};

}  // namespace slidemesh
