#pragma once

#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <deque>
#include <memory>
#include <string>

#include "slidemesh/network/peers/invitation.h"
#include "slidemesh/network/peers/wire.h"
#include "tls_stream.h"

namespace slidemesh::peers {

class Connection;
using Clock = std::chrono::steady_clock;

[[nodiscard]] inline Clock::duration duration(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

/// How a reason begins that is nobody's fault but a machine's or a network's.
inline const std::string kNotReached = "it cannot be reached: ";

/// Throws a std::system_error where that is not possible.
void listen_at(const Address& address, asio::ip::tcp::acceptor& acceptor);

/// The frame that tells facts, with what the clock says now.
[[nodiscard]] std::string facts_frame(Facts facts);

/// What a connection asks of and tells the mesh. All on the I/O thread.
class ConnectionOwner {
 public:
  virtual ~ConnectionOwner() = default;
  virtual const AdmissionRules& rules() const = 0;
  /// The first frame to an admitted party: a hello, or facts to compare.
  virtual std::string greeting_for(const std::string& party) = 0;
  /// Its hello; a DataError is why it is refused.
  virtual void greeted(Connection& connection, const Hello& hello) = 0;
  /// It wants no link, only to compare. A DataError is what is wrong with them.
  virtual void received(Connection& connection, Facts&& facts) = 0;
  /// A record, message or pulse; a DataError is what is wrong with it.
  virtual void arrived(Connection& connection, Frame&& frame) = 0;
  virtual void wrong_message(Connection& connection, const FrameHeader& header, const std::string& what) = 0;
  /// Once, at its end. `reason` is for the log.
  virtual void ended(Connection& connection, const std::string& reason) = 0;
};

/// One TLS connection, from the socket to its end: handshake, judgement, hello or refusal, frames.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  /// `expected` is the party that was called; empty if this one was called.
  Connection(asio::io_context& io, std::shared_ptr<asio::ssl::context> context, ConnectionOwner& owner,
             std::string expected, std::uint32_t largest_message, double greeting_seconds);

  [[nodiscard]] asio::ip::tcp::socket& socket() { return stream_.socket(); }
  /// Connects the socket, and starts. A machine that is off answers nothing for minutes: that is too long.
  void call(asio::io_context& io, const Address& address);
  /// The socket is connected.
  void start();
  void write(std::shared_ptr<const std::string> bytes);
  void write(std::string bytes) { write(std::make_shared<const std::string>(std::move(bytes))); }
  /// The same for what nobody waits for, of which there may come more than the other side takes: then it ends.
  void write_news(std::shared_ptr<const std::string> bytes);
  /// Tells the other side why, in words, and ends.
  void refuse(const std::string& reason);
  /// Writes a last frame and ends.
  void write_last(std::string frame, const std::string& reason);
  /// Ends at once.
  void close(const std::string& reason);

  [[nodiscard]] bool called() const { return !expected_.empty(); }
  [[nodiscard]] const std::string& expected() const { return expected_; }
  [[nodiscard]] const std::string& party() const { return shown_.verdict.party; }
  [[nodiscard]] const std::string& fingerprint() const { return shown_.verdict.fingerprint; }
  [[nodiscard]] const std::string& chain() const { return shown_.chain; }
  [[nodiscard]] bool has_ended() const { return state_ == State::kEnded; }
  /// Who it is, or seems to be, for the log.
  [[nodiscard]] std::string other_side() const;
  [[nodiscard]] double age_seconds() const;
  [[nodiscard]] double silence_seconds() const;

  std::uint64_t written = 0;         ///< the last message that was written to it
  std::uint64_t replayed_until = 0;  ///< messages up to this one had arrived before it was made
  Clock::time_point next_pulse = Clock::now();

 private:
  enum class State { kHandshake, kGreeting, kReady, kDraining, kEnded };

  void connect_to(const asio::ip::tcp::resolver::results_type& ends);
  void shaken(const std::error_code& error);
  void has_read(std::string_view bytes);
  void has_failed(const std::error_code& error);
  void take(Frame&& frame);
  void write_more();
  void has_written(const std::error_code& error);
  void drain();
  void set_deadline(double seconds, const std::string& reason);

  TlsStream stream_;
  std::shared_ptr<asio::ssl::context> context_;
  ConnectionOwner& owner_;
  std::string expected_;
  std::string address_;
  double greeting_seconds_;
  asio::steady_timer deadline_;
  State state_ = State::kHandshake;
  Shown shown_;
  FrameReader reader_;
  std::deque<std::shared_ptr<const std::string>> writes_;
  std::size_t in_flight_ = 0;
  std::size_t news_bytes_ = 0;  ///< written since nothing was waiting to be
  std::string last_words_;      ///< why it is being drained
  Clock::time_point made_ = Clock::now();
  Clock::time_point heard_ = Clock::now();
};

}  // namespace slidemesh::peers
