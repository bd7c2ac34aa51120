#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What two parties say to one another over a connection, byte by byte. Everything that arrives is bounded and checked
/// here before anything else sees it; a DataError says which field was wrong. docs/peers-protocol.md has the layout.

namespace slidemesh::peers {

inline constexpr std::uint16_t kOldestProtocol = 1;
inline constexpr std::uint16_t kNewestProtocol = 1;

enum class FrameType : std::uint8_t {
  kHello = 1,    ///< the first from each side: who, which run, what has arrived so far
  kRefusal = 2,  ///< instead of a hello or at any time later: why the connection ends, in words
  kRecord = 3,   ///< one party's entry in the map of the mesh
  kMessage = 4,  ///< a numbered message of the run; sent again after a broken connection until it has arrived
  kPulse = 5,    ///< I am here, and have consumed so much
  kFacts = 6,    ///< in place of a hello, by who only wants to compare (peer doctor), and in answer to that
};

/// What a message is part of, so that two parties that are out of step find out at once.
enum class MessageKind : std::uint8_t {
  kNone = 0,
  kRound = 1,         ///< a column to every neighbour, of the method
  kControlRound = 2,  ///< the same, of measuring
  kAlong = 3,         ///< numbers along the spanning tree, of the method
  kControlAlong = 4,  ///< the same, of measuring and stopping
  kBytes = 5,         ///< the mesh's own: checkpoints to agree on, text
};

/// Before every payload, 56 bytes, little-endian.
struct FrameHeader {
  FrameType type = FrameType::kPulse;
  MessageKind kind = MessageKind::kNone;
  std::uint64_t epoch = 0;     ///< which state of the mesh it belongs to
  std::uint32_t length = 0;    ///< of the payload
  std::uint32_t step = 0;      ///< how many operations of the run came before it in this epoch
  std::uint64_t sequence = 0;  ///< messages: 1, 2, 3, ... on this edge in this epoch; 0 for others
  std::uint64_t ack = 0;       ///< messages of the other side that were consumed in this epoch
  std::uint64_t payload_checksum = 0;
};
inline constexpr std::size_t kHeaderSize = 56;

struct Frame {
  FrameHeader header;
  std::string payload;
};

/// Header and payload, with length and checksums filled in.
[[nodiscard]] std::string encode(FrameHeader header, std::string_view payload);
/// One that is no message of the run.
[[nodiscard]] inline std::string frame_of(FrameType type, std::string_view payload) {
  return encode(FrameHeader{.type = type}, payload);
}
/// DataError unless all fields are possible. `largest` bounds the payload.
[[nodiscard]] FrameHeader decode_header(std::string_view bytes, std::uint32_t largest);

/// Takes bytes as they come and gives frames. Memory: at most one frame of the largest size, and never more than a
/// mebibyte or about twice what has really arrived of it, whatever a header promises.
class FrameReader {
 public:
  explicit FrameReader(std::uint32_t largest_payload) : largest_(largest_payload) {}

  /// Calls `take(Frame&&)` for each frame that is complete.
  template <class Take>
  void feed(std::string_view bytes, Take&& take) {
    while (!bytes.empty()) {
      if (auto frame = consume(bytes)) {
        take(std::move(*frame));
      }
    }
  }
  /// True between frames: the only place where a stream may end.
  [[nodiscard]] bool is_between_frames() const { return !header_.has_value() && buffer_.empty(); }

 private:
  std::optional<Frame> consume(std::string_view& bytes);

  std::uint32_t largest_;
  std::optional<FrameHeader> header_;
  std::string buffer_;
};

/// One life of a party's process. A later life is greater, so that the newest is known wherever two are compared.
struct Incarnation {
  std::uint64_t started = 0;  ///< microseconds since 1970, or one more than the last if clocks went back
  std::uint64_t random = 0;

  [[nodiscard]] bool known() const { return started != 0 || random != 0; }
  friend auto operator<=>(const Incarnation&, const Incarnation&) = default;
};

struct Hello {
  std::uint16_t oldest_protocol = kOldestProtocol;
  std::uint16_t newest_protocol = kNewestProtocol;
  std::string party;
  Incarnation incarnation;
  std::string problem;      ///< digest of the shared config, 64 hex digits
  std::uint64_t epoch = 0;  ///< of the messages that `received` counts
  std::uint64_t received = 0;
  Incarnation
      received_from;  ///< whose messages those were: without it an answer to an earlier life would drop live ones
};
[[nodiscard]] std::string encode(const Hello& hello);
[[nodiscard]] Hello decode_hello(std::string_view payload);

/// One party's entry in the map of the mesh, passed from neighbour to neighbour. The entry with the greatest
/// (incarnation, revision) is the party's newest.
struct Record {
  std::string party;
  Incarnation incarnation;
  std::uint32_t revision = 0;
  std::vector<std::string> neighbours;  ///< ascending

  friend bool operator==(const Record&, const Record&) = default;
};
inline constexpr std::size_t kMostNeighbours = 1024;
[[nodiscard]] std::string encode(const Record& record);
[[nodiscard]] Record decode_record(std::string_view payload);

/// What two parties compare where a run does not start: sent to admitted neighbours only.
struct Facts {
  std::string party;
  std::uint64_t clock = 0;         ///< microseconds since 1970 when it was written
  std::string problem;             ///< digest of the shared config; empty: none was named
  std::string shared;              ///< the shared config, `key = value` a line; empty where it is too long
  bool knows_columns = false;      ///< whether the rest means something
  std::uint32_t columns = 0;       ///< 0: to be found out by reading rows
  std::string label;               ///< the label's column; empty: it has no name
  std::string digest;              ///< of the names, in their order; empty where columns have none
  std::vector<std::string> names;  ///< of the columns; none where they are too many or have none

  friend bool operator==(const Facts&, const Facts&) = default;
};
inline constexpr std::size_t kLongestShared = 32U << 10U;
inline constexpr std::size_t kLongestNames = 64U << 10U;  ///< bytes of all together
inline constexpr std::size_t kLongestName = 1024;
[[nodiscard]] std::string encode(const Facts& facts);
[[nodiscard]] Facts decode_facts(std::string_view payload);

/// Printable text of at most this many bytes.
inline constexpr std::size_t kLongestRefusal = 400;
[[nodiscard]] std::string decode_refusal(std::string_view payload);

}  // namespace slidemesh::peers
