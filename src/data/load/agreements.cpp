#include "slidemesh/data/load/agreements.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "slidemesh/base/fail.h"
#include "slidemesh/base/text.h"
#include "slidemesh/core/row_numbers.h"

namespace slidemesh {

namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();

template <class Body>
void for_each_number(RowSource& source, ColumnWatch* watch, Body&& body) {
  source.scan(AccessPurpose::kPreparation, [&](const RowBlock& block, Index first) {
    if (watch != nullptr) {
      watch->add(block, first);
    }
    for (Index r = 0; r < block.count; ++r) {
      for_each_number(block, r, body);
    }
  });
}

ColumnWatch* watch_of(std::span<ColumnWatch> watches, std::size_t node) {
  return watches.empty() ? nullptr : &watches[node];
}

Vector agree_max_abs(std::span<const std::shared_ptr<RowSource>> nodes, Network& network, Index d,
                     std::span<ColumnWatch> watches) {
  Matrix largest = Matrix::Zero(d, static_cast<Index>(nodes.size()));
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    auto column = largest.col(static_cast<Index>(i));
    for_each_number(*nodes[i], watch_of(watches, i),
                    [&](Index j, double v) { column(j) = std::max(column(j), std::abs(v)); });
  }
  return network.agree_max(largest);
}

void agree_standard(std::span<const std::shared_ptr<RowSource>> nodes, Network& network, Index d,
                    Preparation& preparation, std::span<ColumnWatch> watches) {
  const auto m = static_cast<Index>(nodes.size());
  Matrix sums = Matrix::Zero(d + 1, m);
  for (Index i = 0; i < m; ++i) {
    auto& source = *nodes[static_cast<std::size_t>(i)];
    sums(d, i) = static_cast<double>(source.rows());
    for_each_number(source, watch_of(watches, static_cast<std::size_t>(i)),
                    [&](Index j, double v) { sums(j, i) += v; });
  }
  const Vector total = network.agree_sum(sums);
  const double rows = total(d);
  const Vector mean = total.head(d) / rows;
  preparation.shift.assign(mean.begin(), mean.end());

  // Squares around the mean, not around zero: a second pass instead of cancellation.
  Matrix squares = Matrix::Zero(d, m);
  for (Index i = 0; i < m; ++i) {
    auto& source = *nodes[static_cast<std::size_t>(i)];
    Vector unseen = Vector::Constant(d, static_cast<double>(source.rows()));
    for_each_number(source, nullptr, [&](Index j, double v) {
      const double away = v - mean(j);
      squares(j, i) += away * away;
      unseen(j) -= 1.0;
    });
    squares.col(i).array() += unseen.array() * mean.array() * mean.array();
  }
  const Vector square = network.agree_sum(squares);
  for (Index j = 0; j < d; ++j) {
    const double deviation = std::sqrt(square(j) / rows);
    const double rounding = 16.0 * std::numeric_limits<double>::epsilon() * std::abs(mean(j));
    preparation.scale.push_back(deviation > rounding ? deviation : 1.0);
  }
}

}  // namespace

std::vector<double> agree_on_classes(std::span<const double> labels, LabelKind kind, Network& network) {
  std::vector<double> own(labels.begin(), labels.end());
  std::sort(own.begin(), own.end());
  std::vector<double> classes;
  auto next = own.begin();
  while (classes.size() <= most_classes(kind)) {
    // The smallest label beyond the last class, as the largest of negated ones.
    const double smallest =
        -network.agree_max(Matrix::Constant(1, network.local_nodes(), next == own.end() ? -kNone : -*next))(0);
    if (smallest == kNone) {
      break;
    }
    classes.push_back(smallest);
    next = std::upper_bound(next, own.end(), smallest);
  }
  return classes;
}

