#pragma once

#include <string_view>
#include <vector>

#include "slidemesh/linalg/work_vector.h"
#include "slidemesh/sets/set_base.h"

namespace slidemesh {

/// { x >= 0 : x_1 + ... + x_d = total }. With total = 1 the probability simplex; vertices total e_j.
class Simplex final : public SingleEntrySetBase<Simplex> {
 public:
  static constexpr std::string_view kName = "simplex";
  explicit Simplex(Index dimension, double total = 1.0);

  /// total e_j for the first j of smallest g_j.
  [[nodiscard]] SingleEntry single_entry_minimizer(const double* g) override;
  [[nodiscard]] bool has_sparse_vertices() const override { return true; }
  void sparse_minimizer(const SparseView& g, SparseVector& v) override;
  void project(ConstVectorRef x, VectorRef nearest) override;
  [[nodiscard]] double violation(ConstVectorRef x) const override;
  /// The centre, total / d everywhere.
  void start(VectorRef x) const override;

 private:
  double total_;
  WorkVector work_;
};

/// { x >= 0 : x_1 + ... + x_d <= total }. Vertices total e_j and 0.
class CappedSimplex final : public SingleEntrySetBase<CappedSimplex> {
 public:
  static constexpr std::string_view kName = "capped-simplex";
  explicit CappedSimplex(Index dimension, double total = 1.0);

  /// total e_j for the first j of smallest g_j if that is negative, else 0.
  [[nodiscard]] SingleEntry single_entry_minimizer(const double* g) override;
  [[nodiscard]] bool has_sparse_vertices() const override { return true; }
  void sparse_minimizer(const SparseView& g, SparseVector& v) override;
  void project(ConstVectorRef x, VectorRef nearest) override;
  [[nodiscard]] double violation(ConstVectorRef x) const override;

 private:
  double total_;
  WorkVector work_;
};

/// { 0 <= x <= 1 : x_1 + ... + x_d = k }: the hull of the 0/1 vectors with k ones, the bases of a uniform matroid.
class Hypersimplex final : public SetBase<Hypersimplex> {
 public:
  static constexpr std::string_view kName = "hypersimplex";
  Hypersimplex(Index dimension, Index k);

  /// Ones on the k smallest g_j, earlier ones first.
  void linear_minimizer(ConstVectorRef g, VectorRef v) override;
  [[nodiscard]] bool has_sparse_vertices() const override { return 2 * k_ <= dimension(); }
  void sparse_minimizer(const SparseView& g, SparseVector& v) override;
  void project(ConstVectorRef x, VectorRef nearest) override;
  [[nodiscard]] double violation(ConstVectorRef x) const override;
  /// The centre, k / d everywhere.
  void start(VectorRef x) const override;

 private:
  Index k_;
  std::vector<Index> order_;         // work
  std::vector<double> breakpoints_;  // work
};

/// The hull of all permutations of given values.
class Permutahedron final : public SetBase<Permutahedron> {
 public:
  static constexpr std::string_view kName = "permutahedron";
  explicit Permutahedron(Vector values);

  /// The largest value where g is smallest, and so on; earlier coordinates get the larger among equals.
  void linear_minimizer(ConstVectorRef g, VectorRef v) override;
  void project(ConstVectorRef x, VectorRef nearest) override;
  /// The largest excess of a sum of k coordinates over that of the k largest values, or the error in the sum of all.
  [[nodiscard]] double violation(ConstVectorRef x) const override;
  /// The centre, the mean everywhere.
  void start(VectorRef x) const override;

 private:
  Vector values_;  ///< falling
  double mean_;
  std::vector<Index> order_;  // work, as are those below
  Vector regression_;
  std::vector<double> block_sums_;
  std::vector<Index> block_sizes_;
};

}  // namespace slidemesh
