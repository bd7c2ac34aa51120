#include "slidemesh/data/load/own_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "../formats/line_reader.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/data/partition.h"

namespace slidemesh {

namespace {

constexpr Index kRowsAtOnce = 1024;
constexpr std::string_view kNode = "{node}";
constexpr std::string_view kRank = "{rank}";

/// visit(block) for all rows, or the first `most` (0: all), a few at a time. How many there were.
template <class Visit>
Index for_each_block(RowReader& reader, Count most, Visit&& visit) {
  Index done = 0;
  for (;;) {
    Rows block;
    clear_rows(block, 0, true);
    const Index want = most > 0 ? std::min<Index>(kRowsAtOnce, most - done) : kRowsAtOnce;
    const Index got = want > 0 ? reader.read(want, block) : 0;
    if (got == 0) {
      return done;
    }
    visit(block);
    done += got;
  }
}

std::string fill_in(std::string path, std::string_view place, Index number) {
  for (auto at = path.find(place); at != std::string::npos; at = path.find(place)) {
    path.replace(at, place.size(), std::to_string(number));
  }
  return path;
}

/// Lets through the rows of these numbers, ascending, of another reader.
class ChosenRows final : public RowReader {
 public:
  /// `read_before` rows were read in order to choose.
  ChosenRows(std::unique_ptr<RowReader> reader, std::vector<Index> numbers, Count read_before = 0)
      : reader_(std::move(reader)), numbers_(std::move(numbers)), read_before_(read_before) {}

