#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include "slidemesh/core/rows.h"
#include "slidemesh/data/row_key.h"

namespace slidemesh {

/// How rows are dealt to nodes.
enum class SplitRule {
  kContiguous,  ///< in the order of the table
  kShuffled,    ///< in a random order: nodes hold data of the same law
  kByLabel,     ///< stably sorted by label: most nodes see one label only
  kDirichlet,   ///< each label's rows in proportions drawn from a Dirichlet law: smaller alpha, less alike
};

[[nodiscard]] SplitRule parse_split_rule(std::string_view name);
[[nodiscard]] std::string_view to_string(SplitRule rule);

struct SplitOptions {
  SplitRule rule = SplitRule::kContiguous;
  std::uint64_t seed = 1;
  double alpha = 0.5;  ///< dirichlet
};

/// Who holds which rows: node i has rows order[offsets[i]] .. order[offsets[i + 1] - 1] of the table,
/// in that order. An empty `order` means the table's own.
struct Partition {
  std::vector<Index> order;
  std::vector<Index> offsets;

  [[nodiscard]] Index nodes() const { return static_cast<Index>(offsets.size()) - 1; }
  [[nodiscard]] Index first(Index node) const { return offsets[static_cast<std::size_t>(node)]; }
  [[nodiscard]] Index count(Index node) const { return offsets[static_cast<std::size_t>(node) + 1] - first(node); }
  /// The table's number of a node's r-th row.
  [[nodiscard]] Index row(Index node, Index r) const {
    const Index place = first(node) + r;
    return order.empty() ? place : order[static_cast<std::size_t>(place)];
  }
  /// The table's numbers of all its rows.
  [[nodiscard]] std::vector<Index> rows(Index node) const {
    std::vector<Index> numbers;
    for (Index r = 0; r < count(node); ++r) {
      numbers.push_back(row(node, r));
    }
    return numbers;
  }
};

/// The places of values in ascending order, equal ones in their own.
template <class Value>
[[nodiscard]] std::vector<Index> stable_order(std::span<const Value> values) {
  std::vector<Index> order(values.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return values[static_cast<std::size_t>(a)] < values[static_cast<std::size_t>(b)];
  });
  return order;
}

/// Deals rows with these labels to `nodes` nodes. All rows are dealt: where a rule deals equal parts
/// and the nodes do not divide the rows, the first nodes have one row more. (The NumPy reference drops
/// the remainder instead; where nodes divide rows the two agree.) Dirichlet parts differ in size, and
/// none is empty; labels of more than 64 values are first cut into ten groups of equal size. More
/// nodes than rows is a UsageError.
[[nodiscard]] Partition split_rows(std::span<const double> labels, Index nodes, const SplitOptions& options = {});

/// SplitRule::kContiguous, which asks for the number of rows alone.
[[nodiscard]] Partition split_contiguously(Index rows, Index nodes);

/// Sources of the nodes `first_node` .. `first_node + count - 1`. Parts that are slices of the table
/// share it; others are copies of their rows.
[[nodiscard]] std::vector<std::shared_ptr<RowSource>> node_sources(const std::shared_ptr<const Rows>& table,
                                                                   const Partition& partition, Index first_node,
                                                                   Index count);

/// Rows that are kept apart to judge a model by: those whose number in [0, 1), drawn from the seed and the row's key,
/// is in [from, to). So it does not matter how rows are dealt, or to how many nodes and processes.
struct HoldOut {
  double from = 0.0;
  double to = 0.0;
  std::uint64_t seed = 1;

  [[nodiscard]] bool is_empty() const { return !(to > from); }
  [[nodiscard]] bool takes(const RowKey& key) const;
};

/// What is left of each node's rows, and of every node that has any, those that are held out.
struct SplitPartition {
  Partition kept;
  Partition held_out;
};
/// `key` tells what the table's rows are called.
[[nodiscard]] SplitPartition hold_out_rows(const Partition& places, const HoldOut& rule,
                                           const std::function<RowKey(Index)>& key);

}  // namespace slidemesh
