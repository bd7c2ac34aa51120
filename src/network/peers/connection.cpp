#include "connection.h"

#include <asio/write.hpp>
#include <utility>
#include <vector>

#include "slidemesh/base/errors.h"

namespace slidemesh::peers {
namespace {

double seconds_since(Clock::time_point time) { return std::chrono::duration<double>(Clock::now() - time).count(); }

/// Where TLS itself failed: what an administrator can make of it.
std::string tls_reason(const std::error_code& error) {
  const std::string words = error.message();
  if (words.find("wrong version number") != std::string::npos || words.find("http request") != std::string::npos ||
      words.find("packet length too long") != std::string::npos) {
    return "what arrived is not TLS (" + words + ")";
  }
  if (words.find("unsupported protocol") != std::string::npos || words.find("protocol version") != std::string::npos) {
    return "the other side does not speak TLS 1.3 (" + words + ")";
  }
  return words;
}

constexpr double kDrainSeconds = 2.0;

}  // namespace

Connection::Connection(asio::io_context& io, std::shared_ptr<asio::ssl::context> context, ConnectionOwner& owner,
                       std::string expected, std::uint32_t largest_message, double greeting_seconds)
    : stream_(io, *context),
      context_(std::move(context)),
      owner_(owner),
      expected_(std::move(expected)),
      greeting_seconds_(greeting_seconds),
      deadline_(io),
      reader_(largest_message) {}

std::string Connection::other_side() const {
  std::string text = !shown_.verdict.party.empty() ? shown_.verdict.party : !expected_.empty() ? expected_ : "someone";
  text += " at " + (address_.empty() ? "an unknown address" : address_);
  if (!shown_.verdict.fingerprint.empty()) {
    text += " (key " + shown_.verdict.fingerprint + ")";
  }
  return text;
}

double Connection::age_seconds() const { return seconds_since(made_); }
double Connection::silence_seconds() const { return seconds_since(heard_); }

void Connection::set_deadline(double seconds, const std::string& reason) {
  deadline_.expires_after(std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds)));
  deadline_.async_wait([self = shared_from_this(), reason](const std::error_code& error) {
    if (!error) {
      self->close(reason);
    }
  });
}

void Connection::await_answer() { set_deadline(greeting_seconds_, kNotReached + "no answer in time"); }

void Connection::start() {
  std::error_code error;
  const auto end = socket().remote_endpoint(error);
  if (!error) {
    address_ = end.address().to_string() + ":" + std::to_string(end.port());
  }
  socket().set_option(asio::ip::tcp::no_delay(true), error);
  set_deadline(greeting_seconds_, "no greeting came in time");
  const auto side = called() ? asio::ssl::stream_base::client : asio::ssl::stream_base::server;
  stream_.async_handshake(side, [self = shared_from_this()](const std::error_code& e) { self->shaken(e); });
}

void Connection::shaken(const std::error_code& error) {
  if (state_ != State::kHandshake) {
    return;
  }
  if (error) {
    close(tls_reason(error));
    return;
  }
  shown_ = judge_connection(stream_.native_handle(), owner_.rules(), expected_);
  state_ = State::kGreeting;
  read();
  if (!shown_.verdict.admitted) {
    refuse(shown_.verdict.reason);
    return;
  }
  FrameHeader header;
  header.type = FrameType::kHello;
  write(encode(header, encode(owner_.hello_for(shown_.verdict.party))));
}

void Connection::read() {
  stream_.async_read_some(asio::buffer(buffer_), [self = shared_from_this()](const std::error_code& e, std::size_t n) {
    self->has_read(e, n);
  });
}

