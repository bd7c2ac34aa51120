#pragma once

#include <memory>
#include <vector>

#include "slidemesh/algorithms/local_step.h"
#include "slidemesh/linalg/compact_vector.h"
#include "slidemesh/linalg/edited_cholesky.h"

namespace slidemesh {

/// The local step by the linear oracle alone: x is a mixture of points of X ("atoms"), φ is minimized over their hull
/// exactly, and while the gap is too large the oracle adds an atom (simplicial decomposition: B. von Hohenbalken 1977;
/// the minimum over the hull as in P. Wolfe's "Finding the nearest point in a polytope", 1976). On a polytope this ends
/// with the exact answer; it does not care how the columns are scaled; and from step to step atoms, their products
/// Q-wise and the Cholesky factor of these stay, so that a step costs a product with H and two triangular solves.
/// Atoms of few numbers are kept as such, and nothing is allocated once there was room for as many atoms.
class HullStep final : public LocalStep {
 public:
  explicit HullStep(const FeasibleSet& set);

  void set_quadratic(const Vector& weights) override;
  InnerResult solve(const Quadratic& model, ConstVectorRef b, double tolerance, VectorRef x) override;
  [[nodiscard]] bool multiplies_answer_last() const override { return true; }
  void visit_state(StateVisitor& visitor) override;

 private:
  [[nodiscard]] Index size() const { return static_cast<Index>(weights_.size()); }
  [[nodiscard]] const CompactVector& atom(Index k) const { return atoms_[static_cast<std::size_t>(k)]; }
  [[nodiscard]] LowerTriangle factor() const { return factor_.triangle(); }
  void load_slopes(ConstVectorRef b);
  CompactVector& push_atom(ConstVectorRef v, double weight);
  void multiply(const Quadratic& model, ConstVectorRef v, VectorRef out) const;
  [[nodiscard]] bool has_many(Index k) const;
  void drop_numbers(Index k);
  void drop_all_atoms();
  /// Row k of products_.
  void load_products(const Quadratic& model, Index k);
  bool add_atom(const Quadratic& model, ConstVectorRef v, double weight, ConstVectorRef b);
  void remove_atom(Index k);
  bool append_to_factor(Index k);
  void refactor(const Quadratic& model);
  void minimize_over_hull();
  void affine_minimizer();
  void solve_forward();
  void forget_solutions();
  void correct(const Quadratic& model, ConstVectorRef b, double tolerance, VectorRef x, InnerResult& result);
  [[nodiscard]] double wolfe_gap(InnerResult& result, ConstVectorRef x);
  void point(VectorRef x) const;

  std::unique_ptr<FeasibleSet> set_;
  Vector diagonal_;  ///< of Q, beyond H
  bool stale_ = true;
  double shift_ = 0.0;                ///< in G: atom_k' Q atom_l + shift_, definite on affinely independent atoms
  std::vector<CompactVector> atoms_;  ///< the first size() of them; behind them room of atoms that are gone
  std::vector<double> weights_;       ///< positive, of sum 1
  std::vector<double> slopes_;        ///< <b, atom>
  Matrix products_;                   ///< lower: atom_k' Q atom_l, where a row of the factor is made from it
  EditedCholesky factor_;             ///< of G
  Vector g_;
  Vector v_;
  Vector product_;
  Vector last_;  ///< the vertex that was added last
  bool has_last_ = false;
  std::vector<double> minimizer_;
  // For the factor as it is, which atoms that come and go change as they change the factor; none where it is another.
  std::vector<double> forward_slopes_;  ///< factor^{-1} (-slopes)
  std::vector<double> forward_ones_;    ///< factor^{-1} 1
  std::vector<double> row_;
  std::vector<double> correction_;
  Vector corrected_;
  // The numbers of the atoms that have few, one atom after the other, and where each one's end.
  std::vector<Index> places_;
  std::vector<double> values_;
  std::vector<std::size_t> ends_;
  Index with_many_ = 0;  ///< atoms that have many, and none in the list
  std::vector<double> elements_;
};

}  // namespace slidemesh
