#include "connection.h"

#include <algorithm>
#include <asio/connect.hpp>
#include <utility>

#include "slidemesh/base/fail.h"

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
    return "the other side does not use TLS 1.3 (" + words + ")";
  }
  return words;
}

constexpr double kDrainSeconds = 2.0;

}  // namespace

void listen_at(const Address& address, asio::ip::tcp::acceptor& acceptor) {
  asio::ip::tcp::resolver resolver(acceptor.get_executor());
  const auto ends = resolver.resolve(address.host, address.port, asio::ip::tcp::resolver::passive);
  const asio::ip::tcp::endpoint end = ends.begin()->endpoint();
  acceptor.open(end.protocol());
  acceptor.set_option(asio::ip::tcp::acceptor::reuse_address(true));
  acceptor.bind(end);
  acceptor.listen();
}

Connection::Connection(asio::io_context& io, std::shared_ptr<asio::ssl::context> context, ConnectionOwner& owner,
                       std::string expected, std::uint32_t largest_message, double greeting_seconds)
    : stream_(io, *context, [this] { return shared_from_this(); }),
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
  deadline_.expires_after(duration(seconds));
  deadline_.async_wait([self = shared_from_this(), reason](const std::error_code& error) {
    if (!error) {
      self->close(reason);
    }
  });
}

void Connection::call(asio::io_context& io, const Address& address) {
  set_deadline(greeting_seconds_, kNotReached + "no answer in time");
  auto resolver = std::make_shared<asio::ip::tcp::resolver>(io);
  resolver->async_resolve(address.host, address.port,
                          [self = shared_from_this(), resolver](const std::error_code& error, const auto& ends) {
                            if (error) {
                              self->close("its address cannot be resolved: " + error.message());
                            }
                            if (!self->has_ended()) {
                              self->connect_to(ends);
                            }
                          });
}

void Connection::connect_to(const asio::ip::tcp::resolver::results_type& ends) {
  asio::async_connect(socket(), ends, [self = shared_from_this()](const std::error_code& error, const auto&) {
    if (error) {
      self->close(kNotReached + error.message());
    } else {
      self->start();
    }
  });
}

void Connection::start() {
  std::error_code error;
  const auto end = socket().remote_endpoint(error);
  if (!error) {
    address_ = end.address().to_string() + ":" + std::to_string(end.port());
  }
  socket().set_option(asio::ip::tcp::no_delay(true), error);
  set_deadline(greeting_seconds_, "no greeting came in time");
  stream_.handshake(called(), [this](const std::error_code& e) { shaken(e); });
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
  if (shown_.verdict.admitted) {
    write(owner_.greeting_for(shown_.verdict.party));
  } else {
    refuse(shown_.verdict.reason);
  }
  stream_.start_reading([this](std::string_view bytes) { has_read(bytes); },
                        [this](const std::error_code& e) { has_failed(e); });
}

void Connection::has_read(std::string_view bytes) {
  if (state_ == State::kEnded) {
    return;
  }
  heard_ = Clock::now();
  try {
    reader_.feed(bytes, [this](Frame&& frame) { take(std::move(frame)); });
  } catch (const Error& wrong) {
    if (state_ == State::kReady) {
      owner_.wrong_message(*this, {}, wrong.what());
    }
    refuse(wrong.what());
  }
}

void Connection::has_failed(const std::error_code& error) {
  close(state_ == State::kDraining ? last_words_ : "the connection broke: " + tls_reason(error));
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
    if (frame.header.type == FrameType::kFacts) {
      owner_.received(*this, decode_facts(frame.payload));
      return;
    }
    require<DataError>(frame.header.type == FrameType::kHello, "frame.type", "a hello first",
                       std::to_string(static_cast<int>(frame.header.type)));
    const Hello hello = decode_hello(frame.payload);
    owner_.greeted(*this, hello);  // whom it refuses has sent no bad message
    state_ = State::kReady;
    deadline_.cancel();
  } else if (state_ == State::kReady) {
    require<DataError>(frame.header.type != FrameType::kHello, "frame.type", "one hello", "a second");
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

void Connection::write_news(std::shared_ptr<const std::string> bytes) {
  // A map is at most half of this. One that has missed news gets all of them with its next connection.
  constexpr std::size_t kMostWaiting = 16U << 20U;
  news_bytes_ = writes_.empty() ? bytes->size() : news_bytes_ + bytes->size();
  if (news_bytes_ > kMostWaiting) {
    close("it does not read what is sent to it");
  } else {
    write(std::move(bytes));
  }
}

void Connection::write_more() {
  if (in_flight_ > 0 || writes_.empty()) {
    return;
  }
  constexpr std::size_t kMost = 16;
  in_flight_ = std::min(writes_.size(), kMost);
  stream_.write({writes_.begin(), writes_.begin() + static_cast<std::ptrdiff_t>(in_flight_)},
                [this](const std::error_code& e) { has_written(e); });
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
  write_last(frame_of(FrameType::kRefusal, reason.substr(0, kLongestRefusal)), "refused: " + reason);
}

void Connection::write_last(std::string frame, const std::string& reason) {
  if (state_ == State::kDraining || state_ == State::kEnded) {
    return;
  }
  last_words_ = reason;
  // What has not begun to travel is dropped: this is the last word.
  writes_.resize(in_flight_);
  writes_.push_back(std::make_shared<const std::string>(std::move(frame)));
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
  stream_.close();
  owner_.ended(*this, reason);
}

}  // namespace slidemesh::peers
