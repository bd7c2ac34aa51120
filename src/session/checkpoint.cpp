#include "slidemesh/session/checkpoint.h"

#include <bit>
#include <limits>

#include "checkpoint_format.h"
#include "packed_words.h"
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

void CheckpointWriter::begin_entry(std::uint32_t type, std::string_view name, Index rows, Index columns) {
  if (measured_) {
    *measured_ += kEntryHeader + padded(name.size());
    return;
  }
  put(bytes_, type);
  put(bytes_, static_cast<std::uint32_t>(name.size()));
  put(bytes_, static_cast<std::int64_t>(node_));
  put(bytes_, static_cast<std::int64_t>(rows));
  put(bytes_, static_cast<std::int64_t>(columns));
  bytes_.append(name).resize(padded(bytes_.size()));
}

void CheckpointWriter::append(std::uint32_t type, std::string_view name, Index rows, Index columns, const void* data,
                              std::size_t size) {
  begin_entry(type, name, rows, columns);
  if (measured_) {
    *measured_ += padded(size);
  } else if (size > 0) {
    bytes_.append(static_cast<const char*>(data), size).resize(padded(bytes_.size()));
  }
}

void CheckpointWriter::append_words(std::uint32_t type, std::string_view name, Index rows, Index columns,
                                    const void* data) {
  const auto words = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  const std::string_view bytes(static_cast<const char*>(data), words * kWord);
  std::size_t nonzeros = 0;
  for (std::size_t k = 0; k < words; ++k) {
    nonzeros += packed_words::word_at(bytes, k) != 0 ? 1 : 0;
  }
  if (!packed_words::is_shorter(words, nonzeros)) {
    append(type, name, rows, columns, data, bytes.size());
    return;
  }
  begin_entry(type | kPacked, name, rows, columns);
  if (measured_) {
    *measured_ += packed_words::size_of(words, nonzeros);
    return;
  }
  packed_words::Packer packer(bytes_, words);
  for (std::size_t k = 0; k < words; ++k) {
    packer.put(k, packed_words::word_at(bytes, k));
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
  append_words(kMatrix, name, value.rows(), value.cols(), value.data());
}
void CheckpointWriter::visit(std::string_view name, Vector& value) {
  append_words(kVector, name, value.size(), 1, value.data());
}
void CheckpointWriter::visit(std::string_view name, std::vector<double>& value) {
  append_words(kDoubles, name, static_cast<Index>(value.size()), 1, value.data());
}
void CheckpointWriter::visit(std::string_view name, std::vector<Count>& value) {
  append_words(kCounts, name, static_cast<Index>(value.size()), 1, value.data());
}

/// The entry of the matrix with all its rows, which is not made where it is mostly zeros.
void CheckpointWriter::visit(std::string_view name, CompactStacked& value) {
  const auto words = static_cast<std::size_t>(value.rows()) * static_cast<std::size_t>(value.columns());
  const auto word_of = [&](Index k, Index i) { return std::bit_cast<std::uint64_t>(value.numbers()(k, i)); };
  std::size_t nonzeros = 0;
  for (Index i = 0; i < value.columns(); ++i) {
    for (Index k = 0; k < value.kept(); ++k) {
      nonzeros += word_of(k, i) != 0 ? 1 : 0;
    }
  }
  if (!value.rest_is_zero() || !packed_words::is_shorter(words, nonzeros)) {
    Matrix whole = value.whole();
    visit(name, whole);
    return;
  }
  begin_entry(kMatrix | kPacked, name, value.rows(), value.columns());
  if (measured_) {
    *measured_ += packed_words::size_of(words, nonzeros);
    return;
  }
  packed_words::Packer packer(bytes_, words);
  for (Index i = 0; i < value.columns(); ++i) {
    for (Index k = 0; k < value.kept(); ++k) {
      const Index place = i * value.rows() + value.places()[static_cast<std::size_t>(k)];
      packer.put(static_cast<std::size_t>(place), word_of(k, i));
    }
  }
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

std::string_view CheckpointPart::data_of(const Entry& entry) const {
  return std::string_view(bytes_).substr(entry.data_at, entry.data_size);
}

CheckpointPart::CheckpointPart(std::string bytes, std::string name) : bytes_(std::move(bytes)), name_(std::move(name)) {
  require<DataError>(bytes_.size() >= kHeader && bytes_.starts_with(kMagic), name_, "a checkpoint of slidemesh",
                     "something else");
  require<DataError>(get<std::uint32_t>(bytes_, 8) == kMark, name_, "a checkpoint in this machine's byte order",
                     "another byte order");
  require<DataError>(get<std::uint32_t>(bytes_, 12) == kVersion, name_,
                     "a checkpoint of version " + std::to_string(kVersion),
                     "version " + std::to_string(get<std::uint32_t>(bytes_, 12)));
  require<DataError>(get<std::uint64_t>(bytes_, 16) == bytes_.size() - kHeader, name_,
                     std::to_string(get<std::uint64_t>(bytes_, 16)) + " bytes behind the header",
                     std::to_string(bytes_.size() - kHeader));
  require<DataError>(get<std::uint64_t>(bytes_, 24) == hash_of(std::string_view(bytes_).substr(kHeader)), name_,
                     "a whole checkpoint", "one whose checksum is wrong");
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
  const auto type = get<std::uint32_t>(bytes_, position);
  e.type = type & ~kPacked;
  e.is_packed = (type & kPacked) != 0;
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
  e.data_at = position;
  require_fitting_size(e, left());
  position += padded(e.data_size);
  return e;
}

/// Finds out the size of the data, which begins where so many bytes are left.
void CheckpointPart::require_fitting_size(Entry& e, std::size_t left) const {
  const auto require = [&](bool fits) {
    if (!fits) {
      fail(text::quoted(name_of(e), '"') + " to fit into the file", shape(e.rows, e.columns));
    }
  };
  // No product of the two may be formed before both are known to be small.
  const std::size_t unit = e.type == kText ? 1 : kWord;
  const auto most = static_cast<Index>(left / unit * (e.is_packed ? packed_words::kBits : 1));
  const bool single = e.type != kMatrix;
  require(e.rows <= most && e.columns <= most + 1 && !(single && e.columns != 1) &&
          !(e.rows > 0 && e.columns > most / e.rows) && !(e.is_packed && e.type < kMatrix));
  if ((e.type == kDouble || e.type == kCount) && e.rows != 1) {
    fail("one number for " + text::quoted(name_of(e), '"'), shape(e.rows, e.columns));
  }
  const std::size_t units = static_cast<std::size_t>(e.rows) * static_cast<std::size_t>(e.columns);
  e.data_size = units * unit;
  if (e.is_packed) {
    const auto size = packed_words::size_at(std::string_view(bytes_).substr(e.data_at, left), units);
    require(size.has_value());
    e.data_size = *size;
  }
  require(padded(e.data_size) <= left);
}

void CheckpointPart::read_identity(std::size_t& position) {
  const auto expect = [&](std::string_view name, std::uint32_t type) {
    const Entry entry = entry_at(position);
    require<DataError>(name_of(entry) == name && entry.type == type && !entry.is_packed && entry.node == -1, name_,
                       text::quoted(name, '"'), text::quoted(name_of(entry), '"'));
    return entry;
  };
  identity_.label = text_of(expect("label", kText));
  identity_.method = text_of(expect("method", kText));
  const Entry numbers = expect("identity", kCounts);
  constexpr Index kNumbers = 5;
  require<DataError>(numbers.rows == kNumbers, name_, "5 numbers in \"identity\"", std::to_string(numbers.rows));
  const auto number = [&](std::size_t i) { return get<Count>(bytes_, numbers.data_at + i * kWord); };
  const auto most_nodes = static_cast<Count>(bytes_.size());  // every node has its meters here
  const bool sensible = number(0) >= 0 && number(0) <= std::numeric_limits<int>::max() && number(1) >= 1 &&
                        number(2) >= 0 && number(3) >= 1 && number(3) <= most_nodes && number(2) < number(1) &&
                        number(3) <= number(1) - number(2) && number(4) >= 0 && number(4) <= kMostSettings;
  require<DataError>(sensible, name_, "a step and a range of nodes in \"identity\"", "numbers that make none");
  identity_.step = static_cast<int>(number(0));
  identity_.nodes = number(1);
  identity_.first_node = number(2);
  identity_.local_nodes = number(3);
  for (Count i = 0; i < number(4); ++i) {
    const Entry setting = entry_at(position);
    require<DataError>(setting.type == kText, name_, "a setting", kTypeNames[setting.type]);
    identity_.settings.emplace_back(name_of(setting), text_of(setting));
  }
}

}  // namespace slidemesh
