#include "slidemesh/data/load/column_notes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <map>
#include <utility>

#include "../row_views.h"
#include "slidemesh/base/text.h"

namespace slidemesh {
namespace {

constexpr double kTimeStamp = 1e8;     // seconds since 1970 have been above it since 1973
constexpr double kFarApart = 1e6;      // in scale
constexpr std::size_t kMostNamed = 5;  // in one line

std::uint64_t mix(std::uint64_t word) {
  word = (word ^ (word >> 30U)) * 0xbf58476d1ce4e5b9U;
  word = (word ^ (word >> 27U)) * 0x94d049bb133111ebU;
  return word ^ (word >> 31U);
}

/// A number of three digits, for people.
std::string rounded(double value) {
  std::array<char, 32> digits{};
  const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::general, 3);
  return {digits.data(), result.ptr};
}

class Notes {
 public:
  Notes(Vector low, Vector high, Vector fingerprint, std::span<const std::string> names)
      : low_(std::move(low)), high_(std::move(high)), fingerprint_(std::move(fingerprint)), names_(names) {}

  std::vector<std::string> take(const PreparationOptions& preparation) {
    tell_constant();
    tell_same();
    if (preparation.scaling == Scaling::kNone) {
      tell_time_stamps();
      tell_scales();
    }
    return std::move(notes_);
  }

 private:
  /// A feature that no row of a sparse file has is nothing to report; a column of a table is.
  [[nodiscard]] bool is_constant(Index j) const { return low_(j) == high_(j) && (low_(j) != 0.0 || !names_.empty()); }
  [[nodiscard]] double size(Index j) const { return std::max(std::abs(low_(j)), std::abs(high_(j))); }
  [[nodiscard]] std::string name(Index j) const {
    return names_.empty() ? "feature " + std::to_string(j + 1) : text::quoted(names_[static_cast<std::size_t>(j)]);
  }

  /// "'a', 'b' and 3 more"
  [[nodiscard]] std::string list(const std::vector<Index>& columns) const {
    std::string text;
    for (std::size_t i = 0; i < std::min(columns.size(), kMostNamed); ++i) {
      text += (i > 0 ? ", " : "") + name(columns[i]);
    }
    return columns.size() > kMostNamed ? text + " and " + std::to_string(columns.size() - kMostNamed) + " more" : text;
  }

  void tell_constant() {
    std::vector<Index> constant;
    for (Index j = 0; j < low_.size(); ++j) {
      if (is_constant(j)) {
        constant.push_back(j);
      }
    }
    if (!constant.empty()) {
      notes_.push_back(
          "one value in every row of all nodes: " + list(constant) +
          "; nothing is learned from that (data.ignore leaves columns out, data.intercept = true adds one)");
    }
  }

  void tell_same() {
    std::map<double, Index> first;
    std::vector<Index> again;
    std::string pair;
    for (Index j = 0; j < low_.size(); ++j) {
      if (low_(j) == high_(j)) {
        continue;
      }
      const auto [known, is_new] = first.try_emplace(fingerprint_(j), j);
      if (!is_new && low_(known->second) == low_(j) && high_(known->second) == high_(j)) {
        pair = pair.empty() ? name(j) + " is " + name(known->second) : pair;
        again.push_back(j);
      }
    }
    if (!again.empty()) {
      notes_.push_back("the same numbers as an earlier column: " + list(again) + " (" + pair +
                       "); weights are shared between such at will (data.ignore leaves columns out)");
    }
  }

  void tell_time_stamps() {
    std::vector<Index> large;
    for (Index j = 0; j < low_.size(); ++j) {
      if (size(j) >= kTimeStamp) {
        large.push_back(j);
      }
    }
    if (!large.empty()) {
      notes_.push_back("numbers of a time stamp's size: " + list(large) + ", up to " + rounded(size(large.front())) +
                       "; solvers lose their digits there (data.scaling = \"standard\" mends it, data.ignore leaves "
                       "columns out)");
    }
  }

  void tell_scales() {
    Index largest = -1;
    Index smallest = -1;
    for (Index j = 0; j < low_.size(); ++j) {
      if (size(j) == 0.0) {
        continue;
      }
      largest = largest < 0 || size(j) > size(largest) ? j : largest;
      smallest = smallest < 0 || size(j) < size(smallest) ? j : smallest;
    }
    if (largest >= 0 && size(largest) >= kFarApart * size(smallest)) {
      notes_.push_back("scales that are far apart: " + name(smallest) + " goes to " + rounded(size(smallest)) + ", " +
                       name(largest) + " to " + rounded(size(largest)) +
                       "; steps are as short as the largest asks for (data.scaling = \"standard\" or \"max-abs\" "
                       "mends it)");
    }
  }

  Vector low_;
  Vector high_;
  Vector fingerprint_;
  std::span<const std::string> names_;
  std::vector<std::string> notes_;
};

}  // namespace

ColumnWatch::ColumnWatch(Index features, Index node) : node_(node), columns_(static_cast<std::size_t>(features)) {}

void ColumnWatch::add(const RowBlock& block, Index first) {
  for (Index r = 0; r < block.count; ++r) {
    const std::uint64_t row = mix(static_cast<std::uint64_t>(node_) << 40U ^ static_cast<std::uint64_t>(first + r));
    for_each_number(block, r, [&](Index j, double value) {
      if (value == 0.0) {
        return;
      }
      Column& column = columns_[static_cast<std::size_t>(j)];
      column.low = column.nonzeros == 0 ? value : std::min(column.low, value);
      column.high = column.nonzeros == 0 ? value : std::max(column.high, value);
      ++column.nonzeros;
      column.fingerprint += mix(row ^ std::bit_cast<std::uint64_t>(value));
    });
  }
  rows_ += block.count;
}

Vector ColumnWatch::lowest() const {
  Vector low(static_cast<Index>(columns_.size()));
  std::transform(columns_.begin(), columns_.end(), low.begin(),
                 [&](const Column& c) { return c.nonzeros == rows_ ? c.low : std::min(c.low, 0.0); });
  return low;
}

Vector ColumnWatch::highest() const {
  Vector high(static_cast<Index>(columns_.size()));
  std::transform(columns_.begin(), columns_.end(), high.begin(),
                 [&](const Column& c) { return c.nonzeros == rows_ ? c.high : std::max(c.high, 0.0); });
  return high;
}

Vector ColumnWatch::fingerprints() const {
  constexpr std::uint64_t kExactInSums = (std::uint64_t{1} << 36U) - 1;  // over 2^17 nodes
  Vector all(static_cast<Index>(columns_.size()));
  std::transform(columns_.begin(), columns_.end(), all.begin(),
                 [](const Column& c) { return static_cast<double>(c.fingerprint & kExactInSums); });
  return all;
}

std::vector<std::string> agree_on_column_notes(std::span<const ColumnWatch> local_nodes, Network& network,
                                               std::span<const std::string> names,
                                               const PreparationOptions& preparation) {
  const auto m = static_cast<Index>(local_nodes.size());
  const Index d = local_nodes.front().lowest().size();
  Matrix extremes(2 * d, m);
  Matrix fingerprints(d, m);
  for (Index i = 0; i < m; ++i) {
    const ColumnWatch& watch = local_nodes[static_cast<std::size_t>(i)];
    extremes.col(i) << watch.highest(), -watch.lowest();
    fingerprints.col(i) = watch.fingerprints();
  }
  const Vector largest = network.agree_max(extremes);
  return Notes(-largest.tail(d), largest.head(d), network.agree_sum(fingerprints), names).take(preparation);
}

}  // namespace slidemesh
