#pragma once

#include <vector>

#include "slidemesh/algorithms/local_step.h"
#include "slidemesh/linalg/edited_cholesky.h"

namespace slidemesh {

/// argmin over lower <= x <= upper of  φ(x) = x'Q x/2 + <b, x>,  Q = H + diag(weights) positive definite, by a primal
/// active-set method (R. Fletcher 1971; for bounds P. Gill, W. Murray 1976): φ is minimized over the coordinates that
/// are free, those that come to a bound stay there, and where φ is least over the free ones, those go free that φ falls
/// away from their bound. It ends with the exact answer however the columns are scaled; which coordinates are free, and
/// the Cholesky factor of their part of Q, stay from call to call.
class BoxMinimizer {
 public:
  BoxMinimizer(const Vector& lower, const Vector& upper);

  /// Q is another from now on.
  void forget_factor() { stale_ = true; }
  /// From x, but for coordinates that the last call left at a bound, which stay there at first. Returns the Wolfe gap,
  /// at most `tolerance` or what rounding allows. The last product with H is that of the answer.
  double solve(const Quadratic& model, const Vector& weights, ConstVectorRef b, double tolerance, VectorRef x);

  [[nodiscard]] Index dimension() const { return lower_.size(); }
  [[nodiscard]] const std::vector<Index>& free() const { return free_; }
  /// r = Q_FF^{-1} r over the free coordinates, in the order of `free()`.
  void solve_free(VectorRef r) const;

  void visit_state(StateVisitor& visitor);

 private:
  enum Place : Count { kFree, kLower, kUpper };

  void begin(VectorRef x);
  void refactor(const Quadratic& model, const Vector& weights);
  void append(const Quadratic& model, const Vector& weights, Index j);
  void minimize_over_free(VectorRef x);
  bool release(const Quadratic& model, const Vector& weights, ConstVectorRef b, double least);
  [[nodiscard]] double wolfe_gap(ConstVectorRef x) const;

  Vector lower_;
  Vector upper_;
  bool has_begun_ = false;
  bool stale_ = true;
  std::vector<Count> place_;  ///< of each coordinate
  std::vector<Index> free_;   ///< in the order of the factor's rows
  EditedCholesky factor_;     ///< of Q over free_
  Vector last_;               ///< the last answer,
  Vector Qx_;                 ///< and Q times it
  Vector g_;                  ///< φ'(x)
  Vector move_;
  std::vector<double> row_;
};

/// The local step over a box.
class BoxStep final : public LocalStep {
 public:
  explicit BoxStep(const BoxAndBall& box)
      : minimizer_(box.lower, box.upper), weights_(Vector::Ones(box.lower.size())) {}

  void set_quadratic(const Vector& weights) override {
    weights_ = weights;
    minimizer_.forget_factor();
  }
  InnerResult solve(const Quadratic& model, ConstVectorRef b, double tolerance, VectorRef x) override {
    InnerResult result;
    result.wolfe_gap = minimizer_.solve(model, weights_, b, tolerance, x);
    return result;
  }
  [[nodiscard]] bool multiplies_answer_last() const override { return true; }
  void visit_state(StateVisitor& visitor) override;

 private:
  BoxMinimizer minimizer_;
  Vector weights_;
};

}  // namespace slidemesh
