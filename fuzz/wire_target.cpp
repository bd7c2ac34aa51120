#include "refuse_or_read.h"
#include "slidemesh/network/peers/invitation.h"
#include "slidemesh/network/peers/mesh_map.h"
#include "slidemesh/network/peers/wire.h"
#include "targets.h"

namespace slidemesh::fuzz {
namespace {

using namespace peers;

constexpr std::uint32_t kLargest = 1U << 16U;

void read_frame(const Frame& frame) {
  refuse_or_read([&] {
    if (frame.header.type == FrameType::kHello) {
      static_cast<void>(decode_hello(frame.payload));
    } else if (frame.header.type == FrameType::kRecord) {
      MeshMap map("a", {1, 1}, {"b", "c"});
      map.update(decode_record(frame.payload));
      static_cast<void>(map.view());
      static_cast<void>(map.missing());
    } else if (frame.header.type == FrameType::kRefusal) {
      static_cast<void>(decode_refusal(frame.payload));
    } else if (frame.header.type == FrameType::kFacts) {
      static_cast<void>(decode_facts(frame.payload));
    }
  });
}

/// The bytes as they are, in two pieces: a stream may be cut anywhere.
void read_stream(std::string_view bytes) {
  FrameReader reader(kLargest);
  refuse_or_read([&] {
    const std::size_t half = bytes.size() / 2;
    reader.feed(bytes.substr(0, half), read_frame);
    reader.feed(bytes.substr(half), read_frame);
  });
}

/// The bytes behind a header that is right: hardly an input would get behind the checksums otherwise.
void read_sealed(std::string_view bytes) {
  if (bytes.empty()) {
    return;
  }
  FrameHeader header;
  header.type = static_cast<FrameType>(1 + static_cast<unsigned char>(bytes.front()) % 6);
  header.kind = header.type == FrameType::kMessage ? MessageKind::kRound : MessageKind::kNone;
  header.sequence = header.type == FrameType::kMessage ? 1 : 0;
  read_stream(encode(header, bytes.substr(1)));
}

}  // namespace

void wire(std::span<const std::uint8_t> bytes) {
  read_stream(as_text(bytes));
  read_sealed(as_text(bytes));
}

void invitation(std::span<const std::uint8_t> bytes) {
  refuse_or_read([&] { static_cast<void>(parse_invitation(std::string(as_text(bytes)), "input")); });
}

}  // namespace slidemesh::fuzz
