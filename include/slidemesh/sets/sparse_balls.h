#pragma once

#include <string_view>
#include <vector>

#include "slidemesh/sets/norm_balls.h"
#include "slidemesh/sets/set_base.h"

namespace slidemesh {

/// { x : w_1 |x_{G_1}|_2 + ... + w_s |x_{G_s}|_2 <= radius } for groups that cover the coordinates, each once.
class GroupLassoBall final : public SetBase<GroupLassoBall> {
 public:
  static constexpr std::string_view kName = "group-lasso-ball";
  GroupLassoBall(Index dimension, std::vector<std::vector<Index>> groups, Vector weights, double radius);

  /// All on the first group of largest |g_G| / w_G.
  void linear_minimizer(ConstVectorRef g, VectorRef v) override;
  void project(ConstVectorRef x, VectorRef nearest) override;
  [[nodiscard]] double violation(ConstVectorRef x) const override;

 private:
  [[nodiscard]] double group_norm(ConstVectorRef x, std::size_t group, double unit) const;

  std::vector<std::vector<Index>> groups_;
  Vector weights_;
  double radius_;
  WeightedL1Ball norms_ball_;  ///< where the vector of group norms must lie
  Vector norms_;               // work
  Vector shrunk_;              // work
};

/// The hull of the points with at most k coordinates other than 0, each ±radius:
/// { x : |x|_inf <= radius, |x|_1 <= k radius }.
class KSparsePolytope final : public SetBase<KSparsePolytope> {
 public:
  static constexpr std::string_view kName = "k-sparse";
  KSparsePolytope(Index dimension, Index k, double radius);

  /// -radius sign(g_j) on the k coordinates of largest |g_j|, earlier ones first.
  void linear_minimizer(ConstVectorRef g, VectorRef v) override;
  [[nodiscard]] bool has_sparse_vertices() const override { return 2 * k_ <= dimension(); }
  void sparse_minimizer(const SparseView& g, SparseVector& v) override;
  void project(ConstVectorRef x, VectorRef nearest) override;
  [[nodiscard]] double violation(ConstVectorRef x) const override;

 private:
  Index k_;
  double radius_;
  std::vector<Index> order_;         // work
  std::vector<double> breakpoints_;  // work
};

/// The ball of the ordered weighted l1 norm (SLOPE): { x : w_1 |x|_(1) + ... + w_d |x|_(d) <= radius }, where
/// |x|_(1) >= |x|_(2) >= ... are the sorted magnitudes and w_1 >= w_2 >= ... >= w_d >= 0, w_1 > 0.
class OwlBall final : public SetBase<OwlBall> {
 public:
  static constexpr std::string_view kName = "owl-ball";
  OwlBall(Vector weights, double radius);

  /// With W_k = w_1 + ... + w_k: -(radius / W_k) sign(g_j) on the k largest |g_j|, for the k of largest
  /// (|g|_(1) + ... + |g|_(k)) / W_k.
  void linear_minimizer(ConstVectorRef g, VectorRef v) override;
  void project(ConstVectorRef x, VectorRef nearest) override;
  [[nodiscard]] double violation(ConstVectorRef x) const override;

 private:
  double prox_norm(double multiplier);

  Vector weights_;
  Vector cumulative_;
  double radius_;
  std::vector<Index> order_;  // work, as are those below
  Vector sorted_;
  Vector prox_;
  std::vector<double> block_sums_;
  std::vector<Index> block_sizes_;
};

}  // namespace slidemesh