  Index read(Index most, Rows& rows) override {
    Index count = 0;
    while (count < most && next_ < numbers_.size()) {
      const Index number = numbers_[next_];
      if (number >= behind_) {
        clear_rows(block_, 0, true);
        // Not a row further than the last one: it might be wider than all of the table.
        const Index got = reader_->read(std::min(kRowsAtOnce, numbers_.back() + 1 - behind_), block_);
        if (got == 0) {
          fail<DataError>(name(), fmt::format("{} rows as counted", numbers_.back() + 1), std::to_string(behind_));
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
  [[nodiscard]] TableFacts facts() const override { return reader_->facts(); }
  [[nodiscard]] bool has_fixed_width() const override { return reader_->has_fixed_width(); }
  [[nodiscard]] Count rows_read() const override { return read_before_ + reader_->rows_read(); }
  [[nodiscard]] const std::string& name() const override { return reader_->name(); }

 private:
  std::unique_ptr<RowReader> reader_;
  std::vector<Index> numbers_;
  Count read_before_;
  std::size_t next_ = 0;
  Index behind_ = 0;  ///< the number of the row behind the block
  Rows block_;
};

/// Numbers in the file of each local node's rows.
std::vector<std::vector<Index>> local_rows(const Partition& partition, const Network& network) {
  std::vector<std::vector<Index>> numbers;
  for (Index i = 0; i < network.local_nodes(); ++i) {
    numbers.push_back(partition.rows(network.global(i)));
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
                                        const OwnRowsOptions& options) {
  const auto range =
      find_own_range(path, {*options.syntax, open(path, ByteRange{})->facts().has_header, options.max_rows}, network);
  if (!range) {
    return std::nullopt;
  }
  OwnReader own;
  own.places = places_of(local_rows(split_contiguously(range->all_rows, network.nodes()), network), own.numbers);
  std::vector<Index> numbers = own.numbers;
  for (Index& number : numbers) {
    number -= range->first;
  }
  own.reader = std::make_unique<ChosenRows>(open(path, range->bytes), std::move(numbers));
  return own;
}

OwnReader pass_over(const std::filesystem::path& path, const SplitOptions& split, Network& network,
                    const OpenReader& open, const OwnRowsOptions& options) {
  std::vector<double> labels;
  const bool by_label = split.rule != SplitRule::kContiguous;
  const Index rows = for_each_block(*open(path, {}), options.max_rows, [&](const Rows& block) {
    if (by_label) {
      labels.insert(labels.end(), block.labels.begin(), block.labels.end());
    }
  });
  require<DataError>(options.max_rows <= rows, path.string(), fmt::format("{} rows (data.rows)", options.max_rows),
                     std::to_string(rows));
  OwnReader own;
  const Partition partition =
      by_label ? split_rows(labels, network.nodes(), split) : split_contiguously(rows, network.nodes());
  own.places = places_of(local_rows(partition, network), own.numbers);
  own.reader = std::make_unique<ChosenRows>(open(path, {}), own.numbers, rows);
  return own;
}

}  // namespace

bool names_parts(const std::string& path) {
  return names_parts_of_nodes(path) || path.find(kRank) != std::string::npos;
}

bool names_parts_of_nodes(const std::string& path) { return path.find(kNode) != std::string::npos; }

std::string with_node(const std::string& text, Index node) { return fill_in(text, kNode, node); }

std::string part_path(const std::string& path, int rank, Index node) {
  return with_node(fill_in(path, kRank, rank), node);
}

OwnReader open_own_rows(const std::filesystem::path& path, const SplitOptions& split, Network& network,
                        const OpenReader& open, const OwnRowsOptions& options) {
  if (split.rule == SplitRule::kContiguous && options.syntax) {
    if (auto own = open_own_bytes(path, network, open, options)) {
      return std::move(*own);
    }
  }
  return pass_over(path, split, network, open, options);
}

namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

struct LineStart {
  std::int64_t offset = 0;
  Count lines_before = 0;  ///< in the share
};

/// The lines that begin in some bytes of a file.
struct Share {
  /// Those that begin a row or a header, if the share begins outside quotes, and if it begins inside.
  std::array<std::vector<LineStart>, 2> starts;
  Count lines = 0;
  bool odd_quotes = false;
};

bool begins_row(std::string_view line, RowSyntax syntax) {
  if (syntax == RowSyntax::kCsv) {
    return !line.empty();
  }
  const auto first = line.find_first_not_of(" \t");
  return first != std::string_view::npos && line[first] != '#';
}

Share look_through(const std::filesystem::path& path, std::int64_t begin, std::int64_t end, RowSyntax syntax) {
  Share share;
  // From the byte before: it tells whether a line begins with the share.
  std::int64_t at = std::max<std::int64_t>(begin - 1, 0);
  LineReader lines(open_bytes(path, {at, end}, true), path.string());
  std::string_view line;
  if (begin > 0) {
    if (!lines.next(line)) {
      return share;
    }
    at += lines.bytes();
  }
  const std::int64_t base = at - lines.bytes();
  for (; at < end && lines.next(line); at = base + lines.bytes()) {
    if (at == 0 && syntax == RowSyntax::kCsv && line.starts_with(kByteOrderMark)) {
      line.remove_prefix(kByteOrderMark.size());
    }
    if (begins_row(line, syntax)) {
      share.starts[share.odd_quotes ? 1 : 0].push_back({at, share.lines});
    }
    if (syntax == RowSyntax::kCsv) {
      share.odd_quotes ^= std::count(line.begin(), line.end(), '"') % 2 != 0;
    }
    ++share.lines;
  }
  return share;
}

/// What all have to know of a share, in the place of the process's first node.
enum ShareFact : Index { kOutside, kInside, kOddQuotes, kLines, kShareFacts };

/// What is before a share.
struct Before {
  Count records = 0;
  Count lines = 0;
  bool inside = false;
};

Before add_up(const Vector& facts, Index shares) {
  Before before;
  for (Index s = 0; s < shares; ++s) {
    const auto of_share = facts.segment(s * kShareFacts, kShareFacts);
    before.records += static_cast<Count>(of_share(before.inside ? kInside : kOutside));
    before.lines += static_cast<Count>(of_share(kLines));
    before.inside ^= of_share(kOddQuotes) != 0.0;
  }
  return before;
}

Vector share_facts(const Share& share, Network& network) {
  Matrix facts = Matrix::Zero(kShareFacts * network.nodes(), network.local_nodes());
  auto own = facts.col(0).segment(network.first_node() * kShareFacts, kShareFacts);
  own(kOutside) = static_cast<double>(share.starts[0].size());
  own(kInside) = static_cast<double>(share.starts[1].size());
  own(kOddQuotes) = share.odd_quotes ? 1.0 : 0.0;
  own(kLines) = static_cast<double>(share.lines);
  return network.agree_sum(facts);
}

/// Where each node's first record begins, and how many lines are before it: 2 numbers per node, from those in whose
/// shares they are.
Vector agree_boundaries(const Share& share, const Before& before, const Partition& rows, Count header,
                        Network& network) {
  const auto& starts = share.starts[before.inside ? 1 : 0];
  Matrix places = Matrix::Zero(2 * network.nodes() + 2, network.local_nodes());
  for (Index node = 0; node <= network.nodes(); ++node) {
    const Count place = rows.offsets[static_cast<std::size_t>(node)] + header - before.records;
    if (place >= 0 && place < static_cast<Count>(starts.size())) {
      const LineStart& start = starts[static_cast<std::size_t>(place)];
      places(2 * node, 0) = static_cast<double>(start.offset);
      places(2 * node + 1, 0) = static_cast<double>(before.lines + start.lines_before);
    }
  }
  return network.agree_sum(places);
}

/// The size that all see, if the file can be begun in its middle.
std::optional<std::int64_t> agreed_size(const std::filesystem::path& path, Network& network) {
  const auto size = plain_size(path);
  Matrix sizes(3, network.local_nodes());
  sizes.row(0).setConstant(static_cast<double>(size.value_or(0)));
  sizes.row(1).setConstant(-static_cast<double>(size.value_or(0)));
  sizes.row(2).setConstant(size ? 0.0 : 1.0);
  const Vector agreed = network.agree_max(sizes);
  if (agreed(2) != 0.0) {
    return std::nullopt;
  }
  require<DataError>(
      agreed(0) == -agreed(1), path.string(), "the same file at every rank",
      fmt::format("files of {} to {} bytes", static_cast<Count>(-agreed(1)), static_cast<Count>(agreed(0))));
  return size;
}

}  // namespace

std::optional<OwnRange> find_own_range(const std::filesystem::path& path, const RangeOptions& options,
                                       Network& network) {
  const Index nodes = network.nodes();
  if (nodes > kMostNodesByRange) {
    return std::nullopt;
  }
  const auto size = agreed_size(path, network);
  if (!size) {
    return std::nullopt;
  }
  const auto share_begin = [&](Index node) { return *size / nodes * node + *size % nodes * node / nodes; };
  const Index first = network.first_node();
  const Index behind = first + network.local_nodes();
  const Share share = look_through(path, share_begin(first), share_begin(behind), options.syntax);
  const Vector facts = share_facts(share, network);

  const Count header = options.has_header ? 1 : 0;
  const Index in_file = add_up(facts, nodes).records - header;
  require<DataError>(options.max_rows <= in_file, path.string(), fmt::format("{} rows (data.rows)", options.max_rows),
                     std::to_string(in_file));
  OwnRange own;
  own.all_rows = options.max_rows > 0 ? options.max_rows : in_file;
  const Partition rows = split_contiguously(own.all_rows, nodes);
  const Vector boundaries = agree_boundaries(share, add_up(facts, first), rows, header, network);
  const auto offset = [&](Index node) {
    const bool at_end = node == nodes && own.all_rows == in_file;
    return at_end ? *size : static_cast<std::int64_t>(boundaries(2 * node));
  };
  own.bytes = {offset(first), offset(behind), static_cast<std::int64_t>(boundaries(2 * first + 1))};
  own.first = rows.first(first);
  own.rows = rows.first(behind - 1) + rows.count(behind - 1) - own.first;
  return own;
}

}  // namespace slidemesh