void agree_on_shape(std::span<const std::shared_ptr<RowStore>> parts, Network& network, const std::string& where) {
  Matrix sums = Matrix::Zero(2, network.local_nodes());
  Index widest = 0;
  double narrowest = kNone;  // of those whose width is fixed
  for (const auto& part : parts) {
    sums(0, 0) += static_cast<double>(part->rows());
    sums(1, 0) += static_cast<double>(part->nonzeros());
    widest = std::max(widest, part->features());
    narrowest = part->has_fixed_width() ? std::min(narrowest, static_cast<double>(part->features())) : narrowest;
  }
  Matrix widths(2, network.local_nodes());
  widths.row(0).setConstant(static_cast<double>(widest));
  widths.row(1).setConstant(-narrowest);
  const Vector total = network.agree_sum(sums);
  const Vector width = network.agree_max(widths);
  const auto features = static_cast<Index>(width(0));
  require<DataError>(width(0) <= -width(1), where, "tables of one width at all nodes",
                     fmt::format("{:.0f} to {} features", -width(1), features));
  const bool dense = dense_is_faster(static_cast<Index>(total(0)), features, static_cast<Count>(total(1)));
  for (const auto& part : parts) {
    part->set_table_shape(features, dense);
  }
}

Preparation agree_preparation(std::span<const std::shared_ptr<RowSource>> local_nodes, Network& network,
                              const PreparationOptions& options, std::span<ColumnWatch> watches) {
  Preparation preparation;
  preparation.options = options;
  const MeterTotals before = network.meters().totals();
  const Index d = local_nodes.front()->features();
  if (options.scaling == Scaling::kMaxAbs) {
    const Vector largest = agree_max_abs(local_nodes, network, d, watches);
    preparation.scale.assign(largest.data(), largest.data() + d);
    std::replace(preparation.scale.begin(), preparation.scale.end(), 0.0, 1.0);
    preparation.numbers_shared = d;
  } else if (options.scaling == Scaling::kStandard) {
    agree_standard(local_nodes, network, d, preparation, watches);
    preparation.numbers_shared = 2 * d + 1;
  }
  const MeterTotals after = network.meters().totals();
  preparation.messages = after.messages - before.messages;
  preparation.bytes_sent = after.bytes_sent - before.bytes_sent;
  return preparation;
}

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
std::string rounded(double value) { return fmt::format("{:.3g}", value); }

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

  [[nodiscard]] std::string list(const std::vector<Index>& columns) const {
    std::vector<std::string> names;
    std::transform(columns.begin(), columns.end(), std::back_inserter(names), [this](Index j) { return name(j); });
    return text::some_of(names, kMostNamed);
  }
  /// The columns of which that holds.
  template <class Holds>
  [[nodiscard]] std::vector<Index> columns_that(Holds&& holds) const {
    std::vector<Index> columns;
    for (Index j = 0; j < low_.size(); ++j) {
      if (holds(j)) {
        columns.push_back(j);
      }
    }
    return columns;
  }

  void tell_constant() {
    const std::vector<Index> constant = columns_that([this](Index j) { return is_constant(j); });
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
    const std::vector<Index> large = columns_that([this](Index j) { return size(j) >= kTimeStamp; });
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
      column.range.add(value);
      column.fingerprint += mix(row ^ std::bit_cast<std::uint64_t>(value));
    });
  }
  rows_ += block.count;
}

double ColumnWatch::fingerprint(Index j) const {
  constexpr std::uint64_t kExactInSums = (std::uint64_t{1} << 36U) - 1;  // over 2^17 nodes
  return static_cast<double>(column(j).fingerprint & kExactInSums);
}

std::vector<std::string> agree_on_column_notes(std::span<const ColumnWatch> local_nodes, Network& network,
                                               std::span<const std::string> names,
                                               const PreparationOptions& preparation) {
  const auto m = static_cast<Index>(local_nodes.size());
  const Index d = local_nodes.front().columns();
  Matrix extremes(2 * d, m);
  Matrix fingerprints(d, m);
  for (Index i = 0; i < m; ++i) {
    const ColumnWatch& watch = local_nodes[static_cast<std::size_t>(i)];
    for (Index j = 0; j < d; ++j) {
      extremes(j, i) = watch.highest(j);
      extremes(d + j, i) = -watch.lowest(j);
      fingerprints(j, i) = watch.fingerprint(j);
    }
  }
  const Vector largest = network.agree_max(extremes);
  return Notes(-largest.tail(d), largest.head(d), network.agree_sum(fingerprints), names).take(preparation);
}

}  // namespace slidemesh
