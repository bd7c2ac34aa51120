#include "slidemesh/network/peers/wire.h"

#include <algorithm>
#include <bit>

#include "slidemesh/base/fail.h"
#include "slidemesh/base/hash.h"
#include "slidemesh/network/peers/identity.h"
#include "slidemesh/network/peers/invitation.h"

namespace slidemesh::peers {
namespace {

constexpr std::uint32_t kMagic = 0x31504D53U;  // "SMP1"
/// Columns travel as they lie in memory, so both sides must lay doubles out alike: a number that says how.
constexpr std::uint32_t kByteOrder = std::endian::native == std::endian::little ? 0x01020304U : 0x04030201U;

template <class Integer>
void put(std::string& bytes, Integer value) {
  for (std::size_t i = 0; i < sizeof(Integer); ++i) {
    bytes.push_back(static_cast<char>((static_cast<std::uint64_t>(value) >> (8U * i)) & 0xFFU));
  }
}

void put_text(std::string& bytes, std::string_view text) {
  put(bytes, static_cast<std::uint16_t>(text.size()));
  bytes.append(text);
}

void put_incarnation(std::string& bytes, const Incarnation& incarnation) {
  put(bytes, incarnation.started);
  put(bytes, incarnation.random);
}

template <class Integer>
Integer little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof(Integer); ++i) {
    value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8U * i);
  }
  return static_cast<Integer>(value);
}

/// Reads fields one after the other, and never past the end.
class Fields {
 public:
  Fields(std::string_view bytes, std::string what) : bytes_(bytes), what_(std::move(what)) {}

  template <class Integer>
  Integer number(const char* field) {
    return little_endian<Integer>(take(sizeof(Integer), field));
  }
  std::string text(const char* field, std::size_t longest) {
    const auto size = number<std::uint16_t>(field);
    if (size > longest) {
      fail<DataError>(what_ + "." + field, "at most " + std::to_string(longest) + " bytes", std::to_string(size));
    }
    return std::string(take(size, field));
  }
  std::string party(const char* field) {
    std::string name = text(field, 63);
    try {
      require_party_name(name);
    } catch (const UsageError& error) {
      throw DataError(what_ + "." + field + ": " + error.what());
    }
    return name;
  }
  Incarnation incarnation(const char* field) {
    Incarnation value;
    value.started = number<std::uint64_t>(field);
    value.random = number<std::uint64_t>(field);
    return value;
  }
  std::string digest(const char* field, bool may_be_empty = false) {
    std::string value = text(field, kDigestDigits);
    if (!is_digest(value) && !(may_be_empty && value.empty())) {
      fail<DataError>(what_ + "." + field, "64 hex digits", std::to_string(value.size()) + " bytes");
    }
    return value;
  }
  void end() const {
    if (!bytes_.empty()) {
      fail<DataError>(what_, "its end", std::to_string(bytes_.size()) + " more bytes");
    }
  }

 private:
  std::string_view take(std::size_t size, const char* field) {
    if (bytes_.size() < size) {
      fail<DataError>(what_ + "." + field, std::to_string(size) + " bytes", std::to_string(bytes_.size()));
    }
    const auto taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }

  std::string_view bytes_;
  std::string what_;
};

void check_type(const FrameHeader& header) {
  const auto type = static_cast<unsigned>(header.type);
  if (type < 1 || type > static_cast<unsigned>(FrameType::kFacts)) {
    fail<DataError>("frame.type", "1 to 6", std::to_string(type));
  }
  const auto kind = static_cast<unsigned>(header.kind);
  if (kind > static_cast<unsigned>(MessageKind::kBytes)) {
    fail<DataError>("frame.kind", "0 to 5", std::to_string(kind));
  }
  const bool message = header.type == FrameType::kMessage;
  if (message == (header.kind == MessageKind::kNone)) {
    fail<DataError>("frame.kind", message ? "that of a message" : "none", std::to_string(kind));
  }
  if (message == (header.sequence == 0)) {
    fail<DataError>("frame.sequence", message ? "a number from 1" : "0", std::to_string(header.sequence));
  }
}

