#include "slidemesh/session/checkpoint.h"

#include <limits>

#include "checkpoint_format.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/base/hash.h"
#include "slidemesh/base/text.h"

namespace slidemesh {

using namespace checkpoint_format;

// ---------------------------------------------------------------- writing

CheckpointWriter::CheckpointWriter(CheckpointIdentity identity, std::string memory)
    : identity_(std::move(identity)), bytes_(std::move(memory)) {
  bytes_.assign(kHeader, '\0');
  append_identity();
}

CheckpointWriter::CheckpointWriter(CheckpointIdentity identity, Measure /*measure*/)
    : identity_(std::move(identity)), measured_(kHeader) {
  append_identity();
}

void CheckpointWriter::append_identity() {
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
  if (measured_) {
    *measured_ += kEntryHeader + padded(name.size()) + padded(size);
    return;
  }
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
  put(header, hash_of(std::string_view(bytes_).substr(kHeader)));
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
  if (get<std::uint64_t>(bytes_, 24) != hash_of(std::string_view(bytes_).substr(kHeader))) {
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

}  // namespace slidemesh
