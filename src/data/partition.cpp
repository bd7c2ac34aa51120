#include "slidemesh/data/partition.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "slidemesh/base/fail.h"
#include "slidemesh/base/hash.h"
#include "slidemesh/base/random.h"
#include "slidemesh/base/text.h"
#include "slidemesh/base/words.h"

namespace slidemesh {

namespace {

constexpr Words<SplitRule, 4> kRules = {{
    {SplitRule::kContiguous, "contiguous"},
    {SplitRule::kShuffled, "shuffled"},
    {SplitRule::kByLabel, "by-label"},
    {SplitRule::kDirichlet, "dirichlet"},
}};

std::vector<Index> equal_parts(Index rows, Index nodes) {
  std::vector<Index> offsets(static_cast<std::size_t>(nodes) + 1, 0);
  for (Index i = 0; i < nodes; ++i) {
    offsets[static_cast<std::size_t>(i) + 1] =
        offsets[static_cast<std::size_t>(i)] + rows / nodes + (i < rows % nodes ? 1 : 0);
  }
  return offsets;
}

/// Gamma(shape, 1), by Marsaglia and Tsang (2000); below 1 by their boost with a power of a uniform
/// number. As a logarithm, because at a small shape the number itself is often below every double.
double log_gamma_variate(double shape, RandomStream& random) {
  if (shape < 1.0) {
    const double u = 1.0 - random.unit();
    return log_gamma_variate(shape + 1.0, random) + std::log(u) / shape;
  }
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  for (;;) {
    const double x = random.normal();
    const double v = (1.0 + c * x) * (1.0 + c * x) * (1.0 + c * x);
    const double u = 1.0 - random.unit();
    if (v > 0.0 && std::log(u) < 0.5 * x * x + d - d * v + d * std::log(v)) {
      return std::log(d) + std::log(v);
    }
  }
}

std::vector<double> dirichlet(Index nodes, double alpha, RandomStream random) {
  std::vector<double> shares(static_cast<std::size_t>(nodes));
  for (double& s : shares) {
    s = log_gamma_variate(alpha, random);
  }
  const double largest = *std::max_element(shares.begin(), shares.end());
  double sum = 0.0;
  for (double& s : shares) {
    s = std::exp(s - largest);
    sum += s;
  }
  for (double& s : shares) {
    s /= sum;
  }
  return shares;
}

/// Cuts rows sorted by label into groups of one label each, or of equal size if labels are many.
std::vector<Index> group_offsets(std::span<const double> labels, const std::vector<Index>& order) {
  constexpr std::size_t kMostLabels = 64;
  constexpr Index kGroups = 10;
  std::vector<Index> offsets{0};
  for (std::size_t r = 1; r < order.size(); ++r) {
    if (labels[static_cast<std::size_t>(order[r])] != labels[static_cast<std::size_t>(order[r - 1])]) {
      offsets.push_back(static_cast<Index>(r));
    }
  }
  offsets.push_back(static_cast<Index>(order.size()));
  if (offsets.size() - 1 > kMostLabels) {
    return equal_parts(static_cast<Index>(order.size()), kGroups);
  }
  return offsets;
}

Partition split_by_dirichlet(std::span<const double> labels, Index nodes, const SplitOptions& options) {
  std::vector<Index> order = stable_order(labels);
  const std::vector<Index> groups = group_offsets(labels, order);
  std::vector<std::vector<Index>> parts(static_cast<std::size_t>(nodes));
  for (std::size_t g = 0; g + 1 < groups.size(); ++g) {
    const auto group = static_cast<std::uint32_t>(g);
    std::vector<Index> members(order.begin() + groups[g], order.begin() + groups[g + 1]);
    RandomStream random(options.seed, Purpose::kSplit, group, 1);
    shuffle(members, random);
    const std::vector<double> shares =
        dirichlet(nodes, options.alpha, RandomStream(options.seed, Purpose::kSplit, group, 2));
    double cumulated = 0.0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      cumulated += shares[i];
      const auto ideal = static_cast<std::size_t>(std::llround(cumulated * static_cast<double>(members.size())));
      const std::size_t end = i + 1 == parts.size() ? members.size() : std::clamp(ideal, begin, members.size());
      parts[i].insert(parts[i].end(), members.begin() + static_cast<Index>(begin),
                      members.begin() + static_cast<Index>(end));
      begin = end;
    }
  }
  // A node without rows has no function: it takes one from the node that then has most.
  for (auto& part : parts) {
    if (part.empty()) {
      auto& largest = *std::max_element(parts.begin(), parts.end(),
                                        [](const auto& a, const auto& b) { return a.size() < b.size(); });
      part.push_back(largest.back());
      largest.pop_back();
    }
  }
  Partition partition{{}, {0}};
  for (auto& part : parts) {
    std::sort(part.begin(), part.end());
    partition.order.insert(partition.order.end(), part.begin(), part.end());
    partition.offsets.push_back(static_cast<Index>(partition.order.size()));
  }
  return partition;
}

}  // namespace