void check_length(const FrameHeader& header, std::uint32_t largest) {
  // What is not a message of the run is small whatever a run's messages are.
  constexpr std::uint32_t kLargestOther = 128U << 10U;
  const std::uint32_t limit = header.type == FrameType::kMessage ? largest
                              : header.type == FrameType::kPulse ? 0U
                                                                 : kLargestOther;
  if (header.length > limit) {
    fail<DataError>("frame.length", "at most " + std::to_string(limit), std::to_string(header.length));
  }
}

}  // namespace

std::string encode(FrameHeader header, std::string_view payload) {
  std::string bytes;
  bytes.reserve(kHeaderSize + payload.size());
  put(bytes, kMagic);
  put(bytes, static_cast<std::uint8_t>(header.type));
  put(bytes, static_cast<std::uint8_t>(header.kind));
  put(bytes, std::uint16_t{0});
  put(bytes, header.epoch);
  put(bytes, static_cast<std::uint32_t>(payload.size()));
  put(bytes, header.step);
  put(bytes, header.sequence);
  put(bytes, header.ack);
  put(bytes, hash_of(payload));
  put(bytes, hash_of(bytes));
  bytes.append(payload);
  return bytes;
}

FrameHeader decode_header(std::string_view bytes, std::uint32_t largest) {
  Fields fields(bytes.substr(0, kHeaderSize), "frame");
  require<DataError>(fields.number<std::uint32_t>("magic") == kMagic, "frame.magic", "SMP1", "other bytes");
  FrameHeader header;
  header.type = static_cast<FrameType>(fields.number<std::uint8_t>("type"));
  header.kind = static_cast<MessageKind>(fields.number<std::uint8_t>("kind"));
  const auto reserved = fields.number<std::uint16_t>("reserved");
  header.epoch = fields.number<std::uint64_t>("epoch");
  header.length = fields.number<std::uint32_t>("length");
  header.step = fields.number<std::uint32_t>("step");
  header.sequence = fields.number<std::uint64_t>("sequence");
  header.ack = fields.number<std::uint64_t>("ack");
  header.payload_checksum = fields.number<std::uint64_t>("payload_checksum");
  const std::uint64_t computed = hash_of(bytes.substr(0, kHeaderSize - sizeof(std::uint64_t)));
  require<DataError>(fields.number<std::uint64_t>("checksum") == computed, "frame.checksum", "the header's", "another");
  if (reserved != 0) {
    fail<DataError>("frame.reserved", "0", std::to_string(reserved));
  }
  check_type(header);
  check_length(header, largest);
  return header;
}

std::optional<Frame> FrameReader::consume(std::string_view& bytes) {
  const std::size_t wanted = header_ ? header_->length : kHeaderSize;
  const std::size_t taken = std::min(bytes.size(), wanted - buffer_.size());
  buffer_.append(bytes.substr(0, taken));
  bytes.remove_prefix(taken);
  if (buffer_.size() == kHeaderSize && !header_) {
    header_ = decode_header(buffer_, largest_);
    buffer_.clear();
    buffer_.reserve(std::min<std::size_t>(header_->length, 1U << 20U));
  }
  if (!header_ || buffer_.size() < header_->length) {
    return std::nullopt;
  }
  require<DataError>(hash_of(buffer_) == header_->payload_checksum, "frame.payload_checksum", "the payload's",
                     "another");
  Frame frame{*header_, std::move(buffer_)};
  header_.reset();
  buffer_ = {};
  return frame;
}

std::string encode(const Hello& hello) {
  std::string bytes;
  put(bytes, hello.oldest_protocol);
  put(bytes, hello.newest_protocol);
  put(bytes, kByteOrder);
  put_text(bytes, hello.party);
  put_incarnation(bytes, hello.incarnation);
  put_text(bytes, hello.problem);
  put(bytes, hello.epoch);
  put(bytes, hello.received);
  put_incarnation(bytes, hello.received_from);
  return bytes;
}