void Connection::has_read(const std::error_code& error, std::size_t size) {
  if (state_ == State::kEnded) {
    return;
  }
  if (error) {
    close(state_ == State::kDraining ? last_words_ : "the connection broke: " + tls_reason(error));
    return;
  }
  heard_ = Clock::now();
  try {
    reader_.feed({buffer_.data(), size}, [this](Frame&& frame) { take(std::move(frame)); });
  } catch (const Error& wrong) {
    if (state_ == State::kReady) {
      owner_.wrong_message(*this, {}, wrong.what());
    }
    refuse(wrong.what());
  }
  if (state_ != State::kEnded) {
    read();
  }
}

void Connection::take(Frame&& frame) {
  if (frame.header.type == FrameType::kRefusal) {
    const std::string words = decode_refusal(frame.payload);
    const bool leaves = state_ == State::kReady && words.starts_with(party() + " left: ");
    close((state_ == State::kDraining ? last_words_ + "; " : "") +
          (leaves ? words : "refused by the other side: " + words));
    return;
  }
  if (state_ == State::kGreeting) {
    if (frame.header.type != FrameType::kHello) {
      throw DataError("frame.type: expected a hello first, got " + std::to_string(static_cast<int>(frame.header.type)));
    }
    const Hello hello = decode_hello(frame.payload);
    owner_.greeted(*this, hello);  // whom it refuses has sent no bad message
    state_ = State::kReady;
    deadline_.cancel();
  } else if (state_ == State::kReady) {
    if (frame.header.type == FrameType::kHello) {
      throw DataError("frame.type: expected one hello, got a second");
    }
    const FrameHeader header = frame.header;
    try {
      owner_.arrived(*this, std::move(frame));
    } catch (const DataError& wrong) {
      owner_.wrong_message(*this, header, wrong.what());
      refuse(wrong.what());
    }
  }
}

void Connection::write(std::shared_ptr<const std::string> bytes) {
  if (state_ == State::kDraining || state_ == State::kEnded) {
    return;
  }
  writes_.push_back(std::move(bytes));
  write_more();
}

void Connection::write_more() {
  if (in_flight_ > 0 || writes_.empty()) {
    return;
  }
  constexpr std::size_t kMost = 16;
  std::vector<asio::const_buffer> buffers;
  for (std::size_t i = 0; i < writes_.size() && i < kMost; ++i) {
    buffers.push_back(asio::buffer(*writes_[i]));
  }
  in_flight_ = buffers.size();
  asio::async_write(stream_, buffers,
                    [self = shared_from_this()](const std::error_code& e, std::size_t) { self->has_written(e); });
}

void Connection::has_written(const std::error_code& error) {
  writes_.erase(writes_.begin(), writes_.begin() + static_cast<std::ptrdiff_t>(in_flight_));
  in_flight_ = 0;
  if (state_ == State::kEnded) {
    return;
  }
  if (error) {
    close(state_ == State::kDraining ? last_words_ : "the connection broke: " + tls_reason(error));
  } else if (writes_.empty() && state_ == State::kDraining) {
    drain();
  } else {
    write_more();
  }
}

void Connection::refuse(const std::string& reason) {
  if (state_ == State::kDraining || state_ == State::kEnded) {
    return;
  }
  last_words_ = "refused: " + reason;
  // What has not begun to travel is dropped: the refusal is the last word.
  writes_.resize(in_flight_);
  FrameHeader header;
  header.type = FrameType::kRefusal;
  writes_.push_back(std::make_shared<const std::string>(encode(header, reason.substr(0, kLongestRefusal))));
  state_ = State::kDraining;
  set_deadline(kDrainSeconds, last_words_);
  write_more();
}

/// A socket that is closed while something unread lies in it resets the connection, and the other side may never read
/// why. So this side only says that it will write no more, and reads on until the other side has closed, or a moment is
/// over.
void Connection::drain() {
  std::error_code ignored;
  socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
}

void Connection::close(const std::string& reason) {
  if (state_ == State::kEnded) {
    return;
  }
  state_ = State::kEnded;
  deadline_.cancel();
  std::error_code ignored;
  socket().close(ignored);
  owner_.ended(*this, reason);
}

}  // namespace slidemesh::peers
