#pragma once

#include <filesystem>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include "slidemesh/sets/set_base.h"

namespace slidemesh {

namespace detail {
class LinearProgram;
/// What Clp calls infinite.
inline constexpr double kInfinity = std::numeric_limits<double>::max();
}  // namespace detail

/// Rows of  lower <= A x <= upper  (either end may be infinite, both may be equal), and bounds on x itself.
struct PolytopeRows {
  Index dimension = 0;
  std::vector<double> lower;
  std::vector<double> upper;
  std::vector<std::size_t> offsets{0};  ///< of each row into the two below
  std::vector<Index> columns;
  std::vector<double> values;
  Vector variable_lower;  ///< empty: none
  Vector variable_upper;
};

/// Reads a polytope. A file named *.mps is read as MPS (its objective is ignored); any other is text, one constraint a
/// line: coefficients, then <=, >= or =, then a number. Coefficients are either all of them, in order, or `j:value` for
/// those other than 0, j from 0. Blank lines and what is behind a # do not count. DataError names file and line.
[[nodiscard]] PolytopeRows read_polytope(const std::filesystem::path& path, Index dimension);

/// { x : lower <= A x <= upper, and bounds }: bounded and not empty, which the constructor makes sure of (it solves two
/// linear programs a coordinate, each from where the last one ended, and so knows a box around the set).
class Polytope final : public OraclePolytope<Polytope> {
 public:
  static constexpr std::string_view kName = "polytope";
  explicit Polytope(PolytopeRows rows);
  Polytope(const Polytope& other);
  Polytope& operator=(const Polytope&) = delete;

  /// A basic solution (Clp's primal simplex), from the basis of the last call.
  void linear_minimizer(ConstVectorRef g, VectorRef v) override;
  [[nodiscard]] double violation(ConstVectorRef x) const override;
  /// The mean of the extreme points that the constructor met.
  void start(VectorRef x) const override { x = start_; }
  void visit_state(StateVisitor& visitor) override;

 private:
  void explore();

  PolytopeRows rows_;
  Vector start_;
  std::shared_ptr<const detail::LinearProgram> program_;  // shared by all copies
  std::vector<unsigned char> basis_;                      // of the last answer; empty: none yet
  Vector cost_;                                           // work
};

/// The convex hull of listed points, one per column.
class Hull final : public OraclePolytope<Hull> {
 public:
  static constexpr std::string_view kName = "hull";
  explicit Hull(Matrix points);

  /// The first of the points of least <g, point>: O(points d).
  void linear_minimizer(ConstVectorRef g, VectorRef v) override;
  /// The distance, found by the oracle.
  [[nodiscard]] double violation(ConstVectorRef x) const override;
  /// The mean of the points.
  void start(VectorRef x) const override;

 private:
  Matrix points_;
  Vector scaled_;  // work
};

/// Points of a text file, one per line, numbers between spaces or commas. DataError names file and line.
[[nodiscard]] Matrix read_points(const std::filesystem::path& path, Index dimension);

}  // namespace slidemesh