SplitRule parse_split_rule(std::string_view name) { return value_for(kRules, name, "data.split"); }

std::string_view to_string(SplitRule rule) { return word_for(kRules, rule); }

Partition split_contiguously(Index rows, Index nodes) {
  require<UsageError>(nodes >= 1, "network.nodes", "at least 1 node", std::to_string(nodes));
  require<UsageError>(nodes <= rows, "network.nodes", "no more nodes than rows",
                      fmt::format("{} nodes for {} rows", nodes, rows));
  return {{}, equal_parts(rows, nodes)};
}

Partition split_rows(std::span<const double> labels, Index nodes, const SplitOptions& options) {
  Partition partition = split_contiguously(static_cast<Index>(labels.size()), nodes);
  switch (options.rule) {
    case SplitRule::kContiguous:
      return partition;
    case SplitRule::kShuffled: {
      partition.order.resize(labels.size());
      std::iota(partition.order.begin(), partition.order.end(), Index{0});
      RandomStream random(options.seed, Purpose::kSplit);
      shuffle(partition.order, random);
      return partition;
    }
    case SplitRule::kByLabel:
      partition.order = stable_order(labels);
      return partition;
    case SplitRule::kDirichlet:
      require<UsageError>(options.alpha > 0.0 && std::isfinite(options.alpha), "data.alpha", "a number above 0",
                          text::shortest(options.alpha));
      return split_by_dirichlet(labels, nodes, options);
  }
  throw InternalError("an unknown split rule");
}

std::vector<std::shared_ptr<RowSource>> node_sources(const std::shared_ptr<const Rows>& table,
                                                     const Partition& partition, Index first_node, Index count) {
  std::vector<std::shared_ptr<RowSource>> sources;
  for (Index i = first_node; i < first_node + count; ++i) {
    if (partition.order.empty()) {
      sources.push_back(std::make_shared<MemorySource>(table, partition.first(i), partition.count(i)));
    } else {
      sources.push_back(std::make_shared<MemorySource>(select_rows(*table, partition.rows(i))));
    }
  }
  return sources;
}

bool HoldOut::takes(const RowKey& key) const {
  constexpr std::uint32_t kStream = 0xffffffffU;  // no split draws from it
  const auto* number = std::get_if<std::int64_t>(&key);
  const std::uint64_t of_row =
      number != nullptr ? static_cast<std::uint64_t>(*number) : hash_of(std::get<std::string>(key));
  const double place = bits_to_unit(random_bits(seed, Purpose::kSplit, kStream, 0, of_row));
  return place >= from && place < to;
}

SplitPartition hold_out_rows(const Partition& places, const HoldOut& rule, const std::function<RowKey(Index)>& key) {
  SplitPartition split{{{}, {0}}, {{}, {0}}};
  for (Index i = 0; i < places.nodes(); ++i) {
    for (Index r = 0; r < places.count(i); ++r) {
      const Index row = places.row(i, r);
      (rule.takes(key(row)) ? split.held_out : split.kept).order.push_back(row);
    }
    split.kept.offsets.push_back(static_cast<Index>(split.kept.order.size()));
    const auto held_out = static_cast<Index>(split.held_out.order.size());
    if (held_out > split.held_out.offsets.back()) {
      split.held_out.offsets.push_back(held_out);
    }
  }
  return split;
}

}  // namespace slidemesh
