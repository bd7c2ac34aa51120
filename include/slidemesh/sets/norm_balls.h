#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "slidemesh/linalg/work_vector.h"
#include "slidemesh/sets/set_base.h"

namespace slidemesh {

/// { x : |x_1| + ... + |x_d| <= radius }. Its vertices are ±radius e_j.
class L1Ball final : public SingleEntrySetBase<L1Ball> {
 public:
  static constexpr std::string_view kName = "l1-ball";
  L1Ball(Index dimension, double radius);

  /// The first j of largest |g_j|: -radius e_j if g_j > 0, else +radius e_j.
  [[nodiscard]] SingleEntry single_entry_minimizer(const double* g) override;
  [[nodiscard]] bool has_sparse_vertices() const override { return true; }
  void sparse_minimizer(const SparseView& g, SparseVector& v) override;
  void project(ConstVectorRef x, VectorRef nearest) override { project(x, nullptr, nearest); }
  /// Two points that are near each other mostly have their zeros in the same places.
  void project_from(ConstVectorRef x, VectorRef nearest) override { project(x, nearest.data(), nearest); }
  [[nodiscard]] double violation(ConstVectorRef x) const override;

  [[nodiscard]] double radius() const { return radius_; }

 private:
  /// `near`: a point whose places that are not zero may be the answer's; or null.
  void project(ConstVectorRef x, const double* near, VectorRef nearest);

  double radius_;
  WorkVector work_;
};

/// { x : w_1 |x_1| + ... + w_d |x_d| <= radius } for weights w > 0. Its vertices are ±(radius / w_j) e_j.
class WeightedL1Ball final : public SingleEntrySetBase<WeightedL1Ball> {
 public:
  static constexpr std::string_view kName = "weighted-l1-ball";
  WeightedL1Ball(Vector weights, double radius);

  [[nodiscard]] SingleEntry single_entry_minimizer(const double* g) override;
  [[nodiscard]] bool has_sparse_vertices() const override { return true; }
  void sparse_minimizer(const SparseView& g, SparseVector& v) override;
  void project(ConstVectorRef x, VectorRef nearest) override;
  [[nodiscard]] double violation(ConstVectorRef x) const override;

 private:
  [[nodiscard]] double weighted_norm(ConstVectorRef x) const;

  Vector weights_;
  double radius_;
  Vector breakpoints_;             // work
  std::vector<Index> candidates_;  // work
};

/// { x : |x|_2 <= radius }.
class L2Ball final : public SetBase<L2Ball> {
 public:
  static constexpr std::string_view kName = "l2-ball";
  L2Ball(Index dimension, double radius);

  /// -radius g / |g|, computed without overflow; radius e_1 for g = 0.
  void linear_minimizer(ConstVectorRef g, VectorRef v) override;
  void project(ConstVectorRef x, VectorRef nearest) override;
  [[nodiscard]] double violation(ConstVectorRef x) const override;
  [[nodiscard]] std::optional<BoxAndBall> box_and_ball() const override;

 private:
  double radius_;
};

/// { x : |x_j| <= radius for every j }.
class LinfBall final : public SetBase<LinfBall> {
 public:
  static constexpr std::string_view kName = "linf-ball";
  LinfBall(Index dimension, double radius);

  /// v_j = -radius if g_j > 0, else +radius.
  void linear_minimizer(ConstVectorRef g, VectorRef v) override;
  void project(ConstVectorRef x, VectorRef nearest) override;
  [[nodiscard]] double violation(ConstVectorRef x) const override;
  [[nodiscard]] std::optional<BoxAndBall> box_and_ball() const override;

 private:
  double radius_;
};

/// { x : lower <= x <= upper }, coordinate by coordinate.
class Box final : public SetBase<Box> {
 public:
  static constexpr std::string_view kName = "box";
  Box(Vector lower, Vector upper);

  /// v_j = lower_j if g_j > 0, else upper_j.
  void linear_minimizer(ConstVectorRef g, VectorRef v) override;
  void project(ConstVectorRef x, VectorRef nearest) override;
  [[nodiscard]] double violation(ConstVectorRef x) const override;
  [[nodiscard]] std::optional<BoxAndBall> box_and_ball() const override;
  /// The point nearest to 0.
  void start(VectorRef x) const override;

 private:
  Vector lower_;
  Vector upper_;
};

}  // namespace slidemesh
