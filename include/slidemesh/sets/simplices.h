#pragma once

#include <string_view>
#include <vector>

#include "slidemesh/sets/set_base.h"

namespace slidemesh {

/// { x >= 0 : x_1 + ... + x_d = total }. With total = 1 the probability simplex; vertices total e_j.
class Simplex final : public SetBase<Simplex> {
 public:
  static constexpr std::string_view kName = "simplex";
  explicit Simplex(Index dimension, double total = 1.0);

  /// total e_j for the first j of smallest g_j.
  void linear_minimizer(ConstVectorRef g, VectorRef v) override;
  [[nodiscard]] ProjectionKind projection_kind() const override { return ProjectionKind::kClosedForm; }
  void project(ConstVectorRef x, VectorRef nearest) override;
  [[nodiscard]] double violation(ConstVectorRef x) const override;
  [[nodiscard]] double diameter() const override;
  /// The centre, total / d everywhere.
  void start(VectorRef x) const override;

 private:
  double total_;
  Vector work_;
};

/// { x >= 0 : x_1 + ... + x_d <= total }. Vertices total e_j and 0.
class CappedSimplex final : public SetBase<CappedSimplex> {
 public:
  static constexpr std::string_view kName = "capped-simplex";
  explicit CappedSimplex(Index dimension, double total = 1.0);

  /// total e_j for the first j of smallest g_j if that is negative, else 0.
  void linear_minimizer(ConstVectorRef g, VectorRef v) override;
  [[nodiscard]] ProjectionKind projection_kind() const override { return ProjectionKind::kClosedForm; }
  void project(ConstVectorRef x, VectorRef nearest) override;
  [[nodiscard]] double violation(ConstVectorRef x) const override;
  [[nodiscard]] double diameter() const override;
  void start(VectorRef x) const override { x.setZero(); }

 private:
  double total_;
  Vector work_;
};

}  // namespace slidemesh
