#pragma once

#include <memory>
#include <string_view>

#include "slidemesh/core/feasible_set.h"

namespace slidemesh {

/// What is known of a set once it is made.
struct SetFacts {
  double diameter = 0.0;  ///< an upper bound on |x - y|
  ProjectionKind projection = ProjectionKind::kNone;
  bool is_curved = false;
  Index matrix_rows = 0;  ///< 0: a set of vectors
};

/// What every set of this module would otherwise repeat: its name, its copy, and what does not depend on a question.
/// `Derived` declares `static constexpr std::string_view kName`.
template <class Derived>
class SetBase : public FeasibleSet {
 public:
  [[nodiscard]] std::unique_ptr<FeasibleSet> clone() const final {
    return std::make_unique<Derived>(static_cast<const Derived&>(*this));
  }
  [[nodiscard]] std::string_view name() const final { return Derived::kName; }
  [[nodiscard]] Index dimension() const final { return dimension_; }
  [[nodiscard]] ProjectionKind projection_kind() const final { return facts_.projection; }
  [[nodiscard]] bool is_curved() const final { return facts_.is_curved; }
  [[nodiscard]] double diameter() const final { return facts_.diameter; }
  [[nodiscard]] Index matrix_rows() const final { return facts_.matrix_rows > 0 ? facts_.matrix_rows : dimension_; }
  /// The origin. A set that does not have it overrides this.
  void start(VectorRef x) const override { x.setZero(); }

 protected:
  SetBase(Index dimension, const SetFacts& facts) : dimension_(dimension), facts_(facts) {}

  /// For a constructor that knows it at its end only.
  void set_diameter(double diameter) { facts_.diameter = diameter; }

 private:
  Index dimension_;
  SetFacts facts_;
};

/// The same for a set whose vertices have one entry: it says which, by single_entry_minimizer.
template <class Derived>
class SingleEntrySetBase : public SetBase<Derived> {
 public:
  void linear_minimizer(ConstVectorRef g, VectorRef v) final {
    const SingleEntry vertex = static_cast<Derived&>(*this).single_entry_minimizer(g.data());
    for (Index i = 0; i < v.size(); ++i) {  // not zeros and then one number: who reads four at once would wait for that
      v[i] = i == vertex.at ? vertex.value : 0.0;
    }
  }
  [[nodiscard]] bool has_single_entry_vertices() const final { return true; }

 protected:
  using SetBase<Derived>::SetBase;
};

namespace detail {
/// The nearest point to x of a polytope that is known through its linear oracle: P. Wolfe, "Finding the nearest point
/// in a polytope" (1976). Finite and exact up to rounding, at the price of a dense system over the vertices in play:
/// for measuring and for small sets.
void nearest_point_by_oracle(FeasibleSet& set, ConstVectorRef x, VectorRef nearest);
/// Its distance.
[[nodiscard]] double distance_by_oracle(const FeasibleSet& set, ConstVectorRef x);
}  // namespace detail

/// A polytope that projects by its linear oracle.
template <class Derived>
class OraclePolytope : public SetBase<Derived> {
 public:
  void project(ConstVectorRef x, VectorRef nearest) final { detail::nearest_point_by_oracle(*this, x, nearest); }

 protected:
  explicit OraclePolytope(Index dimension, double diameter = 0.0, Index matrix_rows = 0)
      : SetBase<Derived>(dimension, {diameter, ProjectionKind::kExpensive, false, matrix_rows}) {}
};

}  // namespace slidemesh
