#include "mesh_state.h"

#include <fmt/format.h>

#include <utility>

#include "slidemesh/base/fail.h"

namespace slidemesh::peers {

void EdgeState::begin_epoch(std::uint64_t epoch) {
  *this = EdgeState();
  epoch_ = epoch;
}

std::uint64_t EdgeState::send(MessageKind kind, std::uint32_t step, std::string_view payload) {
  FrameHeader header;
  header.type = FrameType::kMessage;
  header.kind = kind;
  header.epoch = epoch_;
  header.step = step;
  header.sequence = ++sent_;
  header.ack = acknowledge();
  outbox_.push_back({sent_, std::make_shared<const std::string>(encode(header, payload))});
  return sent_;
}

void EdgeState::acknowledged(std::uint64_t epoch, std::uint64_t ack) {
  if (epoch != epoch_) {
    return;
  }
  if (ack > sent_) {
    fail<DataError>("frame.ack", fmt::format("at most {}", sent_), std::to_string(ack));
  }
  while (!outbox_.empty() && outbox_.front().sequence <= ack) {
    outbox_.pop_front();
  }
}

const EdgeState::Outgoing* EdgeState::next_after(std::uint64_t sequence) const {
  for (const Outgoing& one : outbox_) {
    if (one.sequence > sequence) {
      return &one;
    }
  }
  return nullptr;
}

std::uint64_t EdgeState::resume_after(const Hello& hello, const Incarnation& own) const {
  const bool counts_ours = hello.epoch == epoch_ && hello.received_from == own;
  if (counts_ours && hello.received > sent_) {
    fail<DataError>("hello.received", fmt::format("at most {}", sent_), std::to_string(hello.received));
  }
  return counts_ours ? hello.received : 0;
}

bool EdgeState::arrived(Frame&& frame) {
  const FrameHeader& header = frame.header;
  if (header.epoch != epoch_ || epoch_ == 0) {
    return false;
  }
  if (header.sequence != received_ + 1) {
    fail<DataError>("frame.sequence", std::to_string(received_ + 1), std::to_string(header.sequence));
  }
  if (inbox_.size() >= kWindow) {
    fail<DataError>("frame.sequence", fmt::format("at most {} messages ahead of this party", kWindow), "more");
  }
  acknowledged(header.epoch, header.ack);
  ++received_;
  inbox_.push_back(std::move(frame));
  return true;
}

Frame EdgeState::consume() {
  Frame frame = std::move(inbox_.front());
  inbox_.pop_front();
  return frame;
}

std::uint64_t EdgeState::acknowledge() { return acknowledged_ = consumed(); }

}  // namespace slidemesh::peers
