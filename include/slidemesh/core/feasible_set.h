#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "slidemesh/core/state.h"
#include "slidemesh/linalg/leading_vector.h"
#include "slidemesh/linalg/sparse_columns.h"
#include "slidemesh/linalg/sparse_vector.h"
#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// How a set's projection is had, so that `inner = "auto"` can choose.
enum class ProjectionKind {
  kNone,        ///< not known
  kClosedForm,  ///< exact and about as cheap as the linear oracle
  kExpensive,   ///< exact or iterative, but far more expensive than the linear oracle
};

/// A vector of zeros but for one number.
struct SingleEntry {
  Index at = 0;
  double value = 0.0;
};

/// { x : |x_B - centre|_2 <= radius, lower_j <= x_j <= upper_j for all other j }, B some of the coordinates.
struct BoxAndBall {
  [[nodiscard]] static BoxAndBall box(const Vector& lower, const Vector& upper) { return {{}, {}, 0.0, lower, upper}; }

  std::vector<Index> in_ball;  ///< B, ascending; without any the set is a box
  Vector centre;               ///< of as many numbers
  double radius = 0.0;
  Vector lower;  ///< of all coordinates; those of B mean nothing
  Vector upper;
};

/// A closed convex bounded set X in R^d, known through its linear oracle
///
///     linear_minimizer(g) = argmin over v in X of <g, v>,
///
/// and, for some sets, a projection. A set may keep working memory and warm starts, so one object
/// serves one node; `clone()` makes another. What it answers may depend on its own past calls and on
/// nothing else: that is what keeps runs the same on every network.
///
/// To write your own, override the pure functions; see examples/custom_set.cpp.
class FeasibleSet {
 public:
  virtual ~FeasibleSet() = default;

  [[nodiscard]] virtual std::unique_ptr<FeasibleSet> clone() const = 0;
  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual Index dimension() const = 0;

  /// An extreme point v that minimizes <g, v>; ties are broken the same way every time. g = 0 gives
  /// any extreme point.
  virtual void linear_minimizer(ConstVectorRef g, VectorRef v) = 0;

  /// Whether vertices have at most one number that is not zero, for methods that need not look at the others then.
  [[nodiscard]] virtual bool has_single_entry_vertices() const { return false; }
  /// What `linear_minimizer` answers to the dimension() numbers g. Called only where has_single_entry_vertices().
  [[nodiscard]] virtual SingleEntry single_entry_minimizer(const double* g);

  /// Whether vertices are matrices of rank one that `rank_one_minimizer` finds, for methods that keep them so.
  [[nodiscard]] virtual bool has_rank_one_vertices() const { return false; }
  /// The search for the leading left singular vector of a matrix G, begun from where the last one ended, that is good
  /// for a vertex v whose <G, v> misses the least by a share of at most `accuracy`. The caller carries it on with
  /// products with G G', and then asks for the vertex. Called only where has_rank_one_vertices(), as is the next.
  [[nodiscard]] virtual LeadingVector& begin_rank_one_search(double accuracy);
  /// left right', the vertex that the search for this G has found; G is given by the numbers at its places. A search
  /// that failed, as it does for numbers whose squares are none, is made up for.
  virtual void rank_one_minimizer(const SparseColumns& places, ConstVectorRef numbers, VectorRef left, VectorRef right);

  /// Whether vertices have few numbers that are not zero, which `sparse_minimizer` finds, for methods that keep
  /// mixtures of them so.
  [[nodiscard]] virtual bool has_sparse_vertices() const { return false; }
  /// The numbers that are not zero of what `linear_minimizer` answers to g, in time and memory that follow the numbers
  /// of g and not the dimension. Called only where has_sparse_vertices().
  virtual void sparse_minimizer(const SparseView& g, SparseVector& v);

  [[nodiscard]] virtual ProjectionKind projection_kind() const { return ProjectionKind::kNone; }
  /// The nearest point of X to x. `x` and `nearest` may be the same memory.
  virtual void project(ConstVectorRef x, VectorRef nearest);
  /// The same answer, where `nearest` holds a point that may not be far from it: sets that can make use of that do.
  virtual void project_from(ConstVectorRef x, VectorRef nearest) { project(x, nearest); }

  /// How far x is outside, in the set's own measure (a norm's excess, a constraint's violation):
  /// 0 or less inside; x is finite. `contains` allows kMembershipTolerance relative to the set's size, and holds of no
  /// point that is not finite.
  [[nodiscard]] virtual double violation(ConstVectorRef x) const = 0;
  [[nodiscard]] bool contains(ConstVectorRef x, double tolerance) const {
    return x.allFinite() && violation(x) <= tolerance;
  }
  [[nodiscard]] bool contains(ConstVectorRef x) const;

  /// Whether extreme points fill a curved boundary (a Euclidean or nuclear ball), so that mixtures of finitely many do
  /// not come to an exact answer. Methods choose by it how to minimize over the set.
  [[nodiscard]] virtual bool is_curved() const { return false; }

  /// The set in such numbers, if it is a box, a Euclidean ball, or both side by side: methods then minimize quadratics
  /// over it by these numbers, and ask it for nothing.
  [[nodiscard]] virtual std::optional<BoxAndBall> box_and_ball() const { return std::nullopt; }

  /// An upper bound on |x - y| over the set.
  [[nodiscard]] virtual double diameter() const = 0;

  /// A feasible point to start from, the same on every node.
  virtual void start(VectorRef x) const = 0;

  /// What the next answer depends on beside the question (a warm start, a cache), for checkpoints. Most sets have none.
  virtual void visit_state(StateVisitor& /*visitor*/) {}

  /// A set of matrices says its shape (column-major); a set of vectors is dimension() x 1.
  [[nodiscard]] virtual Index matrix_rows() const { return dimension(); }
  [[nodiscard]] Index matrix_columns() const { return dimension() / matrix_rows(); }

 protected:
  FeasibleSet() = default;
  FeasibleSet(const FeasibleSet&) = default;
  FeasibleSet& operator=(const FeasibleSet&) = default;
};

/// A DataError that names the node, where what a set answered with or was asked about is not finite: a sum or an
/// iterate would carry it on in silence.
void require_finite_point(ConstVectorRef point, Index node);

/// Relative to 1 + diameter.
inline constexpr double kMembershipTolerance = 1e-9;

}  // namespace slidemesh
