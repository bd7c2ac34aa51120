#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "slidemesh/core/feasible_set.h"
#include "slidemesh/core/objective.h"
#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// min over x in X_1 ∩ ... ∩ X_m of  F(x) = f_1(x) + ... + f_m(x),    f_i(x) = f~_i(x) + mu |x|^2 / 2,
///
/// where node i knows f~_i and X_i alone, f~_i is convex and L~-smooth, and X_i is a closed convex bounded set. Mostly
/// all nodes have one set X. `objectives` and `sets` are those of this process's nodes, in the order of the nodes.
struct Problem {
  std::vector<std::shared_ptr<LocalObjective>> objectives;
  std::vector<std::shared_ptr<const FeasibleSet>> sets;
  bool sets_differ = false;    ///< whether some node of the whole network has another set than the others
  bool losses_differ = false;  ///< whether some node of the whole network has another loss than the others
  double mu = 0.0;
  double smoothness = 0.0;  ///< L~, the largest over all nodes
  Vector start;             ///< x_0, the same at every node: a point of X, or where sets differ see `starts`

  [[nodiscard]] Index dimension() const { return sets.front()->dimension(); }
  [[nodiscard]] const FeasibleSet& set(Index local) const { return *sets[static_cast<std::size_t>(local)]; }

  /// The set of all nodes; a UsageError that names `method` where there is no such set.
  [[nodiscard]] const FeasibleSet& common_set(std::string_view method) const;

  /// Where each local node starts: at `start` where that lies in its set, else at the projection of it on the set,
  /// else, where the set has no projection, at the set's own start. Nodes need not ask one another.
  [[nodiscard]] Stacked starts() const;
};

/// One set for that many nodes.
[[nodiscard]] std::vector<std::shared_ptr<const FeasibleSet>> same_set(std::shared_ptr<const FeasibleSet> set,
                                                                       std::size_t nodes);

/// A feasible point of a set, for Problem::start.
[[nodiscard]] Vector start_of(const FeasibleSet& set);

}  // namespace slidemesh
