#pragma once

#include <string_view>
#include <vector>

#include "slidemesh/sets/set_base.h"

namespace slidemesh {

/// { lower <= x <= upper : x_1 + ... + x_d = total }: a simplex cut by a box.
class BoxedSimplex final : public SetBase<BoxedSimplex> {
 public:
  static constexpr std::string_view kName = "boxed-simplex";
  BoxedSimplex(Vector lower, Vector upper, double total);

  /// Fills up the coordinates in the order of rising g, earlier first among equals.
  void linear_minimizer(ConstVectorRef g, VectorRef v) override;
  void project(ConstVectorRef x, VectorRef nearest) override;
  [[nodiscard]] double violation(ConstVectorRef x) const override;
  void start(VectorRef x) const override;

 private:
  Vector lower_;
  Vector upper_;
  double total_;
  std::vector<Index> order_;         // work
  std::vector<double> breakpoints_;  // work
};

/// { lower <= x <= upper : |x|_1 <= radius }.
class BoxedL1Ball final : public SetBase<BoxedL1Ball> {
 public:
  static constexpr std::string_view kName = "boxed-l1-ball";
  BoxedL1Ball(Vector lower, Vector upper, double radius);

  /// From the box's point of least magnitude, spends what is left of the radius in the order of falling |g|.
  void linear_minimizer(ConstVectorRef g, VectorRef v) override;
  void project(ConstVectorRef x, VectorRef nearest) override;
  [[nodiscard]] double violation(ConstVectorRef x) const override;
  void start(VectorRef x) const override { x = least_; }

 private:
  Vector lower_;
  Vector upper_;
  Vector least_;  ///< the box's point nearest to 0
  double radius_;
  double slack_;                     ///< radius - |least|_1
  std::vector<Index> order_;         // work
  std::vector<double> breakpoints_;  // work
};

/// { lower <= x <= upper : |x|_2 <= radius }.
class BoxedL2Ball final : public SetBase<BoxedL2Ball> {
 public:
  static constexpr std::string_view kName = "boxed-l2-ball";
  BoxedL2Ball(Vector lower, Vector upper, double radius);

  /// clamp(-t g) for the largest t that stays within the radius.
  void linear_minimizer(ConstVectorRef g, VectorRef v) override;
  /// clamp(t x) for the largest t <= 1 that stays within the radius.
  void project(ConstVectorRef x, VectorRef nearest) override;
  [[nodiscard]] double violation(ConstVectorRef x) const override;
  void start(VectorRef x) const override { x = least_; }

 private:
  /// v = clamp(t a) for the largest t in (0, most] with |v| <= radius.
  void farthest_along(const Vector& a, double most, VectorRef v);

  Vector lower_;
  Vector upper_;
  Vector least_;
  double radius_;
  Vector direction_;                 // work
  std::vector<double> breakpoints_;  // work
};

}  // namespace slidemesh
