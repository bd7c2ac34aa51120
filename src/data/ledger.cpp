#include "slidemesh/data/ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <string_view>
#include <utility>

#include "slidemesh/base/atomic_file.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/base/text.h"

namespace slidemesh {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// What the rows of a block take in memory: labels, numbers and, if sparse, their columns.
Count bytes_of(const RowBlock& block) {
  constexpr Count kNumber = sizeof(double);
  if (block.offsets == nullptr) {
    return block.count * (block.features + 1) * kNumber;
  }
  Count nonzeros = 0;
  for (Index r = 0; r < block.count; ++r) {
    const Index row = block.storage_row(r);
    nonzeros += block.offsets[row + 1] - block.offsets[row];
  }
  return block.count * kNumber + nonzeros * (kNumber + static_cast<Count>(sizeof(std::int32_t)));
}

std::string json_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20) {
      out += fmt::format("\\u{:04x}", byte);
    } else {
      out.append(c == '"' || c == '\\' ? "\\" : "").push_back(c);
    }
  }
  return out + '"';
}

Index count_distinct(std::span<const Index> rows) {
  thread_local std::vector<Index> sorted;
  sorted.assign(rows.begin(), rows.end());
  std::sort(sorted.begin(), sorted.end());
  return std::unique(sorted.begin(), sorted.end()) - sorted.begin();
}

/// 2026-01-31T12:00:00.123456Z
std::string utc(std::chrono::system_clock::time_point time) {
  constexpr std::int64_t kMicroseconds = 1'000'000;  // in a second
  const auto microseconds = std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count();
  const std::time_t whole = microseconds / kMicroseconds;
  std::tm parts{};
  ::gmtime_r(&whole, &parts);
  std::array<char, 40> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S.", &parts);
  return fmt::format("{}{:06}Z", std::string_view(text.data(), size), microseconds % kMicroseconds);
}

}  // namespace

class Ledger::Source final : public RowSource {
 public:
  Source(Ledger& ledger, std::shared_ptr<RowSource> source, Index local_node, KeyOf key_of)
      : ledger_(ledger), source_(std::move(source)), local_node_(local_node), key_of_(std::move(key_of)) {}

  [[nodiscard]] Index rows() const override { return source_->rows(); }
  [[nodiscard]] Index features() const override { return source_->features(); }
  [[nodiscard]] std::optional<RowLengths> lengths() const override { return source_->lengths(); }

  void scan(AccessPurpose purpose, const Visit& visit) override {
    ledger_.authorize(rows());
    Entry entry{purpose, 0, 0, {}, 0, std::chrono::system_clock::now(), 0.0};
    note_blocks(entry, visit, [&](const Visit& noted) { source_->scan(purpose, noted); });
    entry.read = entry.rows;
    ledger_.note(local_node_, std::move(entry));
  }

  void visit(AccessPurpose purpose, std::span<const Index> numbers, const Visit& visit) override {
    Entry entry{purpose, 0, 0, keys_of(numbers), 0, std::chrono::system_clock::now(), 0.0};
    entry.read = ledger_.note_used(local_node_, numbers);
    ledger_.authorize(entry.read);
    note_blocks(entry, visit, [&](const Visit& noted) { source_->visit(purpose, numbers, noted); });
    ledger_.note(local_node_, std::move(entry));
  }

  RowBlock fetch(AccessPurpose purpose, std::span<const Index> numbers) override {
    Entry entry{purpose, static_cast<Index>(numbers.size()), 0, {}, 0, std::chrono::system_clock::now(), 0.0};
    entry.keys = keys_of(numbers);
    entry.read = ledger_.note_used(local_node_, numbers);
    ledger_.authorize(entry.read);
    const auto begin = Clock::now();
    const RowBlock block = source_->fetch(purpose, numbers);
    entry.seconds = seconds_since(begin);
    entry.bytes = bytes_of(block);
    ledger_.note(local_node_, std::move(entry));
    return block;
  }

  void prefetch(AccessPurpose purpose, std::span<const Index> numbers) override {
    if (source_->gains_from_prefetch() && !numbers.empty()) {
      ledger_.note_ahead(local_node_, numbers, keys_of(numbers));
    }
    source_->prefetch(purpose, numbers);
  }
  [[nodiscard]] bool gains_from_prefetch() const override { return source_->gains_from_prefetch(); }

 private:
  /// `show` shows blocks to what it is given. Their rows and bytes, and the time that they took to come.
  template <class Show>
  static void note_blocks(Entry& entry, const Visit& visit, Show&& show) {
    const auto begin = Clock::now();
    double outside = 0.0;
    show([&](const RowBlock& block, Index first) {
      entry.rows += block.count;
      entry.bytes += bytes_of(block);
      const auto visited = Clock::now();
      visit(block, first);
      outside += seconds_since(visited);
    });
    entry.seconds = seconds_since(begin) - outside;
  }

  /// A JSON array of what these rows are called, where somebody is to read it.
  [[nodiscard]] std::string keys_of(std::span<const Index> numbers) const {
    std::string keys;
    for (const Index number : ledger_.writes() ? numbers : std::span<const Index>{}) {
      const RowKey key = key_of_ ? key_of_(number) : RowKey(number);
      keys += keys.empty() ? '[' : ',';
      keys += std::holds_alternative<std::string>(key) ? json_string(std::get<std::string>(key)) : to_text(key);
    }
    return keys.empty() ? keys : keys + ']';
  }