Hello decode_hello(std::string_view payload) {
  Fields fields(payload, "hello");
  Hello hello;
  hello.oldest_protocol = fields.number<std::uint16_t>("oldest_protocol");
  hello.newest_protocol = fields.number<std::uint16_t>("newest_protocol");
  if (hello.oldest_protocol > kNewestProtocol || hello.newest_protocol < kOldestProtocol) {
    fail<DataError>("hello.protocol",
                    "a range with " + std::to_string(kOldestProtocol) + " to " + std::to_string(kNewestProtocol),
                    std::to_string(hello.oldest_protocol) + " to " + std::to_string(hello.newest_protocol));
  }
  const auto order = fields.number<std::uint32_t>("byte_order");
  require<DataError>(order == kByteOrder, "hello.byte_order", "this machine's", "another");
  hello.party = fields.party("party");
  hello.incarnation = fields.incarnation("incarnation");
  hello.problem = fields.digest("problem");
  hello.epoch = fields.number<std::uint64_t>("epoch");
  hello.received = fields.number<std::uint64_t>("received");
  hello.received_from = fields.incarnation("received_from");
  fields.end();
  require<DataError>(hello.incarnation.known(), "hello.incarnation", "a number", "0");
  return hello;
}

std::string encode(const Record& record) {
  std::string bytes;
  put_text(bytes, record.party);
  put_incarnation(bytes, record.incarnation);
  put(bytes, record.revision);
  put(bytes, static_cast<std::uint16_t>(record.neighbours.size()));
  for (const auto& neighbour : record.neighbours) {
    put_text(bytes, neighbour);
  }
  return bytes;
}

Record decode_record(std::string_view payload) {
  Fields fields(payload, "record");
  Record record;
  record.party = fields.party("party");
  record.incarnation = fields.incarnation("incarnation");
  record.revision = fields.number<std::uint32_t>("revision");
  const auto count = fields.number<std::uint16_t>("neighbours");
  require<DataError>(count <= kMostNeighbours, "record.neighbours", "at most " + std::to_string(kMostNeighbours),
                     std::to_string(count));
  for (std::size_t i = 0; i < count; ++i) {
    record.neighbours.push_back(fields.party("neighbours"));
  }
  fields.end();
  const auto& all = record.neighbours;
  const bool ascend = std::adjacent_find(all.begin(), all.end(), std::greater_equal<>()) == all.end();
  require<DataError>(ascend, "record.neighbours", "ascending names", "others");
  require<DataError>(std::find(all.begin(), all.end(), record.party) == all.end(), "record.neighbours", "other parties",
                     "the party itself");
  return record;
}

std::string encode(const Facts& facts) {
  std::string bytes;
  put_text(bytes, facts.party);
  put(bytes, facts.clock);
  put_text(bytes, facts.problem);
  put_text(bytes, facts.shared.size() <= kLongestShared ? facts.shared : std::string_view());
  put(bytes, static_cast<std::uint8_t>(facts.knows_columns ? 1 : 0));
  put(bytes, facts.columns);
  put_text(bytes, std::string_view(facts.label).substr(0, kLongestName));
  put_text(bytes, facts.digest);
  std::size_t size = 0;
  bool fits = true;
  for (const std::string& name : facts.names) {
    size += name.size() + sizeof(std::uint16_t);
    fits = fits && name.size() <= kLongestName && size <= kLongestNames;
  }
  put(bytes, static_cast<std::uint16_t>(fits ? facts.names.size() : 0));
  for (std::size_t i = 0; fits && i < facts.names.size(); ++i) {
    put_text(bytes, facts.names[i]);
  }
  return bytes;
}

Facts decode_facts(std::string_view payload) {
  Fields fields(payload, "facts");
  Facts facts;
  facts.party = fields.party("party");
  facts.clock = fields.number<std::uint64_t>("clock");
  facts.problem = fields.digest("problem", true);
  facts.shared = fields.text("shared", kLongestShared);
  const auto knows = fields.number<std::uint8_t>("knows_columns");
  require<DataError>(knows <= 1, "facts.knows_columns", "0 or 1", std::to_string(knows));
  facts.knows_columns = knows == 1;
  facts.columns = fields.number<std::uint32_t>("columns");
  facts.label = fields.text("label", kLongestName);
  facts.digest = fields.digest("digest", true);
  const auto count = fields.number<std::uint16_t>("names");
  for (std::size_t i = 0; i < count; ++i) {
    facts.names.push_back(fields.text("names", kLongestName));
  }
  fields.end();
  require<DataError>(count == 0 || count == facts.columns, "facts.names", std::to_string(facts.columns),
                     std::to_string(count));
  return facts;
}

std::string decode_refusal(std::string_view payload) {
  std::string text(payload.substr(0, kLongestRefusal));
  // It goes into a log or to a terminal: nothing but printable ASCII.
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

}  // namespace slidemesh::peers
