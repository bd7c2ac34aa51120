#pragma once

#include <vector>

#include "slidemesh/core/state.h"
#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// A point u = sum of weight_k atom_k, kept as its atoms (points of X) and weights (>= 0, sum 1), with the atoms' inner
/// products, so that a step along the difference of two atoms costs O(atoms) and not O(atoms d). Atoms of weight 0
/// ("idle") stay for a while: one that is wanted again then costs no oracle call. There are at most so many atoms as
/// fit into 16 MiB, but 64 at least: sets without a finite list of vertices would have it grow without end.
class ActiveSet {
 public:
  explicit ActiveSet(Index dimension);

  [[nodiscard]] Index size() const { return size_; }
  [[nodiscard]] Index active() const;  ///< atoms of weight > 0
  [[nodiscard]] const double* atom(Index k) const { return atoms_.data() + k * dimension_; }
  [[nodiscard]] double weight(Index k) const { return weights_[at(k)]; }
  [[nodiscard]] double product(Index k, Index l) const { return products_[at(k * stride_ + l)]; }

  /// u = this one point.
  void reset(ConstVectorRef point);
  /// The atom equal to v, added with weight 0 if there is none.
  Index find_or_add(ConstVectorRef v);

  /// Moves `amount` of weight from one atom to another; no more than the first has.
  void shift(Index from, Index to, double amount);
  /// u <- u + step (atom_k - u).
  void blend(Index k, double step);

  /// Marks the atoms of weight > 0 as used in this problem and drops the idle ones that have rested longest, so that
  /// at most `idle_limit` are left.
  void prune();

  /// Weights to a sum of 1 and no negative rounding; then u into `u`.
  void reconstruct(VectorRef u);

  void visit_state(StateVisitor& visitor);

 private:
  static std::size_t at(Index k) { return static_cast<std::size_t>(k); }
  void grow();
  /// Gives up the idle atom that has rested longest; where none is idle, the two of least weight become their mean.
  void make_room();
  void merge_lightest();
  [[nodiscard]] Index longest_idle() const;  ///< -1 if none is idle
  void remove(Index k);
  void compute_products(Index k);
  /// Whether weights are at least 0 and add up to 1, and no atom was used in the future.
  [[nodiscard]] bool is_mixture() const;

  Index dimension_;
  Index idle_limit_;
  Index most_atoms_;
  Index size_ = 0;
  Index stride_ = 0;  ///< room for so many atoms
  Count problem_ = 0;
  std::vector<double> atoms_;  ///< one after the other
  std::vector<double> weights_;
  std::vector<double> products_;  ///< <atom_k, atom_l> at k * stride_ + l
  std::vector<Count> last_used_;  ///< the number of the problem in which it last had weight
};

}  // namespace slidemesh
