// One process's part of a checkpoint. All numbers are in the machine's own byte order, and the mark says which:
//
//   "SLMCHECK"  u32 mark  u32 version  u64 size of what follows the header  u64 checksum of that
//   entries:  u32 type  u32 length of name  i64 node  i64 rows  i64 columns  name  data     name and data padded to 8
//
// The first entries are the identity, the others the state in the order in which it was visited.

#include "slidemesh/session/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "slidemesh/base/fail.h"
#include "slidemesh/base/hash.h"
#include "slidemesh/base/text.h"

namespace slidemesh {

namespace {

constexpr std::string_view kMagic = "SLMCHECK";
constexpr std::uint32_t kMark = 0x01020304U;
constexpr std::uint32_t kVersion = 2;
constexpr std::size_t kHeader = 32;
constexpr std::size_t kEntryHeader = 32;
constexpr std::size_t kWord = 8;
constexpr Count kMostSettings = 100'000;

enum Type : std::uint32_t { kText = 1, kDouble, kCount, kMatrix, kVector, kDoubles, kCounts };
constexpr std::array<const char*, 8> kTypeNames{"?",        "text",     "a number", "a count",
                                                "a matrix", "a vector", "numbers",  "counts"};

std::size_t padded(std::size_t size) { return (size + kWord - 1) / kWord * kWord; }

template <class T>
void put(std::string& bytes, T value) {
  std::array<char, sizeof(T)> raw;
  std::memcpy(raw.data(), &value, sizeof(T));
  bytes.append(raw.data(), raw.size());
}

template <class T>
T get(std::string_view bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

std::string shape(Index rows, Index columns) { return std::to_string(rows) + " x " + std::to_string(columns); }

}  // namespace

std::uint64_t checksum64(std::string_view bytes) { return hash_of(bytes); }

// ---------------------------------------------------------------- writing

CheckpointWriter::CheckpointWriter(CheckpointIdentity identity) : identity_(std::move(identity)) {
  bytes_.assign(kHeader, '\0');
  append_text("label", identity_.label);
  append_text("method", identity_.method);
  std::vector<Count> numbers{identity_.step, identity_.nodes, identity_.first_node, identity_.local_nodes,
                             static_cast<Count>(identity_.settings.size())};
  visit("identity", numbers);
  for (const auto& [key, value] : identity_.settings) {
    append_text(key, value);
  }
}

void CheckpointWriter::append(std::uint32_t type, std::string_view name, Index rows, Index columns, const void* data,
                              std::size_t size) {
  put(bytes_, type);
  put(bytes_, static_cast<std::uint32_t>(name.size()));
  put(bytes_, static_cast<std::int64_t>(node_));
  put(bytes_, static_cast<std::int64_t>(rows));
  put(bytes_, static_cast<std::int64_t>(columns));
  bytes_.append(name).resize(padded(bytes_.size()));
  if (size > 0) {
    bytes_.append(static_cast<const char*>(data), size).resize(padded(bytes_.size()));
  }
}

void CheckpointWriter::append_text(std::string_view name, std::string_view text) {
  append(kText, name, static_cast<Index>(text.size()), 1, text.data(), text.size());
}

void CheckpointWriter::node(Index local) { node_ = identity_.first_node + local; }
void CheckpointWriter::all_nodes() { node_ = -1; }

void CheckpointWriter::visit(std::string_view name, double& value) { append(kDouble, name, 1, 1, &value, kWord); }
void CheckpointWriter::visit(std::string_view name, Count& value) { append(kCount, name, 1, 1, &value, kWord); }
void CheckpointWriter::visit(std::string_view name, Matrix& value) {
  append(kMatrix, name, value.rows(), value.cols(), value.data(), static_cast<std::size_t>(value.size()) * kWord);
}
void CheckpointWriter::visit(std::string_view name, Vector& value) {
  append(kVector, name, value.size(), 1, value.data(), static_cast<std::size_t>(value.size()) * kWord);
}
void CheckpointWriter::visit(std::string_view name, std::vector<double>& value) {
  append(kDoubles, name, static_cast<Index>(value.size()), 1, value.data(), value.size() * kWord);
}
void CheckpointWriter::visit(std::string_view name, std::vector<Count>& value) {
  append(kCounts, name, static_cast<Index>(value.size()), 1, value.data(), value.size() * kWord);
}

std::string CheckpointWriter::finish() {
  std::string header(kMagic);
  put(header, kMark);
  put(header, kVersion);
  put(header, static_cast<std::uint64_t>(bytes_.size() - kHeader));
  put(header, checksum64(std::string_view(bytes_).substr(kHeader)));
  bytes_.replace(0, kHeader, header);
  return std::move(bytes_);
}

// ---------------------------------------------------------------- one part, read back

void CheckpointPart::fail(const std::string& expected, const std::string& got) const {
  slidemesh::fail<DataError>(name_, expected, got);
}

std::string_view CheckpointPart::name_of(const Entry& entry) const {
  return std::string_view(bytes_).substr(entry.name_at, entry.name_size);
}

CheckpointPart::CheckpointPart(std::string bytes, std::string name) : bytes_(std::move(bytes)), name_(std::move(name)) {
  if (bytes_.size() < kHeader || !bytes_.starts_with(kMagic)) {
    fail("a checkpoint of slidemesh", "something else");
  }
  if (get<std::uint32_t>(bytes_, 8) != kMark) {
    fail("a checkpoint in this machine's byte order", "another byte order");
  }
  if (get<std::uint32_t>(bytes_, 12) != kVersion) {
    fail("a checkpoint of version " + std::to_string(kVersion),
         "version " + std::to_string(get<std::uint32_t>(bytes_, 12)));
  }
  if (get<std::uint64_t>(bytes_, 16) != bytes_.size() - kHeader) {
    fail(std::to_string(get<std::uint64_t>(bytes_, 16)) + " bytes behind the header",
         std::to_string(bytes_.size() - kHeader));
  }
  if (get<std::uint64_t>(bytes_, 24) != checksum64(std::string_view(bytes_).substr(kHeader))) {
    fail("a whole checkpoint", "one whose checksum is wrong");
  }
  std::size_t position = kHeader;
  read_identity(position);
  nodes_.resize(static_cast<std::size_t>(identity_.local_nodes));
  while (position < bytes_.size()) {
    const Entry entry = entry_at(position);
    const Index local = entry.node - identity_.first_node;
    if (entry.node == -1) {
      shared_.push_back(entry);
    } else if (entry.node >= 0 && local >= 0 && local < identity_.local_nodes) {
      nodes_[static_cast<std::size_t>(local)].push_back(entry);
    } else {
      fail("the state of this part's nodes", "that of node " + std::to_string(entry.node));
    }
  }
}

CheckpointPart::Entry CheckpointPart::entry_at(std::size_t& position) const {
  const auto left = [&] { return bytes_.size() - position; };
  if (left() < kEntryHeader) {
    fail("an entry at byte " + std::to_string(position), "the end of the file");
  }
  Entry e;
  e.type = get<std::uint32_t>(bytes_, position);
  e.name_size = get<std::uint32_t>(bytes_, position + 4);
  e.node = static_cast<Index>(get<std::int64_t>(bytes_, position + 8));
  e.rows = static_cast<Index>(get<std::int64_t>(bytes_, position + 16));
  e.columns = static_cast<Index>(get<std::int64_t>(bytes_, position + 24));
  position += kEntryHeader;
  e.name_at = position;
  const bool known = e.type >= kText && e.type <= kCounts && e.rows >= 0 && e.columns >= 0;
  if (!known || padded(e.name_size) > left()) {
    fail("an entry at byte " + std::to_string(e.name_at), "bytes that make none");
  }
  position += padded(e.name_size);
  // No product of the two may be formed before both are known to be small.
  const std::size_t unit = e.type == kText ? 1 : kWord;
  const auto most = static_cast<Index>(left() / unit);
  const bool single = e.type != kMatrix;
  if (e.rows > most || e.columns > most + 1 || (single && e.columns != 1) ||
      (e.rows > 0 && e.columns > most / e.rows)) {
    fail(text::quoted(name_of(e), '"') + " to fit into the file", shape(e.rows, e.columns));
  }
  if ((e.type == kDouble || e.type == kCount) && e.rows != 1) {
    fail("one number for " + text::quoted(name_of(e), '"'), shape(e.rows, e.columns));
  }
  e.data_at = position;
  e.data_size = static_cast<std::size_t>(e.rows) * static_cast<std::size_t>(e.columns) * unit;
  if (padded(e.data_size) > left()) {
    fail(text::quoted(name_of(e), '"') + " to fit into the file", shape(e.rows, e.columns));
  }
  position += padded(e.data_size);
  return e;
}

void CheckpointPart::read_identity(std::size_t& position) {
  const auto expect = [&](std::string_view name, std::uint32_t type) {
    const Entry entry = entry_at(position);
    if (name_of(entry) != name || entry.type != type || entry.node != -1) {
      fail(text::quoted(name, '"'), text::quoted(name_of(entry), '"'));
    }
    return entry;
  };
  identity_.label = text_of(expect("label", kText));
  identity_.method = text_of(expect("method", kText));
  const Entry numbers = expect("identity", kCounts);
  constexpr Index kNumbers = 5;
  if (numbers.rows != kNumbers) {
    fail("5 numbers in \"identity\"", std::to_string(numbers.rows));
  }
  const auto number = [&](std::size_t i) { return get<Count>(bytes_, numbers.data_at + i * kWord); };
  const auto most_nodes = static_cast<Count>(bytes_.size());  // every node has its meters here
  const bool sensible = number(0) >= 0 && number(0) <= std::numeric_limits<int>::max() && number(1) >= 1 &&
                        number(2) >= 0 && number(3) >= 1 && number(3) <= most_nodes && number(2) < number(1) &&
                        number(3) <= number(1) - number(2) && number(4) >= 0 && number(4) <= kMostSettings;
  if (!sensible) {
    fail("a step and a range of nodes in \"identity\"", "numbers that make none");
  }
  identity_.step = static_cast<int>(number(0));
  identity_.nodes = number(1);
  identity_.first_node = number(2);
  identity_.local_nodes = number(3);
  for (Count i = 0; i < number(4); ++i) {
    const Entry setting = entry_at(position);
    if (setting.type != kText) {
      fail("a setting", kTypeNames[setting.type]);
    }
    identity_.settings.emplace_back(name_of(setting), text_of(setting));
  }
}

// ---------------------------------------------------------------- reading

CheckpointReader::CheckpointReader(std::vector<std::shared_ptr<const CheckpointPart>> parts, Index first_node,
                                   Index local_nodes)
    : parts_(std::move(parts)),
      first_node_(first_node),
      local_nodes_(local_nodes),
      node_position_(static_cast<std::size_t>(local_nodes), 0) {
  Index next_node = parts_.empty() ? -1 : parts_.front()->identity().first_node;
  bool whole = !parts_.empty() && next_node <= first_node;
  for (const auto& part : parts_) {
    const CheckpointIdentity& id = part->identity();
    const CheckpointIdentity& first = parts_.front()->identity();
    whole = whole && id.first_node == next_node && id.step == first.step && id.label == first.label &&
            id.nodes == first.nodes;
    next_node = id.first_node + id.local_nodes;
  }
  if (!whole || next_node < first_node + local_nodes) {
    slidemesh::fail<UsageError>(
        "checkpoint",
        fmt::format("the parts of one step that hold nodes {} to {}", first_node, first_node + local_nodes - 1),
        "others");
  }
}

void CheckpointReader::node(Index local) { node_ = first_node_ + local; }
void CheckpointReader::all_nodes() { node_ = -1; }

const CheckpointPart& CheckpointReader::part_of(Index node) const {
  std::size_t p = 0;
  while (node >= parts_[p]->identity().first_node + parts_[p]->identity().local_nodes) {
    ++p;
  }
  return *parts_[p];
}

namespace {

/// `name` and `type` must be those of the entry.
template <class Part, class Entry>
void require(const Part& part, const Entry* entry, std::string_view found, std::string_view name, std::uint32_t type) {
  if (entry == nullptr) {
    slidemesh::fail<DataError>(part.name(), text::quoted(name, '"'), "no more entries");
  }
  if (found != name || entry->type != type) {
    slidemesh::fail<DataError>(part.name(), fmt::format("{} as {}", text::quoted(name, '"'), kTypeNames[type]),
                               fmt::format("{} as {}", text::quoted(found, '"'), kTypeNames[entry->type]));
  }
}

}  // namespace

CheckpointReader::Found CheckpointReader::next_of_node(std::string_view name, std::uint32_t type) {
  const CheckpointPart& part = part_of(node_);
  const auto& entries = part.nodes_[static_cast<std::size_t>(node_ - part.identity().first_node)];
  std::size_t& position = node_position_[static_cast<std::size_t>(node_ - first_node_)];
  const CheckpointPart::Entry* entry = position < entries.size() ? &entries[position++] : nullptr;
  require(part, entry, entry == nullptr ? "" : part.name_of(*entry), name, type);
  return {entry->rows, entry->columns, part.text_of(*entry), &part};
}

/// Whether every part has one column (element) for each of its nodes, and so has what is being read.
bool CheckpointReader::is_dealt(const std::vector<const CheckpointPart::Entry*>& entries, bool by_column,
                                Index present) const {
  bool dealt = present == local_nodes_ || (by_column && present == 0);
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    dealt = dealt && (by_column ? entries[p]->columns : entries[p]->rows) == parts_[p]->identity().local_nodes;
    dealt = dealt && (!by_column || entries[p]->rows == entries[0]->rows);
  }
  return dealt;
}

CheckpointReader::Found CheckpointReader::next_shared(std::string_view name, std::uint32_t type, Index present_rows,
                                                      Index present_columns) {
  std::vector<const CheckpointPart::Entry*> entries;
  for (const auto& part : parts_) {
    entries.push_back(shared_position_ < part->shared_.size() ? &part->shared_[shared_position_] : nullptr);
    require(*part, entries.back(), entries.back() == nullptr ? "" : part->name_of(*entries.back()), name, type);
  }
  ++shared_position_;
  const CheckpointPart& front = *parts_.front();
  Found found{entries[0]->rows, entries[0]->columns, front.text_of(*entries[0]), &front};
  const bool as_dealt_before =
      parts_.size() == 1 && front.identity().first_node == first_node_ && front.identity().local_nodes == local_nodes_;
  const bool by_column = type == kMatrix;
  if (as_dealt_before) {
    return found;
  }
  if (is_dealt(entries, by_column, by_column ? present_columns : present_rows)) {
    found.bytes.clear();
    const std::size_t each = kWord * (by_column ? static_cast<std::size_t>(entries[0]->rows) : 1);
    for (Index i = 0; i < local_nodes_; ++i) {
      const CheckpointPart& part = part_of(first_node_ + i);
      std::size_t p = 0;
      while (parts_[p].get() != &part) {
        ++p;
      }
      const auto local = static_cast<std::size_t>(first_node_ + i - part.identity().first_node);
      found.bytes.append(part.bytes_, entries[p]->data_at + local * each, each);
    }
    (by_column ? found.columns : found.rows) = local_nodes_;
    return found;
  }
  for (std::size_t p = 1; p < parts_.size(); ++p) {
    if (parts_[p]->text_of(*entries[p]) != found.bytes || entries[p]->rows != found.rows) {
      slidemesh::fail<DataError>(parts_[p]->name(), fmt::format("{} as in {}", text::quoted(name, '"'), front.name()),
                                 "another value");
    }
  }
  return found;
}

CheckpointReader::Found CheckpointReader::next(std::string_view name, std::uint32_t type, Index present_rows,
                                               Index present_columns) {
  return node_ >= 0 ? next_of_node(name, type) : next_shared(name, type, present_rows, present_columns);
}

namespace {

/// What has no shape yet may have any.
void require_shape(const std::string& where, std::string_view name, Index rows, Index columns, Index wanted_rows,
                   Index wanted_columns, bool free) {
  if (!free && (rows != wanted_rows || columns != wanted_columns)) {
    slidemesh::fail<DataError>(where,
                               fmt::format("{} of {}", text::quoted(name, '"'), shape(wanted_rows, wanted_columns)),
                               shape(rows, columns));
  }
}

/// No run writes what is not a number. Infinity is what a minimum is before anything was seen.
void require_numbers(const std::string& where, std::string_view name, const double* values, Index count) {
  if (std::any_of(values, values + count, [](double value) { return std::isnan(value); })) {
    slidemesh::fail<DataError>(where, fmt::format("numbers in {}", text::quoted(name, '"')), "NaN");
  }
}

void copy(const std::string& bytes, void* to) {
  if (!bytes.empty()) {
    std::memcpy(to, bytes.data(), bytes.size());
  }
}

}  // namespace

void CheckpointReader::visit(std::string_view name, double& value) {
  const Found found = next(name, kDouble, 1, 1);
  copy(found.bytes, &value);
  require_numbers(found.part->name(), name, &value, 1);
}
void CheckpointReader::visit(std::string_view name, Count& value) { copy(next(name, kCount, 1, 1).bytes, &value); }

void CheckpointReader::visit(std::string_view name, Matrix& value) {
  const Found found = next(name, kMatrix, value.rows(), value.cols());
  require_shape(found.part->name(), name, found.rows, found.columns, value.rows(), value.cols(), value.size() == 0);
  value.resize(found.rows, found.columns);
  copy(found.bytes, value.data());
  require_numbers(found.part->name(), name, value.data(), value.size());
}

void CheckpointReader::visit(std::string_view name, Vector& value) {
  const Found found = next(name, kVector, value.size(), 1);
  require_shape(found.part->name(), name, found.rows, 1, value.size(), 1, value.size() == 0);
  value.resize(found.rows);
  copy(found.bytes, value.data());
  require_numbers(found.part->name(), name, value.data(), value.size());
}

template <class List>
void CheckpointReader::read_list(std::string_view name, std::uint32_t type, List& value) {
  const Found found = next(name, type, static_cast<Index>(value.size()), 1);
  value.resize(static_cast<std::size_t>(found.rows));
  copy(found.bytes, value.data());
  if constexpr (std::is_same_v<List, std::vector<double>>) {
    require_numbers(found.part->name(), name, value.data(), found.rows);
  }
}

void CheckpointReader::visit(std::string_view name, std::vector<double>& value) { read_list(name, kDoubles, value); }
void CheckpointReader::visit(std::string_view name, std::vector<Count>& value) { read_list(name, kCounts, value); }

void CheckpointReader::finish() const {
  bool all = shared_position_ == parts_.front()->shared_.size();
  for (Index i = 0; i < local_nodes_; ++i) {
    const CheckpointPart& part = part_of(first_node_ + i);
    const auto local = static_cast<std::size_t>(first_node_ + i - part.identity().first_node);
    all = all && node_position_[static_cast<std::size_t>(i)] == part.nodes_[local].size();
  }
  if (!all) {
    slidemesh::fail<DataError>(parts_.front()->name(), "the state of this method and no more", "more");
  }
}

}  // namespace slidemesh
