#include "slidemesh/data/private_rows.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "slidemesh/base/errors.h"

namespace slidemesh {

namespace {

constexpr Index kRowsAtOnce = 1024;
constexpr std::size_t kMostClasses = 10'000;
constexpr double kNone = std::numeric_limits<double>::infinity();

void append_row(const Rows& from, Index row, Rows& to) {
  const auto r = static_cast<std::size_t>(row);
  const auto begin = from.offsets[r];
  const auto end = from.offsets[r + 1];
  if (to.offsets.empty()) {
    to.offsets.push_back(0);
  }
  to.labels.push_back(from.labels[r]);
  to.values.insert(to.values.end(), from.values.begin() + begin, from.values.begin() + end);
  to.columns.insert(to.columns.end(), from.columns.begin() + begin, from.columns.begin() + end);
  to.offsets.push_back(static_cast<std::int64_t>(to.values.size()));
}

/// visit(block) for all rows, or the first `most` (0: all), a few at a time. How many there were.
template <class Visit>
Index for_each_block(RowReader& reader, Count most, Visit&& visit) {
  Index done = 0;
  for (;;) {
    Rows block;
    block.offsets.push_back(0);
    const Index want = most > 0 ? std::min<Index>(kRowsAtOnce, most - done) : kRowsAtOnce;
    const Index got = want > 0 ? reader.read(want, block) : 0;
    if (got == 0) {
      return done;
    }
    visit(block);
    done += got;
  }
}

double agree_one(Network& network, double value, bool largest) {
  Matrix values = Matrix::Zero(1, network.local_nodes());
  if (largest) {
    values.setConstant(value);
    return network.agree_max(values)(0);
  }
  values(0, 0) = value;
  return network.agree_sum(values)(0);
}

/// What all nodes know together, and each part in the form that suits the whole.
void complete(PrivateRows& own, Network& network, const PrivateRowsOptions& options) {
  TableFacts facts;
  facts.features = own.features;
  std::vector<double> labels;
  for (const Rows& part : own.parts) {
    facts.rows += part.count();
    facts.nonzeros += part.nonzeros();
    labels.insert(labels.end(), part.labels.begin(), part.labels.end());
  }
  facts = agree_on_table(facts, labels, options.want_classes, network);
  own.features = facts.features;
  own.rows = facts.rows;
  own.classes = facts.classes;
  for (Rows& part : own.parts) {
    part.features = facts.features;
    if (facts.dense()) {
      make_dense(part);
    }
  }
}

std::string fill_in(std::string path, const std::string& place, Index number) {
  for (auto at = path.find(place); at != std::string::npos; at = path.find(place)) {
    path.replace(at, place.size(), std::to_string(number));
  }
  return path;
}

Rows read_file(const std::string& path, const OpenReader& open, PrivateRows& own) {
  const auto reader = open(path, {});
  Rows rows = read_all(*reader);
  own.features = std::max(own.features, rows.features);
  own.feature_names = reader->feature_names();
  if (!reader->label_names().empty()) {
    throw DataError(path + ": expected numbers as labels, which mean the same in every part, got words");
  }
  return rows;
}

std::vector<Index> count_from(Index first, Index count) {
  std::vector<Index> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

/// Lets through the rows of these numbers, ascending, of another reader.
class ChosenRows final : public RowReader {
 public:
  ChosenRows(std::unique_ptr<RowReader> reader, std::vector<Index> numbers)
      : reader_(std::move(reader)), numbers_(std::move(numbers)) {}

  Index read(Index most, Rows& rows) override {
    Index count = 0;
    while (count < most && next_ < numbers_.size()) {
      const Index number = numbers_[next_];
      if (number >= behind_) {
        block_ = {};
        block_.offsets.push_back(0);
        // Not a row further than the last one: it might be wider than all of the table.
        const Index got = reader_->read(std::min(kRowsAtOnce, numbers_.back() + 1 - behind_), block_);
        if (got == 0) {
          throw DataError(name() + ": expected " + std::to_string(numbers_.back() + 1) + " rows as counted, got " +
                          std::to_string(behind_));
        }
        behind_ += got;
        continue;
      }
      append_row(block_, number - (behind_ - block_.count()), rows);
      ++next_;
      ++count;
    }
    rows.features = features();
    return count;
  }

  [[nodiscard]] Index features() const override { return reader_->features(); }
  [[nodiscard]] std::vector<std::string> feature_names() const override { return reader_->feature_names(); }
  [[nodiscard]] std::vector<std::string> label_names() const override { return reader_->label_names(); }
  [[nodiscard]] bool has_header() const override { return reader_->has_header(); }
  [[nodiscard]] const std::string& name() const override { return reader_->name(); }

 private:
  std::unique_ptr<RowReader> reader_;
  std::vector<Index> numbers_;
  std::size_t next_ = 0;
  Index behind_ = 0;  ///< the number of the row behind the block
  Rows block_;
};

/// Numbers in the file of each local node's rows.
std::vector<std::vector<Index>> local_rows(const Partition& partition, const Network& network) {
  std::vector<std::vector<Index>> numbers;
  for (Index i = 0; i < network.local_nodes(); ++i) {
    auto& of_node = numbers.emplace_back();
    for (Index r = 0; r < partition.count(network.global(i)); ++r) {
      of_node.push_back(partition.row(network.global(i), r));
    }
  }
  return numbers;
}

/// Where each node's rows come among all of theirs in the order of the file, which go to `sorted`.
Partition places_of(const std::vector<std::vector<Index>>& numbers, std::vector<Index>& sorted) {
  Partition places{{}, {0}};
  for (const auto& of_node : numbers) {
    sorted.insert(sorted.end(), of_node.begin(), of_node.end());
    places.offsets.push_back(static_cast<Index>(sorted.size()));
  }
  if (std::is_sorted(sorted.begin(), sorted.end())) {
    return places;
  }
  const std::vector<Index> dealt = sorted;
  std::sort(sorted.begin(), sorted.end());
  for (const Index number : dealt) {
    places.order.push_back(std::lower_bound(sorted.begin(), sorted.end(), number) - sorted.begin());
  }
  return places;
}

std::optional<OwnReader> open_own_bytes(const std::filesystem::path& path, Network& network, const OpenReader& open,
                                        const PrivateRowsOptions& options) {
  const auto range = find_own_range(path, {*options.syntax, open(path, {})->has_header(), options.max_rows}, network);
  if (!range) {
    return std::nullopt;
  }
  OwnReader own;
  own.numbers = local_rows(split_contiguously(range->all_rows, network.nodes()), network);
  std::vector<Index> numbers;
  own.places = places_of(own.numbers, numbers);
  for (Index& number : numbers) {
    number -= range->first;
  }
  own.reader = std::make_unique<ChosenRows>(open(path, range->bytes), std::move(numbers));
  return own;
}

OwnReader pass_over(const std::filesystem::path& path, const SplitOptions& split, Network& network,
                    const OpenReader& open, const PrivateRowsOptions& options) {
  std::vector<double> labels;
  const bool by_label = split.rule != SplitRule::kContiguous;
  const Index rows = for_each_block(*open(path, {}), options.max_rows, [&](const Rows& block) {
    if (by_label) {
      labels.insert(labels.end(), block.labels.begin(), block.labels.end());
    }
  });
  if (options.max_rows > rows) {
    throw DataError(path.string() + ": expected " + std::to_string(options.max_rows) + " rows (data.rows), got " +
                    std::to_string(rows));
  }
  OwnReader own;
  own.numbers = local_rows(
      by_label ? split_rows(labels, network.nodes(), split) : split_contiguously(rows, network.nodes()), network);
  std::vector<Index> numbers;
  own.places = places_of(own.numbers, numbers);
  own.reader = std::make_unique<ChosenRows>(open(path, {}), std::move(numbers));
  return own;
}

}  // namespace

std::vector<double> agree_on_classes(std::span<const double> labels, Network& network) {
  std::vector<double> classes;
  double last = -kNone;
  for (;;) {
    double next = kNone;
    for (const double label : labels) {
      next = label > last ? std::min(next, label) : next;
    }
    last = -agree_one(network, -next, true);
    if (last == kNone) {
      return classes;
    }
    classes.push_back(last);
    if (classes.size() > kMostClasses) {
      throw DataError("labels: expected at most " + std::to_string(kMostClasses) + " classes, got more");
    }
  }
}

bool names_parts(const std::string& path) {
  return path.find("{node}") != std::string::npos || path.find("{rank}") != std::string::npos;
}

PrivateRows read_part_files(const std::string& path, int rank, Network& network, const OpenReader& open,
                            const PrivateRowsOptions& options) {
  PrivateRows own;
  const std::string of_rank = fill_in(path, "{rank}", rank);
  if (path.find("{node}") != std::string::npos) {
    for (Index i = 0; i < network.local_nodes(); ++i) {
      own.parts.push_back(read_file(fill_in(of_rank, "{node}", network.global(i)), open, own));
      own.numbers.push_back(count_from(0, own.parts.back().count()));
    }
  } else {
    const Rows rows = read_file(of_rank, open, own);
    if (rows.count() < network.local_nodes()) {
      throw DataError(of_rank + ": expected at least a row for each of " + std::to_string(network.local_nodes()) +
                      " nodes, got " + std::to_string(rows.count()));
    }
    const Partition partition = split_rows(rows.labels, network.local_nodes());
    for (Index i = 0; i < network.local_nodes(); ++i) {
      own.numbers.push_back(count_from(partition.first(i), partition.count(i)));
      own.parts.push_back(select_rows(rows, own.numbers.back()));
    }
  }
  complete(own, network, options);
  return own;
}

TableFacts agree_on_table(const TableFacts& own, std::span<const double> labels, bool want_classes, Network& network) {
  TableFacts all;
  all.features = static_cast<Index>(agree_one(network, static_cast<double>(own.features), true));
  all.rows = static_cast<Count>(agree_one(network, static_cast<double>(own.rows), false));
  all.nonzeros = static_cast<Count>(agree_one(network, static_cast<double>(own.nonzeros), false));
  if (want_classes) {
    all.classes = agree_on_classes(labels, network);
  }
  return all;
}

OwnReader open_own_rows(const std::filesystem::path& path, const SplitOptions& split, Network& network,
                        const OpenReader& open, const PrivateRowsOptions& options) {
  if (split.rule == SplitRule::kContiguous && options.syntax) {
    if (auto own = open_own_bytes(path, network, open, options)) {
      return std::move(*own);
    }
  }
  return pass_over(path, split, network, open, options);
}

PrivateRows read_own_rows(const std::filesystem::path& path, const SplitOptions& split, Network& network,
                          const OpenReader& open, const PrivateRowsOptions& options) {
  OwnReader from = open_own_rows(path, split, network, open, options);
  PrivateRows own;
  own.numbers = std::move(from.numbers);
  const auto read = [&](Index count) {
    Rows rows;
    rows.offsets.push_back(0);
    from.reader->read(count, rows);
    return rows;
  };
  if (from.places.order.empty()) {
    for (const auto& numbers : own.numbers) {
      own.parts.push_back(read(static_cast<Index>(numbers.size())));
    }
  } else {
    const Rows rows = read(static_cast<Index>(from.places.order.size()));
    for (Index i = 0; i < network.local_nodes(); ++i) {
      own.parts.push_back(select_rows(rows, std::span(from.places.order)
                                                .subspan(static_cast<std::size_t>(from.places.first(i)),
                                                         static_cast<std::size_t>(from.places.count(i)))));
    }
  }
  own.features = from.reader->features();
  own.feature_names = from.reader->feature_names();
  own.label_names = from.reader->label_names();
  complete(own, network, options);
  return own;
}

}  // namespace slidemesh
