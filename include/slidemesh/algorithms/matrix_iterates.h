#pragma once

#include <vector>

#include "slidemesh/core/graph.h"
#include "slidemesh/linalg/sparse_columns.h"
#include "slidemesh/linalg/types.h"
#include "slidemesh/network/network.h"

namespace slidemesh {

/// Matrices θ_i, one per local node, that by turns move to matrices of rank one and are mixed, and of which few places
/// are looked at in between. Where one process has all nodes (Network::can_mix_late) the other places are brought up to
/// date some rounds at a time, a few rows of all nodes after the other: they come from memory once in many rounds, and
/// every number is the result of the same operations in the same order.
class MatrixIterates {
 public:
  /// Columns of θ are column-major matrices of `rows` rows. Network and weights must outlive this.
  MatrixIterates(Network& network, const MixingWeights& w, Stacked theta, Index rows);

  /// From now on θ_i's numbers at `own[i]` may be asked for after every round. Those are numbers of places in `places`,
  /// ascending, which all nodes look at together.
  void watch(const std::vector<Count>& places, std::vector<std::vector<Count>> own);

  /// θ_i = (1 − γ) θ_i + γ left_i right_i', for the columns of left and right.
  void move(double gamma, const Matrix& left, const Matrix& right);
  /// θ = θ W. One round.
  void mix();

  /// θ after the last move, at all places.
  [[nodiscard]] Stacked& whole();
  /// θ after the last round, at node i's own places; elsewhere as may be.
  [[nodiscard]] ConstVectorRef at_own_places(Index i);

 private:
  struct Move {
    bool is_none = true;
    double keep = 1.0;  ///< 1 − γ
    Matrix left;
    Matrix factors;  ///< γ right', a row per node
  };
  class SomeRows;

  void move_watched(Index i);
  /// The rounds that rows other than the watched ones still wait for.
  void catch_up();
  void scatter_watched();
  void gather_watched();

  Network& network_;
  const MixingWeights& w_;
  Index rows_;
  Stacked
      theta_;  ///< as it was before the rounds that wait; up to date at a node's own places once they were asked for
  Stacked other_;  ///< where a round's result goes that cannot wait
  std::vector<Count> places_;
  SparseColumns pattern_;
  std::vector<std::vector<Count>> own_;
  Stacked watched_;           ///< θ at the places, after the last round
  Move next_;                 ///< since the last round
  std::vector<Move> rounds_;  ///< of the rounds that wait, each with the move before it
  std::size_t waiting_ = 0;
};

}  // namespace slidemesh
