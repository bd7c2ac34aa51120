#pragma once

#include <string_view>
#include <vector>

#include "slidemesh/base/cloned.h"
#include "slidemesh/sets/set_base.h"

namespace slidemesh {

namespace detail {
class AssignmentSolver;
class MinCostFlow;
}  // namespace detail

/// { X (n x n) >= 0 : every row and every column sums to 1 }: the doubly stochastic matrices, hull of the permutations.
class Birkhoff final : public OraclePolytope<Birkhoff> {
 public:
  static constexpr std::string_view kName = "birkhoff";
  explicit Birkhoff(Index side);

  /// The permutation of least cost (Jonker and Volgenant).
  void linear_minimizer(ConstVectorRef g, VectorRef v) override;
  [[nodiscard]] double violation(ConstVectorRef x) const override;
  /// The centre, 1/n everywhere.
  void start(VectorRef x) const override;

 private:
  Index side_;
  Cloned<detail::AssignmentSolver> solver_;
};

/// { X (rows x columns) >= 0 : row i sums to supply_i, column j to demand_j }. Supply and demand have the same total;
/// they are kept to a fixed-point grid of 2^-50 of it or finer, so that the network simplex works in integers.
class Transportation final : public OraclePolytope<Transportation> {
 public:
  static constexpr std::string_view kName = "transportation";
  Transportation(const Vector& supply, const Vector& demand);

  /// The plan of least cost (network simplex).
  void linear_minimizer(ConstVectorRef g, VectorRef v) override;
  [[nodiscard]] double violation(ConstVectorRef x) const override;
  /// supply_i demand_j / total.
  void start(VectorRef x) const override;

 private:
  Vector supply_;
  Vector demand_;
  Cloned<detail::MinCostFlow> solver_;
};

struct Arc {
  Index from = 0;
  Index to = 0;
};

/// A directed graph with a source and a target.
struct FlowGraph {
  Index nodes = 0;
  std::vector<Arc> arcs = {};
  Index source = 0;
  Index target = 0;
};

/// Flows of a given amount from a source to a target in a directed graph, within capacities: one coordinate an arc,
/// { 0 <= x <= capacity : what enters a node leaves it, `amount` leaves the source and enters the target }.
class FlowPolytope final : public OraclePolytope<FlowPolytope> {
 public:
  static constexpr std::string_view kName = "flow";
  FlowPolytope(Index nodes, std::vector<Arc> arcs, Index source, Index target, const Vector& capacity, double amount);

  /// The flow of least cost (network simplex).
  void linear_minimizer(ConstVectorRef g, VectorRef v) override;
  [[nodiscard]] double violation(ConstVectorRef x) const override;
  void start(VectorRef x) const override { x = start_; }

 private:
  FlowGraph graph_;
  Vector capacity_;
  double amount_;
  Vector start_;
  Cloned<detail::MinCostFlow> solver_;
};

/// The paths from a source to a target of a directed acyclic graph, and their mixtures: one coordinate an arc,
/// { x >= 0 : what enters a node leaves it, 1 leaves the source and enters the target }.
class DagPaths final : public OraclePolytope<DagPaths> {
 public:
  static constexpr std::string_view kName = "dag-paths";
  DagPaths(Index nodes, std::vector<Arc> arcs, Index source, Index target);

  /// The shortest path, by dynamic programming: O(arcs), costs of any sign.
  void linear_minimizer(ConstVectorRef g, VectorRef v) override;
  [[nodiscard]] double violation(ConstVectorRef x) const override;
  void start(VectorRef x) const override { x = start_; }

 private:
  FlowGraph graph_;
  Vector start_;
  std::vector<Index> order_;       ///< arcs, sorted by the place of their first node in a topological order
  std::vector<double> length_;     // work
  std::vector<Index> arrives_by_;  // work
};

}  // namespace slidemesh
