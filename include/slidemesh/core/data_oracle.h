#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "slidemesh/core/meters.h"
#include "slidemesh/core/problem.h"
#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// The only way for an algorithm to its data. Every call is charged to `meters`: one row,
/// one evaluation, one call. Nodes are worked on in parallel; sums over rows have a fixed order.
class DataOracle {
 public:
  /// The local nodes are `first_node` and those that follow it.
  DataOracle(const Problem& problem, Meters& meters, Index first_node, std::uint64_t seed);

  /// v_i = gradient of f~_i at x_i over all rows; the values f~_i(x_i) come with it.
  void gradient(const Stacked& x, Stacked& v);
  [[nodiscard]] const Vector& values() const { return values_; }

  /// v_i = mean gradient over `batch` rows drawn uniformly with replacement, the draws a function of
  /// (seed, node, step, draw). With `cap`, a node of at most `batch` rows takes all of them once
  /// instead, and is charged for that.
  void sampled_gradient(const Stacked& x, Count batch, int step, bool cap, Stacked& v);
  /// The batch of a step.
  using BatchOf = std::function<Count(int)>;
  /// Tells the sources which rows the `sampled_gradient` of step `next` will want, so that they can be on their
  /// way meanwhile, and with them those of further steps up to `last` while that makes no more than kReadAhead rows
  /// per node: small batches would each wait for a round trip. Changes no answer and is charged nothing.
  void prefetch(const BatchOf& batch, int next, int last, bool cap);
  static constexpr std::size_t kReadAhead = 32;

  // ---- touching: rows and their predictions, for methods that keep a model of every row ----

  /// Shows node `local`'s given rows with their predictions at x (see LocalObjective::touch), and charges for them.
  void touch(Index local, ConstVectorRef x, std::span<const Index> rows, const LocalObjective::TouchVisit& visit);

  [[nodiscard]] Index nodes() const { return static_cast<Index>(meters_.node.size()); }
  [[nodiscard]] Index rows(Index local) const { return objective(local).rows(); }
  [[nodiscard]] Index global(Index local) const { return first_node_ + local; }
  [[nodiscard]] LocalObjective& objective(Index local) const {
    return *problem_.objectives[static_cast<std::size_t>(local)];
  }

  // ---- for oracles around this one, node by node ----

  /// As `gradient`, of one node; `derivatives` as in LocalObjective::gradient.
  void full_gradient(Index local, const Stacked& x, Stacked& v, std::span<double> derivatives);
  /// The same of another form of the node's function, such as one over its own columns.
  void gradient_of(Index local, LocalObjective& form, ConstVectorRef x, VectorRef v,
                   std::span<double> derivatives = {});
  /// The derivatives of one node's losses at x, and no gradient, for whoever keeps its rows' features; charged as one.
  void derivatives(Index local, ConstVectorRef x, std::span<double> derivatives);
  void charge(Index local, Count calls);
  /// DataError where column `local` of v is not finite.
  void require_finite_gradient(Index local, const Stacked& v) const;

 private:
  void require_finite(Index local, std::span<const double> gradient) const;
  /// Appends the rows of a sampled gradient.
  void draw(Index local, Count batch, int step, std::vector<Index>& rows) const;

  const Problem& problem_;
  Meters& meters_;
  Index first_node_;
  std::uint64_t seed_;
  Vector values_;
  std::vector<std::vector<Index>> drawn_;
  std::vector<int> ahead_until_;  ///< the last step whose rows a node has asked for ahead
};

/// Charges each local node for its part of the problem's smoothness constant: for methods that use it, once.
void charge_smoothness(const Problem& problem, Meters& meters);

/// Elementary operations for `rows` rows of a model of dimension d, roughly.
[[nodiscard]] double gradient_work(Count rows, Index d);

}  // namespace slidemesh
