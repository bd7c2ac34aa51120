#include "slidemesh/io/private_rows.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "slidemesh/core/errors.h"

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

/// visit(block, number of its first row) for all rows, or the first `most` (0: all), a few at a time.
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
    visit(block, done);
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

/// Sums and largest values over all nodes, and each part in the form that suits the whole.
void complete(PrivateRows& own, Network& network, const PrivateRowsOptions& options) {
  Count rows = 0;
  Count nonzeros = 0;
  for (const Rows& part : own.parts) {
    rows += part.count();
    nonzeros += part.nonzeros();
  }
  own.features = static_cast<Index>(agree_one(network, static_cast<double>(own.features), true));
  own.rows = static_cast<Count>(agree_one(network, static_cast<double>(rows), false));
  nonzeros = static_cast<Count>(agree_one(network, static_cast<double>(nonzeros), false));
  if (options.want_classes) {
    std::vector<double> labels;
    for (const Rows& part : own.parts) {
      labels.insert(labels.end(), part.labels.begin(), part.labels.end());
    }
    own.classes = agree_on_classes(labels, network);
  }
  const bool dense = dense_is_faster(own.rows, own.features, nonzeros);
  for (Rows& part : own.parts) {
    part.features = own.features;
    if (dense) {
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
  const auto reader = open(path);
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

/// Which rows of the table belong to local nodes, by number.
struct Place {
  Index row = 0;
  Index node = 0;      ///< local
  Index position = 0;  ///< among that node's rows
};

std::vector<Place> places_of_local_rows(const Partition& partition, const Network& network) {
  std::vector<Place> places;
  for (Index i = 0; i < network.local_nodes(); ++i) {
    for (Index r = 0; r < partition.count(network.global(i)); ++r) {
      places.push_back({partition.row(network.global(i), r), i, r});
    }
  }
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.row < b.row; });
  return places;
}

/// The rows of `places`, of which a node's rows then come in the order of their positions.
std::vector<Rows> keep_rows(RowReader& reader, const std::vector<Place>& places, const Network& network) {
  const auto nodes = static_cast<std::size_t>(network.local_nodes());
  std::vector<Rows> parts(nodes);
  std::vector<std::vector<Index>> order(nodes);
  auto next = places.begin();
  const Count last_row = places.empty() ? 0 : places.back().row + 1;
  for_each_block(reader, last_row, [&](const Rows& block, Index first) {
    for (; next != places.end() && next->row < first + block.count(); ++next) {
      const auto node = static_cast<std::size_t>(next->node);
      if (order[node].size() <= static_cast<std::size_t>(next->position)) {
        order[node].resize(static_cast<std::size_t>(next->position) + 1);
      }
      order[node][static_cast<std::size_t>(next->position)] = parts[node].count();
      append_row(block, next->row - first, parts[node]);
    }
  });
  for (std::size_t i = 0; i < nodes; ++i) {
    if (!std::is_sorted(order[i].begin(), order[i].end())) {
      parts[i].features = reader.features();
      parts[i] = select_rows(parts[i], order[i]);
    }
  }
  return parts;
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

PrivateRows read_own_rows(const std::filesystem::path& path, const SplitOptions& split, Network& network,
                          const OpenReader& open, const PrivateRowsOptions& options) {
  PrivateRows own;
  std::vector<double> labels;
  const bool by_label = split.rule != SplitRule::kContiguous;
  const auto counter = open(path);
  const Index rows = for_each_block(*counter, options.max_rows, [&](const Rows& block, Index) {
    if (by_label) {
      labels.insert(labels.end(), block.labels.begin(), block.labels.end());
    }
  });
  if (options.max_rows > rows) {
    throw DataError(path.string() + ": expected " + std::to_string(options.max_rows) + " rows (data.rows), got " +
                    std::to_string(rows));
  }
  own.features = counter->features();
  own.feature_names = counter->feature_names();
  own.label_names = counter->label_names();
  labels.resize(static_cast<std::size_t>(rows));  // a contiguous split asks for their number alone
  const Partition partition = split_rows(labels, network.nodes(), split);
  const std::vector<Place> places = places_of_local_rows(partition, network);
  for (Index i = 0; i < network.local_nodes(); ++i) {
    std::vector<Index>& numbers = own.numbers.emplace_back();
    for (Index r = 0; r < partition.count(network.global(i)); ++r) {
      numbers.push_back(partition.row(network.global(i), r));
    }
  }
  own.parts = keep_rows(*open(path), places, network);
  complete(own, network, options);
  return own;
}

}  // namespace slidemesh