  Ledger& ledger_;
  std::shared_ptr<RowSource> source_;
  Index local_node_;
  KeyOf key_of_;
};

Ledger::Ledger(const std::filesystem::path& path, Index first_node, Index local_nodes, bool append)
    : name_(path.string()), first_node_(first_node), nodes_(static_cast<std::size_t>(local_nodes)) {
  if (!writes()) {
    return;
  }
  file_.open(claim_file(path), append ? std::ios::app : std::ios::trunc);
  require<UsageError>(!file_.fail(), "data.ledger", "a file that can be written", name_);
}

Ledger::~Ledger() {
  try {
    flush();
  } catch (const Error&) {  // nobody is left to report it to
    return;
  }
}

std::shared_ptr<RowSource> Ledger::around(std::shared_ptr<RowSource> source, Index local_node, KeyOf key_of) {
  return std::make_shared<Source>(*this, std::move(source), local_node, std::move(key_of));
}

void Ledger::begin_method(std::string label) {
  flush();
  method_ = std::move(label);
  step_ = 0;
  for (Node& node : nodes_) {
    node.ahead.clear();
    node.totals = {};
  }
}

void Ledger::begin_step(int step) {
  flush();
  step_ = step;
}

void Ledger::authorize(Index rows) {
  if (!budget_) {
    return;
  }
  const std::lock_guard lock(mutex_);
  if (spent_ + rows > *budget_) {
    fail<StoppedError>("data.budget", fmt::format("at most {} rows to be read", *budget_),
                       fmt::format("{} and then {} more", spent_, rows));
  }
  spent_ += rows;
}

void Ledger::note_opening(Count rows) {
  opening_ += rows;
  if (!writes()) {
    return;
  }
  write(kNoNode, {AccessPurpose::kLoad, rows, rows, {}, kUnknown, std::chrono::system_clock::now(), 0.0});
}

void Ledger::note(Index local_node, Entry entry) {
  Node& node = nodes_[static_cast<std::size_t>(local_node)];  // a node is worked on by one thread at a time
  node.read += entry.read;
  if (is_charged(entry.purpose)) {
    node.totals.rows += entry.rows;
    ++node.totals.accesses;
  }
  if (writes()) {
    node.entries.push_back(std::move(entry));
  }
}

bool Ledger::is_ahead(Index local_node, std::span<const Index> rows) const {
  const auto& ahead = nodes_[static_cast<std::size_t>(local_node)].ahead;
  return rows.size() <= ahead.size() && std::equal(rows.begin(), rows.end(), ahead.begin());
}

void Ledger::note_ahead(Index local_node, std::span<const Index> rows, std::string keys) {
  if (is_ahead(local_node, rows)) {
    return;
  }
  const Index read = count_distinct(rows);
  authorize(read);
  nodes_[static_cast<std::size_t>(local_node)].ahead.assign(rows.begin(), rows.end());
  note(local_node, {AccessPurpose::kPrefetch, static_cast<Index>(rows.size()), read, std::move(keys), kUnknown,
                    std::chrono::system_clock::now(), 0.0});
}

Index Ledger::note_used(Index local_node, std::span<const Index> rows) {
  auto& ahead = nodes_[static_cast<std::size_t>(local_node)].ahead;
  if (!rows.empty() && is_ahead(local_node, rows)) {
    ahead.erase(ahead.begin(), ahead.begin() + static_cast<std::ptrdiff_t>(rows.size()));
    return 0;
  }
  ahead.clear();
  return count_distinct(rows);
}

Count Ledger::rows_read() const {
  Count sum = 0;
  for (const Node& node : nodes_) {
    sum += node.read;
  }
  return sum;
}

Ledger::Totals Ledger::totals() const {
  Totals sum;
  for (const Node& node : nodes_) {
    sum.rows += node.totals.rows;
    sum.accesses += node.totals.accesses;
  }
  return sum;
}

void Ledger::flush() {
  if (!writes()) {
    return;
  }
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    for (const Entry& entry : nodes_[i].entries) {
      write(first_node_ + static_cast<Index>(i), entry);
    }
    nodes_[i].entries.clear();
  }
  file_.flush();
  require<UsageError>(!file_.fail(), name_, "room for the ledger", "an error in writing");
}

void Ledger::write(Index node, const Entry& entry) {
  file_ << '{';
  if (!method_.empty()) {
    file_ << R"("method":)" << json_string(method_) << ',';
  }
  if (node != kNoNode) {
    file_ << R"("node":)" << node << ',';
  }
  file_ << R"("step":)" << step_ << R"(,"purpose":")" << to_string(entry.purpose) << R"(","rows":)" << entry.rows
        << R"(,"read":)" << entry.read;
  if (!entry.keys.empty()) {
    file_ << R"(,"keys":)" << entry.keys;
  }
  if (entry.bytes == kUnknown) {
    file_ << R"(,"time":")" << utc(entry.time) << "\"}\n";
    return;
  }
  file_ << R"(,"bytes":)" << entry.bytes << R"(,"time":")" << utc(entry.time) << R"(","seconds":)"
        << text::shortest(entry.seconds) << "}\n";
}

}  // namespace slidemesh
